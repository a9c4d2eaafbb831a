"""VolumeBinding and volumes of built-in kinds whose nodes leave them to a CSI driver (csi-translation-lib, 1.36)."""

from typing import Any

import pytest
from tests.unit.rules.stored import bound_claim, volume
from tests.unit.rules.view import HandView, feasible

from pointsman.kube.objects import Metadata
from pointsman.kube.storage_objects import CSINode, StorageObject
from pointsman.policy.predicates.volume_binding import VolumeBinding
from pointsman.policy.volume_binding_args import VolumeBindingArgs
from pointsman.testing.builders import node, pod, term

RULE = VolumeBinding("VolumeBinding", VolumeBindingArgs())
ZONE, OLD_ZONE = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
REGION, OLD_REGION = "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"
EBS_ZONE = "topology.ebs.csi.aws.com/zone"
EBS: dict[str, Any] = {"aws_elastic_block_store": {"volumeID": "vol-1"}}
AZURE: dict[str, Any] = {"azure_disk": {"diskName": "d", "diskURI": "u"}}

# `plain` has not migrated; the drivers' labels of the others differ from their zones, which no real node's do
NODES = [
    node("plain").label(ZONE, "a").label(EBS_ZONE, "z").build(),
    node("moved-a").label(ZONE, "z").label(EBS_ZONE, "a").label(REGION, "r").build(),
    node("moved-b").label(ZONE, "a").label(EBS_ZONE, "b").label(OLD_REGION, "r").build(),
]


def csi_node(name: str) -> CSINode:
    plugins = "kubernetes.io/aws-ebs,kubernetes.io/azure-disk"
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": plugins}
    return CSINode(metadata=Metadata(name=name, annotations=annotations))


@pytest.mark.parametrize(
    ("terms", "labels", "source", "expected"),
    [
        pytest.param((term((ZONE, "In", "a")),), {}, EBS, ["plain", "moved-a"], id="the zone has the driver's key"),
        pytest.param((term((ZONE, "In", "a")),), {}, AZURE, ["plain", "moved-b"], id="a kind whose zones stay"),
        pytest.param((term((ZONE, "In", "a")),), {}, {}, ["plain", "moved-b"], id="not of a built-in kind"),
        pytest.param((), {}, EBS, ["plain", "moved-a", "moved-b"], id="no place at all"),
        pytest.param((), {ZONE: "a__c"}, EBS, ["plain", "moved-a"], id="zones of the volume's labels"),
        pytest.param((), {OLD_ZONE: "b"}, EBS, ["plain", "moved-b"], id="an old label"),
        pytest.param(
            (term((REGION, "In", "r")),), {ZONE: "a"}, EBS, ["moved-a"], id="zones of the labels join each term"
        ),
        pytest.param(
            (term((OLD_ZONE, "In", "a"), (OLD_REGION, "In", "r")),), {}, EBS, ["moved-a"], id="an old region gets new"
        ),
        pytest.param((term((OLD_REGION, "In", "r")),), {}, EBS, ["moved-b"], id="but not without an old zone"),
    ],
)
def test_nodes_that_have_migrated_are_asked_in_the_drivers_terms(
    terms: tuple[Any, ...], labels: dict[str, str], source: dict[str, Any], expected: list[str]
) -> None:
    bound = volume("v", terms=terms, metadata={"labels": labels}, **source)
    objects: list[StorageObject] = [bound_claim("c", "v"), bound, csi_node("moved-a"), csi_node("moved-b")]
    assert feasible(RULE, HandView(NODES, objects=objects), pod("p").claim("c").info()) == expected
