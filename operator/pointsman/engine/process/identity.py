"""Who an engine is: the pod that it runs in, the Lease that it competes for, its release."""

import re
from dataclasses import dataclass

_LEASE = re.compile(r"([a-z0-9]([-a-z0-9]*[a-z0-9])?)/([a-z0-9]([-a-z0-9.]*[a-z0-9])?)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Identity:
    """`pod_name` is the Lease's holderIdentity, so that a restarted container goes on at once."""

    pod_name: str
    lease_namespace: str
    lease_name: str
    version: str


def parse_lease(text: str) -> tuple[str, str]:
    """Read `NAMESPACE/NAME`; ValueError says what is wrong with it."""
    match = _LEASE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not NAMESPACE/NAME of a Lease")
    return match[1], match[3]
