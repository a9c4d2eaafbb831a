"""What happens with tests whose programs must be built first.

A test that uses the fixture gets the marker by itself. Programs that are missing are built after collection, where no
test's time limit runs. Where they cannot be built those tests are skipped, with one line at the end that says why;
POINTSMAN_REQUIRE_CONTROLPLANE=1 makes that an error, so that CI cannot be green without them.
"""

import os
from collections.abc import Callable
from typing import Generic, TypeVar

import pytest

from tests.controlplane.gomodule import Say, Unavailable

T = TypeVar("T")

REQUIRED = "POINTSMAN_REQUIRE_CONTROLPLANE"


class Need(Generic[T]):
    """A plugin of pytest that provides what one fixture hands out."""

    def __init__(self, marker: str, fixture: str, provide: Callable[[Say], T]) -> None:
        self._marker = marker
        self._fixture = fixture
        self._provide = provide
        self._skipped = ""
        self.provided: T  # once tests run, for none of those that run without it uses the fixture

    @pytest.hookimpl(tryfirst=True)  # before `-m` selects
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Mark the tests that need the programs, however indirectly."""
        for item in items:
            if self._fixture in getattr(item, "fixturenames", ()):
                item.add_marker(self._marker)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Have the programs ready, or skip the tests that need them."""
        wanting = [item for item in session.items if item.get_closest_marker(self._marker)]
        if not wanting or session.config.option.collectonly:
            return
        try:
            self.provided = self._provide(self._say(session.config))
        except Unavailable as error:
            if os.environ.get(REQUIRED) == "1":
                raise pytest.UsageError(f"{REQUIRED}=1, but {error}") from None
            self._skipped = f"{len(wanting)} tests skipped: {error}"
            for item in wanting:
                item.add_marker(pytest.mark.skip(reason=f"no {self._marker}"))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """One line for all tests that were skipped."""
        if self._skipped:
            terminalreporter.write_line(f"{self._marker}: {self._skipped}", yellow=True)

    def _say(self, config: pytest.Config) -> Say:
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        return lambda line: reporter.write_line(f"{self._marker}: {line}") if reporter else None
