"""A container's last words: from the file that its process wrote, or from the end of its log."""

import os
from pathlib import Path
from typing import Final

# pkg/kubelet/container/runtime.go, 1.36
_MESSAGE_BYTES: Final = 4096
_LOG_BYTES: Final = 2048
_LOG_LINES: Final = 80


def termination_message(file: Path, log: Path, policy: str, exit_code: int) -> str:
    """The beginning of the file; with FallbackToLogsOnError, no file and a failure, the end of the log."""
    words = _head(file)
    if not words and policy == "FallbackToLogsOnError" and exit_code:
        words = _tail(log)
    return words.decode(errors="replace")


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MESSAGE_BYTES)
    except OSError:
        return b""


def _tail(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LOG_BYTES))
            return b"".join(file.readlines()[-_LOG_LINES:])
    except OSError:
        return b""
