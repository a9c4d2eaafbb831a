"""All profiles by name, as far as they must know of each other.

It is filled by a list before the first reconcile, kept by events, and filled anew by each resync: the younger of two
profiles with one schedulerName must not take it for free because the older one has not been heard of yet.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pointsman.controller.plan.profile import Sibling, sibling

Wake = Callable[[str], None]


class Roster:
    """Profiles by name. `wake` is called with those that share a schedulerName with one that came or went."""

    def __init__(self, wake: Wake) -> None:
        self._wake = wake
        self._known: dict[str, Sibling] = {}

    def fill(self, bodies: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
        """Take over a complete list; returns all names, also those that are gone."""
        before, self._known = self._known, {body["metadata"]["name"]: sibling(body) for body in bodies}
        return tuple({**before, **self._known})

    def see(self, body: Mapping[str, Any], *, gone: bool) -> None:
        """Take in one profile, or that it is gone."""
        this = sibling(body)
        before = self._known.pop(this.name, None)
        if not gone:
            self._known[this.name] = this
        if before != self._known.get(this.name):
            for other in self.others(this.name, this.scheduler_name):
                self._wake(other.name)

    def others(self, name: str, scheduler_name: str) -> tuple[Sibling, ...]:
        """The other profiles with that schedulerName; none if it is empty."""
        return tuple(
            other
            for other in self._known.values()
            if scheduler_name and other.scheduler_name == scheduler_name and other.name != name
        )

    def names(self) -> tuple[str, ...]:
        """All profiles that are known."""
        return tuple(self._known)
