"""How every Pointsman process logs: text for a person at a terminal, JSON lines for everything else.

A line tells time, level, logger and message, and of `profile`, `pod` and `node` what is known. Standard library only,
so that any process can use it before anything else is imported. Secrets and whole objects are never logged; that is
the business of whoever writes the message.
"""

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, TextIO

LEVELS: Final[Mapping[str, int]] = {
    "Debug": logging.DEBUG,
    "Info": logging.INFO,
    "Warning": logging.WARNING,
    "Error": logging.ERROR,
}
_DOWNWARDS: Final = ("Error", "Warning", "Info", "Debug")
FIELDS: Final = ("profile", "pod", "node")  # what a record may carry in `extra`
_NOISY: Final = ("aiohttp.access", "asyncio")  # at Info they tell of every request and selector


class LogFormat(StrEnum):
    """`auto` means text on a terminal, JSON otherwise."""

    AUTO = "auto"
    TEXT = "text"
    JSON = "json"


def setup(
    log_format: LogFormat = LogFormat.AUTO,
    level: str = "Info",
    *,
    stream: TextIO | None = None,
    context: Mapping[str, str] | None = None,
) -> None:
    """Replace the root logger's handlers. `level` is one of LEVELS; `context` fills fields that a record leaves out.

    Raises KeyError for a level that does not exist.
    """
    target = sys.stderr if stream is None else stream
    text = log_format is LogFormat.TEXT or (log_format is LogFormat.AUTO and target.isatty())
    handler = logging.StreamHandler(target)
    handler.setFormatter((TextFormatter if text else JsonFormatter)(context or {}))
    logging.basicConfig(handlers=[handler], level=LEVELS[level], force=True)
    for name in _NOISY:
        logging.getLogger(name).setLevel(max(LEVELS[level], logging.WARNING))


class _Formatter(logging.Formatter):
    def __init__(self, context: Mapping[str, str]) -> None:
        super().__init__()
        self._context = dict(context)

    def _fields(self, record: logging.LogRecord) -> dict[str, str]:
        told = {name: getattr(record, name, None) or self._context.get(name) for name in FIELDS}
        return {name: str(value) for name, value in told.items() if value}

    def _trace(self, record: logging.LogRecord) -> str:
        return self.formatException(record.exc_info) if record.exc_info else ""


class JsonFormatter(_Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": _time(record, "microseconds"),
            "level": level_name(record.levelno),
            "logger": record.name,
            "message": record.getMessage(),
            **self._fields(record),
        }
        if trace := self._trace(record):
            entry["trace"] = trace
        return json.dumps(entry, ensure_ascii=False)


class TextFormatter(_Formatter):
    """One readable line, then the trace of a fault if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={value}" for name, value in self._fields(record).items())
        line = f"{_time(record, 'milliseconds')} {level_name(record.levelno):<7} {record.name}: {record.getMessage()}"
        trace = self._trace(record)
        return f"{line}{fields}" + (f"\n{trace}" if trace else "")


def level_name(number: int) -> str:
    """Our word for a level of the logging module: the highest of LEVELS that it reaches."""
    return next((name for name in _DOWNWARDS if number >= LEVELS[name]), "Debug")


def _time(record: logging.LogRecord, precision: str) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec=precision).replace("+00:00", "Z")
