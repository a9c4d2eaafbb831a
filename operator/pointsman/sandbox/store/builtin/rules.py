"""Rules of a built-in kind, put together of plain functions."""

from collections.abc import Callable
from dataclasses import dataclass

from pointsman.sandbox.store.errors import Cause
from pointsman.sandbox.store.kinds import Object

Default = Callable[[Object], Object]
Check = Callable[[Object, Object | None], list[Cause]]


def _as_it_is(obj: Object) -> Object:
    return obj


@dataclass(frozen=True, slots=True)
class BuiltinRules:
    """`defaults` fills in what is absent on every write, `admission` runs once on a new object."""

    defaults: Default = _as_it_is
    admission: Default = _as_it_is
    checks: tuple[Check, ...] = ()

    def default(self, obj: Object, _old: Object | None) -> Object:
        """With defaults."""
        return self.defaults(obj)

    def admit(self, obj: Object) -> Object:
        """With what admission adds to a new one."""
        return self.admission(obj)

    def validate(self, obj: Object, old: Object | None, subresource: str) -> list[Cause]:
        """Faults of the object; a status is not looked at."""
        if subresource == "status":
            return []
        return [cause for check in self.checks for cause in check(obj, old)]
