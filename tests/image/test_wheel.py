"""The wheel, built as the image builds it: it carries all that the package reads, and nothing that it should not."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "operator" / "pointsman"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder))
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], check=True, capture_output=True)
    [made] = folder.glob("*.whl")
    return made


def contents(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


def test_every_file_of_the_package_is_in_it_links_followed(wheel: Path) -> None:
    folders = [PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_symlink())]
    files = {
        (Path("pointsman") / folder.relative_to(PACKAGE) / path.relative_to(folder)).as_posix()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert "pointsman/templates/deployment.yaml.j2" in files
    assert files - contents(wheel) == set()


def test_nothing_else_is_in_it(wheel: Path) -> None:
    strange = {name for name in contents(wheel) if not name.startswith(("pointsman/", "pointsman-"))}

    assert strange == set()
    assert {Path(name).suffix for name in contents(wheel)} & {".pyc", ".so", ".key", ".kubeconfig"} == set()


def test_it_works_alone_and_finds_its_templates(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    script = (
        "import importlib.resources, pointsman;"
        "print(pointsman.__file__);"
        "print(importlib.resources.files('pointsman').joinpath('templates', 'deployment.yaml.j2').is_file())"
    )

    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines() == [str(tmp_path / "pointsman" / "__init__.py"), "True"]
