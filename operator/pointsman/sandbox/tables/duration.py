"""Spans of time as kubectl shows them: apimachinery 1.36, pkg/util/duration/duration.go, HumanDuration."""

from datetime import datetime
from typing import Final

_UNKNOWN: Final = "<unknown>"
_MINUTE: Final = 60
_HOUR: Final = 3600


def since(timestamp: str | None, now: datetime) -> str:
    """How long ago an RFC 3339 timestamp was."""
    if not timestamp:
        return _UNKNOWN
    return human((now - moment(timestamp)).total_seconds())


def moment(timestamp: str) -> datetime:
    """Read an RFC 3339 timestamp as the API writes it."""
    return datetime.fromisoformat(timestamp)


def human(span: float) -> str:
    """A number of seconds in one unit, or two where the smaller one still matters."""
    if span <= -2:
        return "<invalid>"
    seconds = max(int(span), 0)
    if seconds < 2 * _MINUTE:
        return f"{seconds}s"
    minutes = seconds // _MINUTE
    if minutes < 180:
        return _two(minutes, "m", seconds % 60, "s") if minutes < 10 else f"{minutes}m"
    hours = seconds // _HOUR
    if hours < 48:
        return _two(hours, "h", minutes % 60, "m") if hours < 8 else f"{hours}h"
    return _days(hours)


def _days(hours: int) -> str:
    days = hours // 24
    if days < 8:
        return _two(days, "d", hours % 24, "h")
    if days < 2 * 365:
        return f"{days}d"
    if days < 8 * 365:
        return _two(days // 365, "y", days % 365, "d")
    return f"{days // 365}y"


def _two(big: int, big_unit: str, small: int, small_unit: str) -> str:
    return f"{big}{big_unit}{small}{small_unit}" if small else f"{big}{big_unit}"
