"""Addresses for pods and nodes, from 127.64.0.0/10. Pure.

Under Linux every address of 127.0.0.0/8 is this machine's, so each pod can listen on one of its own and two engines
can both have port 8080. Elsewhere only 127.0.0.1 is: pods get these addresses all the same, but a program can listen
on its own only after `ifconfig lo0 alias`. The API server takes such an address as a podIP.

Several agents may run on one machine. They do not know of each other, so each starts at a place of its own, given by
the caller at random; with four million addresses they do not meet.
"""

from ipaddress import IPv4Address, IPv4Network

NODES = IPv4Network("127.127.0.0/16")
_FIRST_POD = int(IPv4Address("127.64.0.1"))
_PODS = int(NODES.network_address) - _FIRST_POD


class AddressesExhausted(Exception):
    """Every address is taken."""


class AddressPool:
    """Hands out addresses one after the other, around in a circle, so that one just released is not soon reused."""

    def __init__(self, first: int, count: int, start: int) -> None:
        self._first = first
        self._count = count
        self._next = start % count
        self._taken: set[str] = set()

    def take(self) -> str:
        """A free address. Raises AddressesExhausted."""
        for step in range(self._count):
            offset = (self._next + step) % self._count
            address = str(IPv4Address(self._first + offset))
            if address not in self._taken:
                self._next = offset + 1
                self._taken.add(address)
                return address
        raise AddressesExhausted(f"all {self._count} addresses from {IPv4Address(self._first)} on are taken")

    def hold(self, address: str) -> None:
        """Marks an address that a pod has already."""
        self._taken.add(address)

    def release(self, address: str) -> None:
        """Gives an address back; one that is not taken is no fault."""
        self._taken.discard(address)


def pod_addresses(start: int) -> AddressPool:
    """127.64.0.1 to 127.126.255.255, beginning `start` addresses in."""
    return AddressPool(_FIRST_POD, _PODS, start)


def node_addresses(start: int) -> AddressPool:
    """127.127.0.0/16, beginning `start` addresses in."""
    return AddressPool(int(NODES.network_address), NODES.num_addresses, start)
