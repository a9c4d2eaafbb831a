"""Host ports in use, by port and row.

Few pods use host ports and few rows hold the same one, except for what a DaemonSet opens everywhere; so users are kept
per port and row, and a column is made only when a pod that wants the port asks.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from pointsman.policy.pod import HostPort
from pointsman.policy.view import IntArray


class HostPorts:
    """How many pods on each row use which host port."""

    def __init__(self) -> None:
        self._users: dict[HostPort, dict[int, int]] = {}
        self._addresses: dict[tuple[str, int], dict[HostPort, None]] = {}

    def charge(self, row: int, ports: Iterable[HostPort]) -> None:
        """Count one pod's ports on a row; a port that it names twice counts once."""
        for port in set(ports):
            users = self._users.get(port)
            if users is None:
                users = self._users[port] = {}
                self._addresses.setdefault((port.protocol, port.port), {})[port] = None
            users[row] = users.get(row, 0) + 1

    def discharge(self, row: int, ports: Iterable[HostPort]) -> None:
        """Undo `charge` of the same ports."""
        for port in set(ports):
            users = self._users[port]
            users[row] -= 1
            if not users[row]:
                del users[row]
            if not users:
                self._forget(port)

    def users(self, port: HostPort, capacity: int) -> IntArray:
        """int64 (capacity,): pods on each row with exactly this port."""
        counts = np.zeros(capacity, np.int64)
        users = self._users.get(port)
        if users:
            rows = np.fromiter(users.keys(), np.intp, len(users))
            counts[rows] = np.fromiter(users.values(), np.int64, len(users))
        return counts

    def used(self, protocol: str, port: int) -> Sequence[HostPort]:
        """Every address on which somebody uses this protocol and number."""
        return tuple(self._addresses.get((protocol, port), ()))

    def _forget(self, port: HostPort) -> None:
        del self._users[port]
        key = (port.protocol, port.port)
        addresses = self._addresses[key]
        del addresses[port]
        if not addresses:
            del self._addresses[key]
