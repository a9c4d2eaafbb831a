"""The allow-list of images: exact, and closed where there is doubt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.controller.plan.images import AllowedImages, Reference, parse

DIGEST = "sha256:" + "a" * 64
OTHER_DIGEST = "sha256:" + "b" * 64
OWN = "pointsman/pointsman:0.1.0"
NOTHING = AllowedImages(OWN, "pointsman-system/pointsman-images")
LIST = f"""
# engines that we have looked at
registry.k8s.io/engine
example.com:5000/team/engine:1.2
example.com/pinned@{DIGEST}
nginx
   spaced.example/engine
Upper.example/engine
"""
ALLOWED = NOTHING.with_list(LIST)


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("nginx", Reference("docker.io/library/nginx")),
        ("docker.io/nginx", Reference("docker.io/library/nginx")),
        ("index.docker.io/library/nginx", Reference("docker.io/library/nginx")),
        ("team/engine:1", Reference("docker.io/team/engine", "1")),
        ("localhost/engine", Reference("localhost/engine")),
        ("localhost:5000/engine:1", Reference("localhost:5000/engine", "1")),
        (f"example.com/a/b:1@{DIGEST}", Reference("example.com/a/b", "1", DIGEST)),
        ("Example.com/engine", None),
        ("example.com/Engine", None),
        ("engine\n", None),
        (" engine", None),
        ("engine:", None),
        ("engine@sha256:abc", None),
        (f"engine@{DIGEST}0", None),
        ("a//b", None),
        ("https://example.com/engine", None),
        ("../engine", None),
        ("", None),
        ("a/" * 300 + "a", None),
    ],
)
def test_a_reference_is_read_and_normalised(text: str, reference: Reference | None) -> None:
    assert parse(text) == reference


@pytest.mark.parametrize(
    "image",
    [
        OWN,
        "registry.k8s.io/engine",
        "registry.k8s.io/engine:v1",
        f"registry.k8s.io/engine:v1@{DIGEST}",
        "example.com:5000/team/engine:1.2",
        f"example.com/pinned@{DIGEST}",
        f"example.com/pinned:any@{DIGEST}",
        "docker.io/library/nginx:1.29",
        "spaced.example/engine",
    ],
)
def test_what_is_listed_is_allowed(image: str) -> None:
    assert ALLOWED.allows(image)


@pytest.mark.parametrize(
    "image",
    [
        "other.example/engine",
        "registry.k8s.io.evil.dev/engine",
        "registry.k8s.io/engine-evil",
        "registry.k8s.io/engine/evil",
        "evil/registry.k8s.io/engine",
        "example.com/team/engine:1.2",
        "example.com:5000/team/engine:1.3",
        "example.com:5000/team/engine",
        f"example.com:5000/team/engine:1.2@{DIGEST}",
        "example.com/pinned:1",
        "example.com/pinned",
        f"example.com/pinned@{OTHER_DIGEST}",
        "example.com/pinned@sha256:aaaa",
        "Upper.example/engine",
        "registry.k8s.io/engine\n",
        "pointsman/pointsman:0.2.0",
        "",
    ],
)
def test_what_is_not_listed_exactly_is_refused(image: str) -> None:
    assert not ALLOWED.allows(image)


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "*", "registry.k8s.io/*"])
def test_an_empty_list_allows_only_our_own_image(text: str) -> None:
    allowed = NOTHING.with_list(text)
    assert allowed.allows(OWN)
    assert not allowed.allows("registry.k8s.io/engine")


def test_our_own_image_is_allowed_whatever_it_is_called() -> None:
    assert AllowedImages("My/Odd:Image@x", "a/b").allows("My/Odd:Image@x")


def test_a_workstation_may_allow_everything_that_is_an_image() -> None:
    anything = AllowedImages(OWN, "a/b", anything=True)
    assert anything.allows("registry.example/whatever:1")
    assert not anything.allows("not an image")


@given(st.text(max_size=60))
def test_any_text_is_an_image_or_is_refused(text: str) -> None:
    reference = parse(text)
    assert reference is None or parse(f"{reference.repository}") == Reference(reference.repository)
