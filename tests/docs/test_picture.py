"""The picture of the live table is one that a browser shows without asking anybody for anything."""

import re
from xml.etree import ElementTree

from tests.docs.pages import ROOT
from tests.docs.picture import PICTURE

NAMESPACE = "http://www.w3.org/2000/svg"


def test_it_is_well_formed_and_shows_the_three_profiles() -> None:
    root = ElementTree.fromstring(PICTURE.read_text())
    words = " ".join("".join(root.itertext()).replace("\xa0", " ").split())

    assert root.tag == f"{{{NAMESPACE}}}svg"
    assert [
        name for name in ("binpack", "gpu", "team-payments", "EngineReady", "Insufficient cpu") if name not in words
    ] == []


def test_it_fetches_nothing() -> None:
    text = PICTURE.read_text()

    assert set(re.findall(r"\w+://[^\s\"')]+", text)) == {NAMESPACE}
    assert "@import" not in text
    assert [url for url in re.findall(r"url\(([^)]*)\)", text) if not url.startswith("#")] == []


def test_the_readme_shows_it() -> None:
    assert f"({PICTURE.relative_to(ROOT)})" in (ROOT / "README.md").read_text()
