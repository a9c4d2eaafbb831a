"""Start and stop of a whole control plane.

`running` is the door: a context manager that yields a ControlPlane which is ready to use (default namespace and its
ServiceAccount are there) and that leaves no process behind. Ports are reserved by a socket that stays bound while the
program starts and shares it, so that no other process gets them in between.
"""

import shutil
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from tests.controlplane import commands, files
from tests.controlplane.build import Binaries
from tests.controlplane.plane import ControlPlane
from tests.controlplane.process import Process, start
from tests.controlplane.wait import INTERVAL_SECONDS

START_SECONDS = 45.0  # below the time limit of a test, so that the logs are shown


class StartFailed(Exception):
    """A program of the control plane ended or did not become ready; the message shows the ends of the logs."""


@contextmanager
def running(
    folder: Path, binaries: Binaries, *, scheduler: bool = False, bare: bool = False, state: Path | None = None
) -> Iterator[ControlPlane]:
    """A control plane that lives as long as the `with` block, in an empty `folder` that keeps its logs.

    `scheduler` adds the stock kube-scheduler; without it pods stay unbound until a test binds them. `bare` leaves out
    the controllers, the admission that counts on them, and the audit log: nothing happens there but what a test does
    itself. `state` is the etcd folder of an earlier one that ended in good order, to start from a copy of.
    """
    with ExitStack() as stack:
        etcd_port, port = (stack.enter_context(_reserved_port()) for _ in range(2))
        made = files.write(folder, f"https://127.0.0.1:{port}")
        stack.callback(shutil.rmtree, made.etcd_data, ignore_errors=True)
        if state is not None:
            shutil.copytree(state, made.etcd_data)
        processes: list[Process] = []

        def launch(command: list[str]) -> None:
            process = start(command, folder / f"{Path(command[0]).name}.log")
            stack.callback(process.kill)
            processes.append(process)

        launch(commands.etcd(binaries, made, etcd_port))
        admission_off = commands.ADMISSION_OFF_BARE if bare else commands.ADMISSION_OFF
        launch(commands.apiserver(binaries, made, port, etcd_port, admission_off, audit=not bare))
        admin = made.tokens[files.ADMIN[0]]
        _await(partial(_answers, made, "/readyz", admin), "kube-apiserver to be ready", processes)
        if not bare:
            launch(commands.controller_manager(binaries, made))
        if scheduler:
            launch(commands.scheduler(binaries, made))
        for path in () if bare else ("serviceaccounts/default", "configmaps/kube-root-ca.crt"):
            ready = partial(_answers, made, f"/api/v1/namespaces/default/{path}", admin)
            _await(ready, f"kube-controller-manager to make {path}", processes)
        yield ControlPlane(
            url=made.url,
            folder=folder,
            kubeconfig=made.kubeconfig(files.ADMIN[0]),
            ca=made.ca,
            token=admin,
            audit_log=made.audit_log,
            kubectl_path=binaries.kubectl,
            processes=tuple(processes),
        )


@contextmanager
def _reserved_port() -> Iterator[int]:
    """A free port of 127.0.0.1 that only sockets with SO_REUSEPORT may share; ours never listens."""
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


def _answers(made: files.Files, path: str, token: str) -> bool:
    """Whether a GET of the path succeeds now."""
    if not made.ca.exists():
        return False
    request = urllib.request.Request(made.url + path, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, context=ssl.create_default_context(cafile=made.ca), timeout=5):
            return True
    except urllib.error.HTTPError as error:
        error.close()
        return False
    except OSError:
        return False


def _await(ready: Callable[[], bool], what: str, processes: list[Process]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        ended = [process.name for process in processes if not process.running()]
        if ended or time.monotonic() > deadline:
            why = f"{', '.join(ended)} ended" if ended else f"gave up after {START_SECONDS:g} s"
            raise StartFailed("\n".join([f"waited for {what}: {why}", *(process.tail() for process in processes)]))
        time.sleep(INTERVAL_SECONDS)
