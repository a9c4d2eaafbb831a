"""The builders that tests, here and users' own, make nodes and pods with."""

import msgspec

from pointsman.kube.objects import Node, Pod, Toleration
from pointsman.testing.builders import host_port, node, pod


def test_a_builder_stays_as_it_was() -> None:
    plain = node("n1")
    tainted = plain.taint("gpu")
    assert plain.build().spec.taints == ()
    assert [taint.key for taint in tainted.build().spec.taints] == ["gpu"]


def test_a_node_has_room_and_its_hostname_unless_told_otherwise() -> None:
    built = node("n1").cpu(4).allocatable("memory", None).build()
    assert built.status.allocatable["cpu"] == 4
    assert built.status.allocatable["pods"] == "110"
    assert "memory" not in built.status.allocatable
    assert built.metadata.labels == {"kubernetes.io/hostname": "n1"}


def test_resources_may_be_named_as_keywords_or_in_quotes() -> None:
    builder = pod("p").container(ephemeral_storage="1Gi", requests={"example.com/gpu": 1})
    assert builder.build().spec.containers[0].resources.requests == {"example.com/gpu": 1, "ephemeral-storage": "1Gi"}


def test_manifests_are_what_an_api_server_takes() -> None:
    manifest = pod("p").container(cpu="1", ports=(host_port(80, "10.0.0.1"),)).tolerate("a").manifest()
    assert (manifest["apiVersion"], manifest["kind"]) == ("v1", "Pod")
    assert manifest["spec"]["containers"][0]["ports"] == [{"containerPort": 80, "hostPort": 80, "hostIP": "10.0.0.1"}]
    assert manifest["spec"]["tolerations"] == [{"key": "a", "operator": "Exists"}]
    assert msgspec.convert(node("n1").unschedulable().manifest(), Node).spec.unschedulable


def test_what_has_no_method_of_its_own_goes_by_the_wire_structs() -> None:
    toleration = Toleration(key="a")
    built: Pod = pod("p").spec(tolerations=(toleration,)).status(phase="Failed").metadata(labels={"a": "b"}).build()
    assert built.spec.tolerations == (toleration,)
    assert (built.status.phase, built.metadata.labels) == ("Failed", {"a": "b"})
