"""POST pods/binding: the node of a pod, once. kubernetes 1.36, pkg/registry/core/pod/storage/storage.go."""

from collections.abc import Mapping
from typing import Final

import msgspec

from pointsman.kube.clock import rfc3339
from pointsman.sandbox.server.answer import Answer, success
from pointsman.sandbox.server.request import Route
from pointsman.sandbox.store.doors import Door
from pointsman.sandbox.store.errors import Refused, bad_request
from pointsman.sandbox.store.kinds import Object
from pointsman.sandbox.store.store import Store

_SCHEDULED: Final = "PodScheduled"


class _Target(msgspec.Struct, frozen=True):
    name: str = ""


class _BindingMetadata(msgspec.Struct, frozen=True, rename="camel"):
    uid: str = ""
    resource_version: str = ""
    annotations: dict[str, str] = {}


class _Binding(msgspec.Struct, frozen=True):
    target: _Target
    metadata: _BindingMetadata = _BindingMetadata()


_BINDING: Final = msgspec.json.Decoder(_Binding)


def bind(store: Store, route: Route, door: Door, body: bytes) -> Answer:
    """Give a pod its node. Raises Refused: 409 when it has one, is being deleted, is gated, or is another pod."""
    try:
        binding = _BINDING.decode(body)
    except msgspec.DecodeError as error:
        raise bad_request(f"the object provided is unrecognized (must be of type Binding): {error}") from None
    if not binding.target.name:
        raise bad_request("Binding target.name must be specified")
    now = rfc3339(store.clock.now())

    def bound(pod: Object) -> Object:
        _check_bindable(pod, route.name, binding.metadata)
        return _bound(pod, binding.target.name, binding.metadata.annotations, now)

    store.update(route.kind, route.namespace, route.name, bound, door)
    return success(201)


def _check_bindable(pod: Object, name: str, expected: _BindingMetadata) -> None:
    metadata, spec = pod["metadata"], pod["spec"]
    if expected.uid and expected.uid != metadata["uid"]:
        raise _not_bound(
            name, f"Precondition failed: UID in precondition: {expected.uid}, UID in object meta: {metadata['uid']}"
        )
    if expected.resource_version and expected.resource_version != metadata["resourceVersion"]:
        raise _not_bound(
            name,
            f"Precondition failed: ResourceVersion in precondition: {expected.resource_version}, "
            f"ResourceVersion in object meta: {metadata['resourceVersion']}",
        )
    if "deletionTimestamp" in metadata:
        raise _not_bound(name, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.get("nodeName"):
        raise _not_bound(name, f'pod {name} is already assigned to node "{spec["nodeName"]}"')
    if spec.get("schedulingGates"):
        raise _not_bound(name, f"pod {name} has non-empty .spec.schedulingGates")


def _not_bound(name: str, why: str) -> Refused:
    message = f'Operation cannot be fulfilled on pods/binding "{name}": {why}'
    return Refused(409, "Conflict", message, {"name": name, "kind": "pods/binding"})


def _bound(pod: Object, node: str, annotations: Mapping[str, str], now: str) -> Object:
    condition = {"type": _SCHEDULED, "status": "True", "lastProbeTime": None, "lastTransitionTime": now}
    status = {key: value for key, value in (pod.get("status") or {}).items() if key != "nominatedNodeName"}
    others = [one for one in status.get("conditions") or () if one["type"] != _SCHEDULED]
    metadata = pod["metadata"]
    if annotations:
        metadata = {**metadata, "annotations": {**(metadata.get("annotations") or {}), **annotations}}
    return {
        **pod,
        "metadata": metadata,
        "spec": {**pod["spec"], "nodeName": node},
        "status": {**status, "conditions": [*others, condition]},
    }
