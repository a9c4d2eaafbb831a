"""What can go wrong at the API door.

    ApiError                 the server answered with a status of 400 or more
    ├── NotFound             404
    ├── Conflict             409 (also AlreadyExists)
    ├── Gone                 410: a resourceVersion is too old
    ├── Unauthorized         401
    ├── Forbidden            403
    ├── Invalid              422
    └── TooManyRequests      429, with the seconds to wait
    Unreachable              no answer: connection refused, reset, timed out
    NotSent                  the caller's fence held the call back: it was never made

Texts are cut, because they end in logs, events and conditions.
"""

MAX_MESSAGE = 512


class KubeError(Exception):
    """Base of everything that this package raises on purpose."""


class Unreachable(KubeError):
    """The API server gave no answer."""


class NotSent(KubeError):
    """The call was held back by the caller's own fence; the server never saw it."""


class ApiError(KubeError):
    """The API server refused a call."""

    def __init__(self, status: int, reason: str, message: str, retry_after: float = 0.0) -> None:
        super().__init__(message[:MAX_MESSAGE] or reason or str(status))
        self.status = status
        self.reason = reason
        self.message = message[:MAX_MESSAGE]
        self.retry_after = retry_after


class NotFound(ApiError):
    """404."""


class Conflict(ApiError):
    """409: another writer was faster, or the object exists already."""


class Gone(ApiError):
    """410: the resourceVersion is no longer served."""


class Unauthorized(ApiError):
    """401."""


class Forbidden(ApiError):
    """403."""


class Invalid(ApiError):
    """422."""


class TooManyRequests(ApiError):
    """429; `retry_after` holds the seconds to wait."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    422: Invalid,
    429: TooManyRequests,
}


def api_error(status: int, reason: str, message: str, retry_after: float = 0.0) -> ApiError:
    """The exception of the class that belongs to an HTTP status."""
    return _BY_STATUS.get(status, ApiError)(status, reason, message, retry_after)
