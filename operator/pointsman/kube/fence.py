"""The last look before a write leaves: is the caller still allowed to make it?

A Lease is no fence by itself: a process may be stopped between the look at its Lease and the write, for as long as it
takes another to become the holder. The gap cannot be closed from this side of the wire, but it can be kept to what lies
between two lines of code: the fence is asked when the connection stands, the headers are made, and nothing but the body
is left to be handed to the socket. Headers wait for the body, so a write that is held back sends nothing.
"""

from collections.abc import Callable

from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import BytesPayload


class Withheld(Exception):
    """The fence said no; raised inside aiohttp, which wraps it."""


class FencedBody(BytesPayload):
    """A request body that is written only if `may_send` says so at that moment; `withheld` tells if it did not."""

    def __init__(self, body: bytes, may_send: Callable[[], bool]) -> None:
        super().__init__(body)
        self._may_send = may_send
        self.withheld = False

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        """Write the body, or raise Withheld, which makes aiohttp drop the connection."""
        if not self._may_send():
            self.withheld = True
            raise Withheld
        await super().write_with_length(writer, content_length)
