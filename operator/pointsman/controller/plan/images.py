"""Which images may run as engines: an allow-list that an administrator keeps, compared exactly.

An engine may bind any pod to any node, so its image is code that the cluster trusts. Whoever may write a profile is
not thereby allowed to choose that code. Nothing is matched by prefix: `registry.example.com/engine` does not allow
`registry.example.com/engine-of-somebody-else`. What cannot be parsed, allows nothing and is not allowed.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Self

_HOST: Final = r"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?(?::[0-9]{1,5})?"
_SEGMENT: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_REFERENCE: Final = re.compile(
    rf"(?P<name>(?:{_HOST}/)?{_SEGMENT}(?:/{_SEGMENT})*)"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(?P<digest>sha256:[0-9a-f]{64}))?",
    re.ASCII,
)
_DOCKER: Final = "docker.io"
_MAX_LENGTH: Final = 512


@dataclass(frozen=True, slots=True)
class Reference:
    """An image reference, normalised: `nginx` is `docker.io/library/nginx`. Empty tag and digest mean `latest`."""

    repository: str
    tag: str = ""
    digest: str = ""


def parse(text: str) -> Reference | None:
    """Read an image reference; None when it is not one (upper case in the repository, a short digest, a space)."""
    match = _REFERENCE.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    if match is None:
        return None
    host, _, path = match["name"].partition("/")
    if not path or not ("." in host or ":" in host or host == "localhost"):
        host, path = _DOCKER, match["name"]
    if host in {_DOCKER, "index.docker.io"}:
        host, path = _DOCKER, path if "/" in path else f"library/{path}"
    return Reference(f"{host}/{path}", match["tag"] or "", match["digest"] or "")


@dataclass(frozen=True, slots=True)
class AllowedImages:
    """The allow-list. `own` is the operator's own image, which is always allowed; `anything` is for a workstation.

    `source` is the ConfigMap that holds the list, as `namespace/name`: messages name it.
    """

    own: str
    source: str
    entries: frozenset[Reference] = frozenset()
    anything: bool = False

    def allows(self, image: str) -> bool:
        """Whether an engine may run this image.

        An entry without tag and digest allows the whole repository, one with a digest that content under any tag, one
        with a tag that tag alone: an image that also has a digest is decided by the digest, as the kubelet does.
        """
        if image == self.own:
            return True
        wanted = parse(image)
        if wanted is None or self.anything:
            return wanted is not None
        exact = Reference(wanted.repository, digest=wanted.digest) if wanted.digest else _tagged(wanted)
        return Reference(wanted.repository) in self.entries or exact in self.entries

    def with_list(self, text: str) -> Self:
        """The same with another list: one reference a line; blank lines and what cannot be parsed allow nothing."""
        return replace(self, entries=frozenset(_entries(text.split("\n"))))


def _entries(lines: Iterable[str]) -> Iterable[Reference]:
    for line in lines:
        entry = parse(line.strip())
        if entry is not None:
            yield Reference(entry.repository, digest=entry.digest) if entry.digest else entry


def _tagged(reference: Reference) -> Reference:
    return reference if reference.tag else Reference(reference.repository, tag="latest")
