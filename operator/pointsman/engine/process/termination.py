"""The last words of a container, where the kubelet looks for them.

The kubelet shows what a container wrote to its termination log as the `message` of its terminated state; the operator
quotes that in the profile's status.
"""

from collections.abc import Mapping
from pathlib import Path

DEFAULT_PATH = "/dev/termination-log"
PATH_VARIABLE = "TERMINATION_MESSAGE_PATH"
MAX_BYTES = 4096  # the kubelet reads no more


def write_termination_message(message: str, environ: Mapping[str, str]) -> None:
    """Write one line to the termination log. Outside a container there is none: nothing happens then."""
    configured = environ.get(PATH_VARIABLE, "")
    path = Path(configured or DEFAULT_PATH)
    if not configured and not path.exists():
        return
    line = message.encode()[: MAX_BYTES - 1].decode(errors="ignore") + "\n"
    try:
        path.write_text(line, encoding="utf-8")
    except OSError:
        return  # stderr has the line as well
