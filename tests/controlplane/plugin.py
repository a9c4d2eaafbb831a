"""Pytest's view of the control plane: fixtures, and what happens where it cannot run.

A test that uses one of the fixtures gets the marker `controlplane` by itself. Programs that are missing are built
after collection, where no test's time limit runs. Where they cannot be built those tests are skipped, with one line at
the end that says why; POINTSMAN_REQUIRE_CONTROLPLANE=1 makes that an error, so that CI cannot be green without them.
"""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.controlplane.build import Binaries, provide
from tests.controlplane.gomodule import Unavailable
from tests.controlplane.plane import ControlPlane
from tests.controlplane.server import running

REQUIRED = "POINTSMAN_REQUIRE_CONTROLPLANE"
MARKER = "controlplane"

StartControlPlane = Callable[..., ControlPlane]

_binaries = pytest.StashKey[Binaries]()
_skipped = pytest.StashKey[str]()


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need the control plane, however indirectly."""
    for item in items:
        if "controlplane_binaries" in getattr(item, "fixturenames", ()):
            item.add_marker(MARKER)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Have the programs ready, or skip the tests that need them."""
    wanting = [item for item in session.items if item.get_closest_marker(MARKER)]
    if not wanting or session.config.option.collectonly:
        return
    try:
        session.config.stash[_binaries] = provide(say=_say(session.config))
    except Unavailable as error:
        if os.environ.get(REQUIRED) == "1":
            raise pytest.UsageError(f"{REQUIRED}=1, but {error}") from None
        session.config.stash[_skipped] = f"{len(wanting)} tests skipped: {error}"
        for item in wanting:
            item.add_marker(pytest.mark.skip(reason="no control plane"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """One line for all tests that were skipped."""
    if line := config.stash.get(_skipped, ""):
        terminalreporter.write_line(f"{MARKER}: {line}", yellow=True)


@pytest.fixture(scope="session")
def controlplane_binaries(pytestconfig: pytest.Config) -> Binaries:
    """The programs, for whoever starts a control plane by `server.running`."""
    return pytestconfig.stash[_binaries]


@pytest.fixture(scope="session")
def control_plane(controlplane_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The one control plane that tests share, without a scheduler. Work in a namespace of your own."""
    with running(tmp_path_factory.mktemp("controlplane"), controlplane_binaries) as plane:
        yield plane


@pytest.fixture
def start_control_plane(controlplane_binaries: Binaries, tmp_path: Path) -> Iterator[StartControlPlane]:
    """Starts a control plane for this test alone; `scheduler=True` adds the stock kube-scheduler."""
    with ExitStack() as stack:

        def start(*, scheduler: bool = False) -> ControlPlane:
            folder = tmp_path / f"controlplane-{uuid.uuid4().hex[:8]}"
            folder.mkdir()
            return stack.enter_context(running(folder, controlplane_binaries, scheduler=scheduler))

        yield start


@pytest.fixture
def namespace(control_plane: ControlPlane) -> Iterator[str]:
    """A namespace of this test's own on the shared control plane."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    control_plane.kubectl("create", "namespace", name)
    control_plane.kubectl("wait", "--for=create", "serviceaccount/default", "--namespace", name, "--timeout=30s")
    yield name
    control_plane.kubectl("delete", "namespace", name, "--wait=false")


def _say(config: pytest.Config) -> Callable[[str], None]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return lambda line: reporter.write_line(f"{MARKER}: {line}") if reporter else None
