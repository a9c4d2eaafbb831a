"""What a pod asks for, from its containers to integers: kube-scheduler's four different sums.

    requests   what the incoming pod must find free: spec alone
    score      the same for NodeResourcesFit's score: defaults for containers without a request, no pod-level resources
    usage      what a pod counts on its node: status of an in-place resize included
    nonzero    the same with defaults

Amounts are added exactly and become integers once per pod. Rules: component-helpers/resource/helpers.go and
pkg/scheduler/framework/types.go, 1.36. Most pods of a cluster look alike, so sums are remembered by the pod's shape;
they are pure functions of it.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from pointsman.kube.objects import Pod
from pointsman.kube.quantity import ZERO, Quantity, QuantityError, parse
from pointsman.policy.pod_shape import Items, PodShape, RequestShape, pod_shape
from pointsman.policy.resource_names import CPU, HUGE_PAGES_PREFIX, MEMORY, is_counted

Amounts = dict[str, Quantity]

# pkg/scheduler/util/pod_resources.go, 1.36
DEFAULTS: Final[Mapping[str, Quantity]] = {CPU: parse("100m"), MEMORY: parse(200 * 2**20)}


class Sums(NamedTuple):
    """The results for one pod: cpu in millicores, the rest in base units; zeros and names that do not count left out.

    The maps are shared by all pods of one shape: nobody may write to them.
    """

    requests: dict[str, int]
    score: dict[str, int]
    usage: dict[str, int]
    nonzero: dict[str, int]
    errors: tuple[str, ...]


class _Requests(NamedTuple):
    spec: Amounts
    effective: Amounts  # spec and status together
    sidecar: bool


def sums(pod: Pod) -> Sums:
    """All sums of a pod. Unreadable quantities count as absent and are named in `errors`."""
    return _sums(pod_shape(pod))


@lru_cache(maxsize=8192)
def _sums(shape: PodShape) -> Sums:
    errors: list[str] = []
    containers = _read_all(shape, "containers", shape.containers, errors)
    init_containers = _read_all(shape, "initContainers", shape.init_containers, errors)
    level = _read(shape, "spec.resources.requests", shape.pod_level, errors)
    overhead = _amounts(shape.overhead, "spec.overhead", errors)

    def total(*, status: bool, defaults: Mapping[str, Quantity], pod_level: bool = True) -> Amounts:
        result = _walk(containers, init_containers, status=status, defaults=defaults)
        if pod_level:
            result |= _pod_level(level, status=status)
        _add(result, overhead)
        return result

    usage = total(status=True, defaults={})
    missing = DEFAULTS
    if _is_set(level):  # then a default stands in only for what the whole pod does not name
        missing = {name: amount for name, amount in DEFAULTS.items() if name not in usage}
    return Sums(
        requests=_positive(_integers(total(status=False, defaults={}))),
        score=_integers(total(status=False, defaults=DEFAULTS, pod_level=False)),
        usage=_integers(usage),
        nonzero=_integers(total(status=True, defaults=missing)),
        errors=tuple(dict.fromkeys(errors)),
    )


def _read_all(shape: PodShape, field: str, entries: Iterable[RequestShape], errors: list[str]) -> list[_Requests]:
    return [
        _read(shape, f"spec.{field}[{index}].resources.requests", entry, errors) for index, entry in enumerate(entries)
    ]


def _read(shape: PodShape, path: str, entry: RequestShape, errors: list[str]) -> _Requests:
    spec = _amounts(entry.spec, path, errors)
    if entry.actuated is None:
        return _Requests(spec, spec, entry.sidecar)
    effective = {} if shape.resize_infeasible else dict(spec)
    _raise(effective, _amounts(entry.actuated, "status.resources.requests", errors))
    _raise(effective, _amounts(entry.allocated, "status.allocatedResources", errors))
    return _Requests(spec, effective, entry.sidecar)


def _amounts(items: Items, path: str, errors: list[str]) -> Amounts:
    result = {}
    for name, text in items:
        try:
            result[name] = parse(text)
        except QuantityError as error:
            errors.append(f"{path}[{name}]: {error}")
    return result


def _walk(
    containers: Iterable[_Requests],
    init_containers: Iterable[_Requests],
    *,
    status: bool,
    defaults: Mapping[str, Quantity],
) -> Amounts:
    """The larger of what runs together and of any moment of the start, per resource."""
    running: Amounts = {}
    for container in containers:
        _add(running, {**defaults, **(container.effective if status else container.spec)})
    sidecars: Amounts = {}
    start: Amounts = {}
    for container in init_containers:
        amounts = {**defaults, **(container.effective if status else container.spec)}
        if container.sidecar:
            _add(running, amounts)
            _add(sidecars, amounts)
            _raise(start, sidecars)
        else:
            _add(amounts, sidecars)
            _raise(start, amounts)
    _raise(running, start)
    return running


def _pod_level(level: _Requests, *, status: bool) -> Amounts:
    """What pod-level requests put in place of the containers' sums."""
    amounts = level.effective if status else level.spec
    return {name: amounts.get(name, ZERO) for name in level.spec if _is_pod_level(name)}


def _is_set(level: _Requests) -> bool:
    return any(map(_is_pod_level, level.spec))


def _is_pod_level(name: str) -> bool:
    return name in (CPU, MEMORY) or name.startswith(HUGE_PAGES_PREFIX)


def _add(into: Amounts, more: Amounts) -> None:
    for name, amount in more.items():
        into[name] = into[name] + amount if name in into else amount


def _raise(into: Amounts, other: Amounts) -> None:
    for name, amount in other.items():
        if name not in into or amount > into[name]:
            into[name] = amount


def _integers(amounts: Amounts) -> dict[str, int]:
    counted = ((name, amount) for name, amount in amounts.items() if is_counted(name))
    values = ((name, amount.milli() if name == CPU else amount.units()) for name, amount in counted)
    return {name: value for name, value in values if value != 0}


def _positive(values: dict[str, int]) -> dict[str, int]:
    """What is below zero asks for nothing (Resource.SetMaxResource)."""
    return {name: value for name, value in values.items() if value > 0}
