"""The work directory: one agent's alone, because an agent removes what it does not know."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class WorkDirTaken(Exception):
    """Another agent uses the directory."""


@contextmanager
def claimed(work_dir: Path) -> Iterator[None]:
    """Makes the directory and keeps it ours. Raises WorkDirTaken, and OSError where it cannot be made."""
    work_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(work_dir / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise WorkDirTaken(
                f"{work_dir} is in use by another node agent: give each a --work-dir of its own"
            ) from None
        yield
    finally:
        os.close(descriptor)
