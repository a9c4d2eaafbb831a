"""Becomes a container's program, after telling the kernel to kill it when the agent dies.

Run as a file by `process.py`: `launcher.py AGENT_PID PROGRAM [ARGUMENT…]`, in the program's own environment. It stands
alone (no import of the package), because the interpreter is started with -I -S to be quick.

Under Linux the parent-death signal is set here, between fork and exec, where `subprocess` has no safe hook for it. It
survives the exec of an ordinary program, and is not inherited: what the program itself starts ends with its process
group when the agent stops it, but outlives an agent that was killed. Elsewhere there is no such signal, and processes
outlive a killed agent.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1  # include/uapi/linux/prctl.h


def main(agent: int, argv: list[str]) -> None:
    """Never returns."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != agent:
        os._exit(1)  # the agent died before the signal was set
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - to run this program is what the image map says
    except OSError as error:
        fail(f"cannot run {argv[0]}: {error.strerror}\n", 127 if isinstance(error, FileNotFoundError) else 126)


def fail(text: str, code: int) -> None:
    """Leaves the reason in the log and in the termination message. Never returns."""
    sys.stderr.write(text)
    path = os.environ.get("TERMINATION_MESSAGE_PATH")
    if path:
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes longer to load than all the rest
            file.write(text)
    sys.exit(code)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
