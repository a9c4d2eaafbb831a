"""The same for what only some profiles have: rules of old Policy files, a node pool, namespaces of one's own."""

from typing import Any, Final

from tests.unit.engine_process.harness import ours
from tests.unit.wakes.table import Wake

from pointsman.kube.objects import Metadata, Namespace, Volume
from pointsman.kube.workload_objects import Service, ServiceSpec
from pointsman.testing.builders import PodBuilder, node, pod

ZONE: Final = "zone"
OLD: Final[dict[str, Any]] = {
    "predicates": [
        {"name": "no-retired", "rule": "CheckNodeLabelPresence", "args": {"labels": ["retired"], "presence": False}},
        {"name": "same-zone", "rule": "ServiceAffinity", "args": {"labels": [ZONE]}},
        {"name": "MaxEBSVolumeCount"},
        {"name": "MaxGCEPDVolumeCount"},
        {"name": "MaxAzureDiskVolumeCount"},
        {"name": "MaxCinderVolumeCount"},
    ]
}
POOL: Final[dict[str, Any]] = {"nodes": {"selector": {"matchLabels": {"pool": "ours"}}}}
TEAM: Final[dict[str, Any]] = {"pods": {"namespaceSelector": {"matchLabels": {"team": "ours"}}}}

_P: Final = ours("p").container()
_RETIRED: Final = node("n1").label("retired")
LABELS: Final = (
    Wake("no-retired", "the label goes", (_RETIRED,), _P, puts=(node("n1"),), spec=OLD),
    Wake("no-retired", "a node without it comes", (_RETIRED,), _P, puts=(node("n2"),), spec=OLD),
)

_WEB: Final = Service(metadata=Metadata(name="web", namespace="default"), spec=ServiceSpec(selector={"app": "web"}))
_FIRST: Final = pod("first").label("app", "web").on("full")
# The first pod of the Service is in zone a, whose node is full.
_CALLED: Final = (_WEB, node("full").label(ZONE, "a").pods(1), _FIRST, node("n2").label(ZONE, "b"))
_SECOND: Final = _P.label("app", "web")
SERVICE: Final = (
    Wake("same-zone", "a node of the zone comes", _CALLED, _SECOND, puts=(node("n3").label(ZONE, "a"),), spec=OLD),
    Wake("same-zone", "a node changes its zone", _CALLED, _SECOND, puts=(node("n2").label(ZONE, "a"),), spec=OLD),
    Wake("same-zone", "the first pod goes", _CALLED, _SECOND, takes=(_FIRST,), spec=OLD),
    Wake("same-zone", "the first pod gets another label", _CALLED, _SECOND, puts=(pod("first").on("full"),), spec=OLD),
    Wake("same-zone", "the Service goes", _CALLED, _SECOND, takes=(_WEB,), spec=OLD),
)


def _disks(name: str, kind: str, key: str, count: int) -> PodBuilder:
    """A pod with so many volumes of one built-in kind."""
    sources: list[dict[str, Any]] = [{kind: {key: f"{name}-{number}"}} for number in range(count)]
    volumes = tuple(Volume(name=f"v{number}", **source) for number, source in enumerate(sources))
    return ours(name).container().spec(volumes=volumes)


# Of each kind a node takes so many unless it tells: nodevolumelimits/non_csi.go, 1.22.
LIMITS: Final = tuple(
    wake
    for rule, kind, key, limit in (
        ("MaxEBSVolumeCount", "aws_elastic_block_store", "volumeID", 39),
        ("MaxGCEPDVolumeCount", "gce_persistent_disk", "pdName", 16),
        ("MaxAzureDiskVolumeCount", "azure_disk", "diskName", 16),
        ("MaxCinderVolumeCount", "cinder", "volumeID", 256),
    )
    for holder, wanted in [(_disks("holder", kind, key, limit).on("n1"), _disks("p", kind, key, 1))]
    for wake in (
        Wake(rule, "who holds them goes", (node("n1"), holder), wanted, takes=(holder,), spec=OLD),
        Wake(rule, "a node comes", (node("n1"), holder), wanted, puts=(node("n2"),), spec=OLD),
    )
)


def _namespace(**labels: str) -> Namespace:
    return Namespace(metadata=Metadata(name="default", uid="namespace-default", labels=labels))


PROFILE: Final = (
    Wake(
        "nodes.selector",
        "a node joins the pool",
        (node("n1"),),
        _P,
        puts=(node("n1").label("pool", "ours"),),
        spec=POOL,
    ),
    Wake(
        "nodes.selector",
        "a node of the pool comes",
        (node("n1"),),
        _P,
        puts=(node("n2").label("pool", "ours"),),
        spec=POOL,
    ),
    Wake(
        "pods.namespaceSelector",
        "its namespace is served",
        (node("n1"), _namespace()),
        _P,
        puts=(_namespace(team="ours"),),
        spec=TEAM,
    ),
)

OTHER_WAKES: Final = (*LABELS, *SERVICE, *LIMITS, *PROFILE)
