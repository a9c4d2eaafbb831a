"""The fields of pods, ConfigMaps and Secrets that a kubelet reads, as typed structs.

They are the agent's own because the scheduler's structs (`kube.objects`) stop where a kubelet starts: commands,
environment, volumes, probes. One watch decodes every pod of the cluster into these, so they hold nothing else.
"""

import msgspec

from pointsman.kube.objects import Metadata


class _Object(msgspec.Struct, frozen=True, rename="camel", kw_only=True, omit_defaults=True):
    pass


class PodMetadata(Metadata, frozen=True, kw_only=True):
    """Metadata with the seconds that a deletion leaves the pod."""

    deletion_grace_period_seconds: int | None = None


class KeySelector(_Object, frozen=True, kw_only=True):
    """One key of a ConfigMap or Secret in the pod's namespace."""

    name: str = ""
    key: str = ""
    optional: bool = False


class FieldSelector(_Object, frozen=True, kw_only=True):
    """One field of the pod itself."""

    field_path: str = ""


class EnvSource(_Object, frozen=True, kw_only=True):
    """Where a variable's value comes from; none of the four set means a kind that the agent does not serve."""

    field_ref: FieldSelector | None = None
    config_map_key_ref: KeySelector | None = None
    secret_key_ref: KeySelector | None = None


class EnvVar(_Object, frozen=True, kw_only=True):
    """One environment variable: a value or a source."""

    name: str = ""
    value: str = ""
    value_from: EnvSource | None = None


class ObjectSelector(_Object, frozen=True, kw_only=True):
    """A whole ConfigMap or Secret."""

    name: str = ""
    optional: bool = False


class EnvFrom(_Object, frozen=True, kw_only=True):
    """All keys of an object as variables."""

    prefix: str = ""
    config_map_ref: ObjectSelector | None = None
    secret_ref: ObjectSelector | None = None


class Mount(_Object, frozen=True, kw_only=True):
    """Where a container sees a volume."""

    name: str = ""
    mount_path: str = ""
    sub_path: str = ""


class Port(_Object, frozen=True, kw_only=True):
    """A named port, which probes may refer to."""

    name: str = ""
    container_port: int = 0


class Header(_Object, frozen=True, kw_only=True):
    """A header that a probe sends."""

    name: str = ""
    value: str = ""


class HttpGet(_Object, frozen=True, kw_only=True):
    """A probe by HTTP."""

    path: str = "/"
    port: int | str = 0
    host: str = ""
    scheme: str = "HTTP"
    http_headers: tuple[Header, ...] = ()


class TcpSocket(_Object, frozen=True, kw_only=True):
    """A probe by connecting."""

    port: int | str = 0
    host: str = ""


class Probe(_Object, frozen=True, kw_only=True):
    """A probe with the API server's defaults. Seconds are whole, thresholds count equal results in a row."""

    http_get: HttpGet | None = None
    tcp_socket: TcpSocket | None = None
    initial_delay_seconds: int = 0
    timeout_seconds: int = 1
    period_seconds: int = 10
    success_threshold: int = 1
    failure_threshold: int = 3
    termination_grace_period_seconds: int | None = None


class Container(_Object, frozen=True, kw_only=True):
    """One container of a pod."""

    name: str = ""
    image: str = ""
    command: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    working_dir: str = ""
    env: tuple[EnvVar, ...] = ()
    env_from: tuple[EnvFrom, ...] = ()
    ports: tuple[Port, ...] = ()
    volume_mounts: tuple[Mount, ...] = ()
    readiness_probe: Probe | None = None
    liveness_probe: Probe | None = None
    startup_probe: Probe | None = None
    restart_policy: str = ""
    termination_message_policy: str = "File"


class KeyPath(_Object, frozen=True, kw_only=True):
    """One key of an object as one file of a volume."""

    key: str = ""
    path: str = ""


class ConfigMapFiles(_Object, frozen=True, kw_only=True):
    """A ConfigMap's keys as files."""

    name: str = ""
    items: tuple[KeyPath, ...] = ()
    optional: bool = False


class SecretFiles(_Object, frozen=True, kw_only=True):
    """A Secret's keys as files. A volume says `secretName` where a projected source says `name`."""

    name: str = ""
    secret_name: str = ""
    items: tuple[KeyPath, ...] = ()
    optional: bool = False


class FieldFile(_Object, frozen=True, kw_only=True):
    """A field of the pod as a file; without `field_ref` it is a kind that the agent does not serve."""

    path: str = ""
    field_ref: FieldSelector | None = None


class DownwardFiles(_Object, frozen=True, kw_only=True):
    """Fields of the pod as files."""

    items: tuple[FieldFile, ...] = ()


class TokenFile(_Object, frozen=True, kw_only=True):
    """A service account's token as a file."""

    path: str = ""
    audience: str = ""
    expiration_seconds: int = 3600


class ProjectedSource(_Object, frozen=True, kw_only=True):
    """One part of a projected volume."""

    config_map: ConfigMapFiles | None = None
    secret: SecretFiles | None = None
    downward_api: DownwardFiles | None = msgspec.field(default=None, name="downwardAPI")
    service_account_token: TokenFile | None = None


class ProjectedFiles(_Object, frozen=True, kw_only=True):
    """Several sources in one volume."""

    sources: tuple[ProjectedSource, ...] = ()


class EmptyDir(_Object, frozen=True, kw_only=True):
    """A folder that lives as long as the pod. Medium and size limit are not enforced."""


class Volume(_Object, frozen=True, kw_only=True):
    """A volume; none of the kinds set means one that the agent does not serve."""

    name: str = ""
    config_map: ConfigMapFiles | None = None
    secret: SecretFiles | None = None
    downward_api: DownwardFiles | None = msgspec.field(default=None, name="downwardAPI")
    projected: ProjectedFiles | None = None
    empty_dir: EmptyDir | None = None


class PodSpec(_Object, frozen=True, kw_only=True):
    """What a pod asks of its node."""

    node_name: str = ""
    service_account_name: str = ""
    host_network: bool = False
    restart_policy: str = "Always"
    termination_grace_period_seconds: int = 30
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    volumes: tuple[Volume, ...] = ()


class RunningState(_Object, frozen=True, kw_only=True):
    """Since when a container has run."""

    started_at: str = ""


class TerminatedState(_Object, frozen=True, kw_only=True):
    """How a container ended."""

    exit_code: int = 0
    signal: int = 0
    reason: str = ""
    message: str = ""
    started_at: str = ""
    finished_at: str = ""


class StateUnion(_Object, frozen=True, kw_only=True):
    """At most one is set; neither means that the container waits."""

    running: RunningState | None = None
    terminated: TerminatedState | None = None


class ContainerStatus(_Object, frozen=True, kw_only=True):
    """What an earlier agent wrote about a container."""

    name: str = ""
    restart_count: int = 0
    state: StateUnion = StateUnion()
    last_state: StateUnion = StateUnion()


class Condition(_Object, frozen=True, kw_only=True):
    """A pod's condition."""

    type: str = ""
    status: str = ""
    last_transition_time: str | None = None


class PodStatus(_Object, frozen=True, kw_only=True):
    """What is known of a pod."""

    phase: str = ""
    host_ip: str = msgspec.field(default="", name="hostIP")
    pod_ip: str = msgspec.field(default="", name="podIP")
    start_time: str | None = None
    conditions: tuple[Condition, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()


class Pod(_Object, frozen=True, kw_only=True):
    """A pod as its node sees it."""

    metadata: PodMetadata
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def title(self) -> str:
        """Namespace and name, for messages."""
        return f"{self.metadata.namespace}/{self.metadata.name}"


class ConfigMap(_Object, frozen=True, kw_only=True):
    """A ConfigMap's content."""

    metadata: Metadata
    data: dict[str, str] = {}
    binary_data: dict[str, bytes] = {}
    immutable: bool = False


class Secret(_Object, frozen=True, kw_only=True):
    """A Secret's content, decoded."""

    metadata: Metadata
    data: dict[str, bytes] = {}
    immutable: bool = False
