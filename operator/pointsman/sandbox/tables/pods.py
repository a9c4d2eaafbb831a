"""Pods' rows: kubernetes 1.36, pkg/printers/internalversion/printers.go, printPod."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from pointsman.sandbox.store.kinds import Object
from pointsman.sandbox.tables.column import AGE, NAME, Layout, age, at, name, text
from pointsman.sandbox.tables.duration import moment, since

_NONE: Final = "<none>"
_ENDED: Final = ("Succeeded", "Failed")


def _cells(pod: Object, now: datetime) -> list[Any]:
    spec, status = pod["spec"], pod.get("status") or {}
    ready, total, reason, restarts, last_restart = _containers(spec, status)
    if "deletionTimestamp" in pod["metadata"]:
        if status.get("reason") == "NodeLost":
            reason = "Unknown"
        elif status.get("phase") not in _ENDED:
            reason = "Terminating"
    told = f"{restarts} ({since(last_restart, now)} ago)" if restarts and last_restart else str(restarts)
    return [
        name(pod),
        f"{ready}/{total}",
        reason,
        told,
        age(pod, now),
        next((address["ip"] for address in status.get("podIPs") or ()), _NONE),
        spec.get("nodeName") or _NONE,
        status.get("nominatedNodeName") or _NONE,
        _gates(spec, status),
    ]


def _containers(spec: Object, status: Object) -> tuple[int, int, str, int, str]:
    """Ready and all containers, what the pod's state is called, restarts and the time of the last one."""
    reason = str(status.get("reason") or status.get("phase") or "")
    scheduled = _condition(status, "PodScheduled")
    if scheduled.get("reason") == "SchedulingGated":
        reason = "SchedulingGated"
    sidecars = {one["name"] for one in spec.get("initContainers") or () if one.get("restartPolicy") == "Always"}
    total = len(spec.get("containers") or ()) + len(sidecars)
    initial = status.get("initContainerStatuses") or []
    ready, waiting = _initialised(initial, sidecars, len(spec.get("initContainers") or ()))
    if waiting and _condition(status, "Initialized").get("status") != "True":
        return ready, total, waiting, _restarts(initial), _last_restart(initial)
    counted = [one for one in initial if one["name"] in sidecars] + (status.get("containerStatuses") or [])
    more, state = _running(status, reason)
    return ready + more, total, state, _restarts(counted), _last_restart(counted)


def _initialised(initial: Iterable[Object], sidecars: set[str], count: int) -> tuple[int, str]:
    """Ready sidecars, and what the first init container that is not done is called; empty when all are."""
    ready = 0
    for place, container in enumerate(initial):
        terminated, waiting = at(container, "state", "terminated"), at(container, "state", "waiting", "reason")
        if terminated and not terminated.get("exitCode"):
            continue
        if container["name"] in sidecars and container.get("started"):
            ready += bool(container.get("ready"))
            continue
        if terminated:
            return ready, "Init:" + _ending(terminated)
        if waiting and waiting != "PodInitializing":
            return ready, f"Init:{waiting}"
        return ready, f"Init:{place}/{count}"
    return ready, ""


def _running(status: Object, reason: str) -> tuple[int, str]:
    """Ready containers and the state of the first one that has something to say."""
    ready, failure = 0, ""
    for container in reversed(status.get("containerStatuses") or []):
        waiting, terminated = at(container, "state", "waiting", "reason"), at(container, "state", "terminated")
        if waiting:
            reason = waiting
        elif terminated:
            reason = _ending(terminated)
            failure = reason if terminated.get("exitCode") else failure
        elif container.get("ready") and at(container, "state", "running") is not None:
            ready += 1
    if reason == "Completed":
        if ready and _condition(status, "Ready").get("status") == "True":
            reason = "Running"
        elif failure:
            reason = failure
        elif ready:
            reason = "NotReady"
    return ready, reason


def _ending(terminated: Object) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode', 0)}"


def _restarts(containers: Iterable[Object]) -> int:
    return sum(container.get("restartCount", 0) for container in containers)


def _last_restart(containers: Iterable[Object]) -> str:
    ends = [at(container, "lastState", "terminated", "finishedAt", default="") for container in containers]
    return max(filter(None, ends), key=moment, default="")


def _gates(spec: Object, status: Object) -> str:
    gates = spec.get("readinessGates") or []
    if not gates:
        return _NONE
    passed = sum(_condition(status, gate["conditionType"]).get("status") == "True" for gate in gates)
    return f"{passed}/{len(gates)}"


def _condition(status: Object, kind: str) -> Mapping[str, Any]:
    return next((one for one in status.get("conditions") or () if one.get("type") == kind), {})


PODS: Final = Layout(
    (
        NAME,
        text("Ready", "Ready containers of all."),
        text("Status", "What the pod's containers are at, in one word."),
        text("Restarts", "How often containers were restarted, and when last."),
        AGE,
        text("IP", "The pod's address.", wide=True),
        text("Node", "The node that the pod is bound to.", wide=True),
        text("Nominated Node", "The node that is being cleared for the pod.", wide=True),
        text("Readiness Gates", "Passed gates of all.", wide=True),
    ),
    _cells,
)
