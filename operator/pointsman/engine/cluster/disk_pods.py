"""Pods that mount disks without a claim, by row: there are few of them, and only they can be in each other's way."""

from collections.abc import Mapping

from pointsman.policy.pod import PodInfo
from pointsman.policy.view import Pods
from pointsman.policy.volumes.disks import disks_of


class DiskPods:
    """Pods by row and uid."""

    def __init__(self) -> None:
        self._on: dict[int, dict[str, PodInfo]] = {}

    def charge(self, row: int, pod: PodInfo) -> None:
        """A pod runs on the row."""
        if disks_of(pod.pod):
            self._on.setdefault(row, {})[pod.uid] = pod

    def discharge(self, row: int, pod: PodInfo) -> None:
        """Undo `charge`."""
        pods = self._on.get(row)
        if pods is not None:
            pods.pop(pod.uid, None)
            if not pods:
                del self._on[row]

    def by_row(self) -> Mapping[int, Pods]:
        """The rows that have any, and their pods."""
        return {row: tuple(pods.values()) for row, pods in self._on.items()}
