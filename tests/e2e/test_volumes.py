"""Claims that wait for their first consumer, and local volumes, on a real control plane with its volume controller."""

from typing import Any

import pytest

from tests.controlplane.wait import eventually
from tests.e2e.fleet import Fleet
from tests.e2e.workloads import in_pool, labelled, pod, profile

pytestmark = pytest.mark.timeout(240)

NAME = "bulky"
STORAGE_CLASS = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "local"},
    "provisioner": "kubernetes.io/no-provisioner",
    "volumeBindingMode": "WaitForFirstConsumer",
}


def volume(name: str, node: str, size: str) -> dict[str, Any]:
    """A disk of a node."""
    here = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": size},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "persistentVolumeReclaimPolicy": "Retain",
            "local": {"path": f"/mnt/{name}"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [here]}]}},
        },
    }


def claim(name: str, size: str, storage_class: str = "local") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": storage_class,
            "resources": {"requests": {"storage": size}},
        },
    }


def consumer(name: str, *claims: str) -> dict[str, Any]:
    """A pod with these claims among its volumes."""
    volumes = [{"name": one, "persistentVolumeClaim": {"claimName": one}} for one in claims]
    return labelled(pod(name, NAME, volumes=volumes, **in_pool("zoned")), app=name)


@pytest.fixture
def bulky(zoned: Fleet) -> Fleet:
    zoned.apply(STORAGE_CLASS, profile(NAME))
    zoned.wait_ready(NAME)
    return zoned


def bound_to(fleet: Fleet, name: str) -> str:
    """The volume that a claim is bound to, once it is."""

    def volume_of() -> str:
        found = fleet.plane.get("pvc", name)
        return str(found["spec"]["volumeName"]) if found.get("status", {}).get("phase") == "Bound" else ""

    return eventually(volume_of, what=f"claim {name} to be bound")


def test_a_pod_goes_where_the_smallest_volumes_that_suffice_are_and_its_claims_are_bound(bulky: Fleet) -> None:
    bulky.apply(
        volume("large", "zoned-1", "100Gi"),
        volume("data", "zoned-3", "10Gi"),
        volume("logs", "zoned-3", "5Gi"),
        volume("elsewhere", "zoned-5", "10Gi"),
        claim("data", "8Gi"),
        claim("logs", "4Gi"),
        consumer("database", "data", "logs"),
    )
    assert bulky.wait_bound(1, "app=database")[0]["spec"]["nodeName"] == "zoned-3"
    assert (bound_to(bulky, "data"), bound_to(bulky, "logs")) == ("data", "logs")
    bulky.assert_nobody_was_refused()


def test_a_pod_whose_claim_finds_no_volume_is_told_so_and_placed_when_one_is_made(bulky: Fleet) -> None:
    bulky.apply(claim("huge", "2Ti"), consumer("archive", "huge"))
    bulky.wait_told("archive", "6 node(s) didn't find available persistent volumes to bind")

    bulky.apply(volume("huge", "zoned-4", "4Ti"))
    assert bulky.wait_bound(1, "app=archive", seconds=20)[0]["spec"]["nodeName"] == "zoned-4"
    assert bound_to(bulky, "huge") == "huge"


def test_a_pod_whose_claim_does_not_exist_waits_for_it(bulky: Fleet) -> None:
    bulky.apply(consumer("early", "late"))
    bulky.wait_told("early", 'persistentvolumeclaim "late" not found')

    bulky.apply(volume("late", "zoned-0", "1Ti"), claim("late", "500Gi"))  # too much for what other tests leave
    assert bulky.wait_bound(1, "app=early", seconds=20)[0]["spec"]["nodeName"] == "zoned-0"


def test_a_provisioner_is_told_the_node_and_the_pod_waits_for_the_volume_that_it_makes(bulky: Fleet) -> None:
    bulky.apply(
        {**STORAGE_CLASS, "metadata": {"name": "made"}, "provisioner": "example.com/by-test"},
        claim("scratch", "1Gi", "made"),
        consumer("worker", "scratch"),
    )

    def node_of_claim() -> str:
        annotations = bulky.plane.get("pvc", "scratch")["metadata"].get("annotations", {})
        return str(annotations.get("volume.kubernetes.io/selected-node", ""))

    node = eventually(node_of_claim, what="claim scratch to be given a node")
    waiting = bulky.plane.get("pod", "worker")
    assert "nodeName" not in waiting["spec"]
    assert waiting["status"]["nominatedNodeName"] == node

    made = volume("scratch", node, "1Gi")
    made["spec"] |= {"storageClassName": "made", "claimRef": {"namespace": "default", "name": "scratch"}}
    bulky.apply(made)
    assert bulky.wait_bound(1, "app=worker", seconds=20)[0]["spec"]["nodeName"] == node
    assert bound_to(bulky, "scratch") == "scratch"
