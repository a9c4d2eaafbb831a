"""What a pod asks for, from its containers to integers: kube-scheduler's four different sums.

    requests   what the incoming pod must find free: spec alone
    score      the same for NodeResourcesFit's score: defaults for containers without a request, no pod-level resources
    usage      what a pod counts on its node: status of an in-place resize included
    nonzero    the same with defaults

Amounts are added exactly and become integers once per pod. Rules: component-helpers/resource/helpers.go and
pkg/scheduler/framework/types.go, 1.36. Most pods of a cluster look alike, so sums are remembered by what they are made
of; they are pure functions of it.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from pointsman.kube.objects import Container, ContainerStatus, Pod, Quantities
from pointsman.kube.quantity import ZERO, Quantity, QuantityError, parse
from pointsman.policy.resource_names import CPU, HUGE_PAGES_PREFIX, MEMORY, is_counted

Items = tuple[tuple[str, str | int | float], ...]
Amounts = dict[str, Quantity]

# pkg/scheduler/util/pod_resources.go, 1.36
DEFAULTS: Final[Mapping[str, Quantity]] = {CPU: parse("100m"), MEMORY: parse(200 * 2**20)}


class Sums(NamedTuple):
    """The results for one pod: cpu in millicores, the rest in base units; zeros and names that do not count left out.

    The maps are shared by all pods that look alike: nobody may write to them.
    """

    requests: dict[str, int]
    score: dict[str, int]
    usage: dict[str, int]
    nonzero: dict[str, int]
    errors: tuple[str, ...]


class _ContainerShape(NamedTuple):
    requests: Items
    actuated: Items | None  # status.resources.requests; None: the kubelet reported nothing else than the spec
    allocated: Items
    sidecar: bool


class _PodShape(NamedTuple):
    """All that the sums depend on; the key under which they are remembered."""

    containers: tuple[_ContainerShape, ...]
    init_containers: tuple[_ContainerShape, ...]
    pod_level: _ContainerShape
    overhead: Items
    resize_infeasible: bool


def sums(pod: Pod) -> Sums:
    """All sums of a pod. Unreadable quantities count as absent and are named in `errors`."""
    spec, status = pod.spec, pod.status
    statuses = {entry.name: entry for entry in (*status.container_statuses, *status.init_container_statuses)}
    level = spec.resources.requests if spec.resources else {}
    resized = status.resources.requests if level and status.resources else None
    return _sums(
        _PodShape(
            containers=tuple(_shape(entry, statuses.get(entry.name)) for entry in spec.containers),
            init_containers=tuple(_init_shape(entry, statuses) for entry in spec.init_containers),
            pod_level=_items_of(level, resized, status.allocated_resources, sidecar=False),
            overhead=tuple(spec.overhead.items()),
            resize_infeasible=_resize_infeasible(pod),
        )
    )


def is_sidecar(container: Container) -> bool:
    """Whether an init container keeps running beside the others."""
    return container.restart_policy == "Always"


def _shape(container: Container, status: ContainerStatus | None, *, sidecar: bool = False) -> _ContainerShape:
    requests = container.resources.requests
    if status is None or status.resources is None:
        return _ContainerShape(tuple(requests.items()), None, (), sidecar)
    return _items_of(requests, status.resources.requests, status.allocated_resources, sidecar=sidecar)


def _init_shape(container: Container, statuses: Mapping[str, ContainerStatus]) -> _ContainerShape:
    if not is_sidecar(container):  # an ordinary init container always counts by its spec
        return _shape(container, None)
    return _shape(container, statuses.get(container.name), sidecar=True)


def _items_of(
    requests: Quantities, actuated: Quantities | None, allocated: Quantities, *, sidecar: bool
) -> _ContainerShape:
    spec = tuple(requests.items())
    if actuated is None or (actuated == requests and allocated in (requests, {})):
        return _ContainerShape(spec, None, (), sidecar)
    return _ContainerShape(spec, tuple(actuated.items()), tuple(allocated.items()), sidecar)


def _resize_infeasible(pod: Pod) -> bool:
    for condition in pod.status.conditions:
        if condition.type == "PodResizePending":
            return condition.reason == "Infeasible"
    return False


class _Container(NamedTuple):
    spec: Amounts
    effective: Amounts
    sidecar: bool


@lru_cache(maxsize=8192)
def _sums(shape: _PodShape) -> Sums:
    errors: list[str] = []
    containers = [
        _read(entry, f"spec.containers[{index}].resources.requests", shape, errors)
        for index, entry in enumerate(shape.containers)
    ]
    init_containers = [
        _read(entry, f"spec.initContainers[{index}].resources.requests", shape, errors)
        for index, entry in enumerate(shape.init_containers)
    ]
    level = _read(shape.pod_level, "spec.resources.requests", shape, errors)
    overhead = _amounts(shape.overhead, "spec.overhead", errors)

    def total(*, status: bool, defaults: Mapping[str, Quantity], pod_level: bool) -> Amounts:
        result = _walk(containers, init_containers, status=status, defaults=defaults)
        if pod_level:
            result |= _pod_level(level, status=status)
        _add(result, overhead)
        return result

    usage = total(status=True, defaults={}, pod_level=True)
    nonzero_defaults = DEFAULTS
    if _is_set(level):  # then a default stands in only for what the whole pod does not name
        nonzero_defaults = {name: amount for name, amount in DEFAULTS.items() if name not in usage}
    return Sums(
        requests=_positive(_integers(total(status=False, defaults={}, pod_level=True))),
        score=_integers(total(status=False, defaults=DEFAULTS, pod_level=False)),
        usage=_integers(usage),
        nonzero=_integers(total(status=True, defaults=nonzero_defaults, pod_level=True)),
        errors=tuple(errors),
    )


def _read(entry: _ContainerShape, path: str, shape: _PodShape, errors: list[str]) -> _Container:
    spec = _amounts(entry.requests, path, errors)
    if entry.actuated is None:
        return _Container(spec, spec, entry.sidecar)
    effective = {} if shape.resize_infeasible else dict(spec)
    _raise(effective, _amounts(entry.actuated, "status.resources.requests", errors))
    _raise(effective, _amounts(entry.allocated, "status.allocatedResources", errors))
    return _Container(spec, effective, entry.sidecar)


def _amounts(items: Items, path: str, errors: list[str]) -> Amounts:
    result = {}
    for name, text in items:
        try:
            result[name] = parse(text)
        except QuantityError as error:
            errors.append(f"{path}[{name}]: {error}")
    return result


def _walk(
    containers: Iterable[_Container],
    init_containers: Iterable[_Container],
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


def _pod_level(level: _Container, *, status: bool) -> Amounts:
    """What pod-level requests put in place of the containers' sums."""
    if not _is_set(level):
        return {}
    amounts = level.effective if status else level.spec
    return {name: amounts.get(name, ZERO) for name in level.spec if _is_pod_level(name)}


def _is_set(level: _Container) -> bool:
    return any(_is_pod_level(name) for name in level.spec)


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
    values = ((name, amount.milli() if name == CPU else amount.value()) for name, amount in counted)
    return {name: value for name, value in values if value != 0}


def _positive(values: dict[str, int]) -> dict[str, int]:
    """A sum that overflowed 64 bits and came out negative asks for nothing (Resource.SetMaxResource)."""
    return {name: value for name, value in values.items() if value > 0}
