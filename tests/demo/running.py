"""A demo as a process, with a place of its own for what it leaves on the disk, and a look at what it leaves running."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 150


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "pointsman", "demo", *options]


def environment(folder: Path) -> dict[str, str]:
    """The temporary folder is `folder`, so that all that belongs to the demo has it in its environment."""
    return {**os.environ, "TMPDIR": str(folder), "HOME": str(folder)}


@contextmanager
def demo(folder: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """A running demo; it is killed if the block leaves it running."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(command(*options), env=environment(folder), stdout=pipe, stderr=pipe, text=True)
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def read_until(process: "subprocess.Popen[str]", word: str) -> str:
    """What the demo says on stdout up to a line that has the word."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if word in line:
            return said
    raise AssertionError(f"the demo ended without {word!r}: {said}{process.stderr.read() if process.stderr else ''}")


def processes_of(folder: Path) -> list[str]:
    """Command lines of processes whose environment names the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue  # gone meanwhile, or somebody else's
    return found
