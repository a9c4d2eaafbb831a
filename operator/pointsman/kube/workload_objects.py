"""Services and controllers as typed structs that declare only whose pods they select; see `kube.objects`."""

from pointsman.kube.objects import Labels, LabelSelector, Metadata, WireObject


class ServiceSpec(WireObject, frozen=True, kw_only=True):
    selector: Labels = {}


class Service(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    spec: ServiceSpec = ServiceSpec()


class ReplicationControllerSpec(WireObject, frozen=True, kw_only=True):
    selector: Labels = {}


class ReplicationController(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    spec: ReplicationControllerSpec = ReplicationControllerSpec()


class ControllerSpec(WireObject, frozen=True, kw_only=True):
    selector: LabelSelector | None = None


class ReplicaSet(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    spec: ControllerSpec = ControllerSpec()


class StatefulSet(WireObject, frozen=True, kw_only=True):
    metadata: Metadata
    spec: ControllerSpec = ControllerSpec()


Controller = ReplicationController | ReplicaSet | StatefulSet
