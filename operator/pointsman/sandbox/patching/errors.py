"""What a patch can be refused for."""


class PatchError(Exception):
    """The patch cannot be done; `code` is the HTTP status that says so: 400 (senseless) or 422 (does not fit)."""

    def __init__(self, message: str, code: int = 400, reason: str = "BadRequest") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason
