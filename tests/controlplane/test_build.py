"""The order of the places that programs come from, a build of what is missing only, plain words without Go."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.controlplane import build
from tests.controlplane.gomodule import Unavailable

ROOT = Path(__file__).parents[2]

FAKE_GO = """#!/bin/sh
# Stands in for `go build … -o PATH PACKAGE`: records the call and makes the program, or fails where it is told to.
echo "$PWD $CGO_ENABLED $*" >> "$CALLS"
while [ "$1" != -o ]; do shift; done
case "$3" in *$BREAKS) echo "no network" >&2; exit 1;; esac
echo built > "$2"; chmod +x "$2"
"""


def program(folder: Path, name: str, text: str = "there before") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment in which `go` is the fake one and the cache is empty."""
    program(tmp_path / "bin", "go", FAKE_GO)
    return {
        "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "CALLS": str(tmp_path / "calls"),
        "BREAKS": "nothing",
    }


def calls(environ: dict[str, str]) -> list[str]:
    path = Path(environ["CALLS"])
    return path.read_text().splitlines() if path.exists() else []


def test_the_cache_folder_carries_the_versions_of_go_mod() -> None:
    folder = build.cache_folder({"XDG_CACHE_HOME": "/cache"})

    assert folder == Path("/cache/pointsman/controlplane/v1.36.3-etcd3.6.16")


def test_all_programs_are_built_once_and_then_taken_from_the_cache(environ: dict[str, str]) -> None:
    first = build.provide(environ)
    second = build.provide(environ)

    assert first == second
    assert first.kubectl == build.cache_folder(environ) / "kubectl"
    assert len(calls(environ)) == len(build.PROGRAMS) == 5


def test_only_what_is_missing_is_built(environ: dict[str, str], tmp_path: Path) -> None:
    assets = tmp_path / "assets"
    for name in ("etcd", "kube-apiserver", "kubectl"):
        program(assets, name)
    cached = program(build.cache_folder(environ), "kube-scheduler")

    found = build.provide({**environ, "KUBEBUILDER_ASSETS": str(assets)})

    assert (found.etcd, found.kube_apiserver, found.kubectl) == (
        assets / "etcd",
        assets / "kube-apiserver",
        assets / "kubectl",
    )
    assert found.kube_scheduler == cached
    assert [call.rsplit("/", 1)[1] for call in calls(environ)] == ["kube-controller-manager"]


def test_a_given_program_wins_over_the_cache(environ: dict[str, str], tmp_path: Path) -> None:
    program(build.cache_folder(environ), "etcd")
    given = program(tmp_path / "assets", "etcd")

    assert build.find({**environ, "KUBEBUILDER_ASSETS": str(given.parent)})["etcd"] == given


def test_a_build_is_static_reproducible_and_stamped_with_the_version(environ: dict[str, str]) -> None:
    build.provide(environ)

    [call] = [call for call in calls(environ) if call.endswith("/kubectl")]
    assert call.startswith(f"{ROOT / 'tests/controlplane/kubernetes'} 0 build -trimpath ")
    for stamp in ("gitVersion=v1.36.3", "gitMajor=1", "gitMinor=36", "gitTreeState=clean"):
        assert f"-X k8s.io/component-base/version.{stamp}" in call


def test_a_failed_build_says_what_failed_and_leaves_nothing_half_made(environ: dict[str, str]) -> None:
    environ["BREAKS"] = "kube-scheduler"

    with pytest.raises(Unavailable, match=r"(?s)cmd/kube-scheduler failed.*no network"):
        build.provide(environ)

    left = {path.name for path in build.cache_folder(environ).iterdir()}
    assert left == {".lock", "kube-apiserver", "kube-controller-manager"}


def test_without_go_one_sentence_says_what_to_do(environ: dict[str, str], tmp_path: Path) -> None:
    program(build.cache_folder(environ), "etcd")

    with pytest.raises(Unavailable) as caught:
        build.provide({**environ, "PATH": str(tmp_path / "empty")})

    assert str(caught.value) == (
        "no kube-apiserver, kube-controller-manager, kube-scheduler, kubectl: install Go 1.26 or newer and run"
        " `make controlplane`, or set KUBEBUILDER_ASSETS to a folder that has them"
    )


@pytest.mark.parametrize(
    ("required", "code", "ending"),
    [
        pytest.param("", 0, "controlplane: 1 tests skipped: no kube-apiserver, ", id="else the tests are skipped"),
        pytest.param("1", 4, "ERROR: POINTSMAN_REQUIRE_CONTROLPLANE=1, but no kube-apiserver, ", id="CI gets an error"),
    ],
)
def test_a_test_run_without_the_programs(tmp_path: Path, required: str, code: int, ending: str) -> None:
    environ = {"PATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path), "POINTSMAN_REQUIRE_CONTROLPLANE": required}
    test = "tests/controlplane/test_control_plane.py::test_two_control_planes_do_not_meet"

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test],
        cwd=ROOT,
        env={"HOME": os.environ["HOME"], **environ},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == code, done.stdout + done.stderr
    assert [line for line in (done.stdout + done.stderr).splitlines() if line.startswith(ending)]
