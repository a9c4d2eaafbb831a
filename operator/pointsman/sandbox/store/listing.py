"""Lists as bytes: the objects' own encodings, joined; in pages when a client asks for them."""

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from pointsman.sandbox.store.errors import bad_request
from pointsman.sandbox.store.kinds import Kind
from pointsman.sandbox.store.selectors import Matcher
from pointsman.sandbox.store.stored import Stored


class _Token(msgspec.Struct):
    version: int
    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Listing:
    """Objects, and the resourceVersion to watch from. With `continue_token` there are `remaining` more."""

    items: list[Stored]
    resource_version: int
    continue_token: str = ""
    remaining: int = 0

    def encode(self, kind: Kind) -> bytes:
        """As the kind's list object."""
        metadata: dict[str, str | int] = {"resourceVersion": str(self.resource_version)}
        if self.continue_token:
            metadata |= {"continue": self.continue_token, "remainingItemCount": self.remaining}
        list_kind = kind.list_kind or f"{kind.kind}List"
        head = msgspec.json.encode({"kind": list_kind, "apiVersion": kind.api_version, "metadata": metadata})
        return b"".join((head[:-1], b',"items":[', b",".join([one.encoded for one in self.items]), b"]}\n"))


def page(
    stored: Iterable[Stored], matches: Matcher | None, version: int, *, limit: int, continue_token: str
) -> Listing:
    """The matching objects, or one page of them.

    Later pages keep the first one's version and show objects as they are now: a watch from that version tells what
    changed in between, so nothing is missed. Raises Refused (400) for a token that is none of ours.
    """
    found = list(stored) if matches is None else [one for one in stored if matches(one.object)]
    if continue_token:
        token = _read(continue_token)
        version = token.version
        found = [one for one in found if (one.namespace, one.name) > (token.namespace, token.name)]
    if not limit or len(found) <= limit:
        return Listing(found, version)
    last = found[limit - 1]
    token = _Token(version, last.namespace, last.name)
    written = base64.urlsafe_b64encode(msgspec.json.encode(token)).decode()
    return Listing(found[:limit], version, written, len(found) - limit)


def _read(text: str) -> _Token:
    try:
        return msgspec.json.decode(base64.urlsafe_b64decode(text), type=_Token)
    except (ValueError, binascii.Error, msgspec.MsgspecError):
        raise bad_request("continue key is not valid: it was not made by this server") from None
