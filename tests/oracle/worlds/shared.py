"""What all worlds of a run share: namespaces, and the classes that give pods their priority and overhead."""

from typing import Final

from tests.oracle.things import PRIORITY_CLASSES, RUNTIME_CLASSES, Thing, thing

NAMESPACES: Final = ("default", "team-a", "team-b", "team-c")
PRIORITIES: Final = {"lowest": -100, "low": 0, "middle": 100, "high": 1000, "highest": 1_000_000}
NEVER: Final = "patient"  # of high priority, but never preempts
RUNTIMES: Final = ("sandboxed", "thin")


def shared() -> list[Thing]:
    """Objects that are made once."""
    classes = [
        thing(PRIORITY_CLASSES, {"metadata": {"name": name}, "value": value}) for name, value in PRIORITIES.items()
    ]
    patient = {"metadata": {"name": NEVER}, "value": 1000, "preemptionPolicy": "Never"}
    overheads = ({"cpu": "250m", "memory": "120Mi"}, {"memory": "64Mi"})
    runtimes = [
        thing(
            RUNTIME_CLASSES,
            {"metadata": {"name": name}, "handler": name, "overhead": {"podFixed": overhead}},
        )
        for name, overhead in zip(RUNTIMES, overheads, strict=True)
    ]
    return [*classes, thing(PRIORITY_CLASSES, patient), *runtimes]
