"""kubectl cannot tell the sandbox from a real API server: same commands, same exit codes, same words."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.build import Binaries
from tests.controlplane.plane import ControlPlane
from tests.controlplane.server import running
from tests.sandbox.both import Result, run
from tests.sandbox.plane import sandbox_plane
from tests.sandbox.script import STEPS, Step

pytestmark = pytest.mark.timeout(300)

Results = dict[str, Result]
EDITOR = "#!/bin/sh\nsed -i 's/note: hello/note: edited/' \"$1\"\n"


@pytest.fixture(scope="module")
def results(
    controlplane_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Results, Results]]:
    """What every command said on the real control plane, and on the sandbox."""
    folder = tmp_path_factory.mktemp("kubectl")
    (folder / "real").mkdir()
    with (
        running(folder / "real", controlplane_binaries, scheduler=True) as real,
        sandbox_plane(folder / "sandbox", controlplane_binaries.kubectl) as sandbox,
        pytest.MonkeyPatch.context() as patched,
    ):
        patched.setenv("PATH", str(_editor(folder)), prepend=":")
        yield _play(real), _play(sandbox)


@pytest.mark.parametrize("step", [one for one in STEPS if not one.quiet], ids=lambda one: one.id.replace(" ", "-"))
def test_a_command_says_the_same(results: tuple[Results, Results], step: Step) -> None:
    real, sandbox = results
    assert sandbox[step.id] == real[step.id]


def _play(plane: ControlPlane) -> Results:
    results: Results = {}
    for step in STEPS:
        results[step.id] = run(plane, step.arguments, step.manifest)
        assert not step.quiet or results[step.id].code == 0, (step.id, results[step.id])
    return results


def _editor(folder: Path) -> Path:
    """A folder with a `vi` that makes one change."""
    editor = folder / "bin" / "vi"
    editor.parent.mkdir()
    editor.write_text(EDITOR)
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    return editor.parent
