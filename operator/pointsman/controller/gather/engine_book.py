"""All engines of the fleet, mirrored: which pods run, by profile."""

from collections.abc import Callable, Sequence

from pointsman.api.names import PROFILE_LABEL
from pointsman.controller.plan.engines import Engine, EnginePod, engine
from pointsman.kube.reflector import EventType, WatchEvent

Wake = Callable[[str], None]


class EngineBook:
    """Engines by profile. Pods that are being deleted are not engines any more: they only finish what they began.

    `wake` is called with a profile's name when something changed that a plan looks at.
    """

    def __init__(self, wake: Wake) -> None:
        self._wake = wake
        self._engines: dict[str, dict[str, Engine]] = {}

    def on_events(self, events: Sequence[WatchEvent[EnginePod]]) -> None:
        """Take in what a reflector saw."""
        for event in events:
            metadata = event.object.metadata
            profile = metadata.labels.get(PROFILE_LABEL, "")
            if not profile:
                continue
            engines = self._engines.setdefault(profile, {})
            before = engines.get(metadata.name)
            if event.type is EventType.DELETED or metadata.deletion_timestamp is not None:
                engines.pop(metadata.name, None)
            else:
                engines[metadata.name] = engine(event.object)
            if engines.get(metadata.name) != before:
                self._wake(profile)
            if not engines:
                del self._engines[profile]

    def of(self, profile: str) -> tuple[Engine, ...]:
        """A profile's engines."""
        return tuple(self._engines.get(profile, {}).values())
