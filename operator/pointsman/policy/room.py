"""What is free on one node, in plain integers: NodeResourcesFit's answer while preemption tries pods on it."""

from typing import Final, NamedTuple

from pointsman.policy.integers import wrapped
from pointsman.policy.view import Pods

REASON_PODS: Final = "Too many pods"


class Room(NamedTuple):
    """`asks` are names and amounts of what the pod requests, `free` how much of each is left."""

    places: int  # for pods
    asks: tuple[tuple[str, int], ...]
    free: tuple[int, ...]

    def with_pods(self, add: Pods, remove: Pods) -> "Room":
        """The room beside these pods more and fewer."""
        free = [
            int(wrapped(left - _usage(add, name) + _usage(remove, name)))
            for left, (name, _) in zip(self.free, self.asks, strict=True)
        ]
        return Room(self.places - len(add) + len(remove), self.asks, tuple(free))

    def fits(self) -> bool:
        """Whether the pod fits."""
        if self.places <= 0:
            return False
        return all(left >= amount for left, (_, amount) in zip(self.free, self.asks, strict=True))

    def reasons(self) -> tuple[str, ...]:
        """What is missing, in the words of NodeResourcesFit."""
        pairs = zip(self.free, self.asks, strict=True)
        missing = (f"Insufficient {name}" for left, (name, amount) in pairs if left < amount)
        return (*((REASON_PODS,) if self.places <= 0 else ()), *missing)


def _usage(pods: Pods, resource: str) -> int:
    return sum(pod.usage.get(resource, 0) for pod in pods)
