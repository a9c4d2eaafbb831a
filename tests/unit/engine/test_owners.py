"""Services and controllers: which selectors a pod hears of, and when that is news."""

import pytest
from tests.unit.engine.worlds import happened

from pointsman.engine.cluster.cluster import Cluster
from pointsman.kube.objects import Labels, LabelSelector, Metadata, OwnerReference, Requirement
from pointsman.kube.workload_objects import (
    Controller,
    ControllerSpec,
    ReplicaSet,
    ReplicationController,
    ReplicationControllerSpec,
    Service,
    ServiceSpec,
    StatefulSet,
)
from pointsman.policy.pod_query import NOTHING, Selector
from pointsman.policy.rule import Happening
from pointsman.testing.builders import PodBuilder, pod


def service(name: str, namespace: str = "default", **selector: str) -> Service:
    return Service(metadata=Metadata(name=name, namespace=namespace), spec=ServiceSpec(selector=selector))


def replica_set(name: str, selector: LabelSelector | None, namespace: str = "default") -> ReplicaSet:
    metadata = Metadata(name=name, namespace=namespace)
    return ReplicaSet(metadata=metadata, spec=ControllerSpec(selector=selector))


def replication_controller(name: str, **selector: str) -> ReplicationController:
    metadata = Metadata(name=name, namespace="default")
    return ReplicationController(metadata=metadata, spec=ReplicationControllerSpec(selector=selector))


def labels(**wanted: str) -> LabelSelector:
    return LabelSelector(match_labels=wanted)


def expression(key: str, operator: str, *values: str) -> LabelSelector:
    return LabelSelector(match_expressions=(Requirement(key=key, operator=operator, values=values),))


def equal(**wanted: str) -> Selector:
    return Selector().also(wanted)


def web(**more: str) -> PodBuilder:
    built = pod("web-1").label("app", "web")
    for key, value in more.items():
        built = built.label(key, value)
    return built


def owned(kind: str, name: str, api_version: str = "apps/v1", *, controller: bool = True) -> PodBuilder:
    owner = OwnerReference(kind=kind, name=name, api_version=api_version, controller=controller)
    return web().metadata(owner_references=(owner,))


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        pytest.param({"app": "web"}, True, id="one label"),
        pytest.param({"app": "web", "tier": "x"}, True, id="all labels"),
        pytest.param({"app": "web", "tier": "y"}, False, id="one label differs"),
        pytest.param({"gone": "x"}, False, id="a label the pod lacks"),
        pytest.param({}, False, id="no selector selects nobody"),
    ],
)
def test_a_service_selects_the_pods_that_have_all_its_labels(selector: Labels, expected: bool) -> None:
    world = Cluster()
    world.upsert_service(service("s", **selector))
    found = world.owners.services_of(web(tier="x").info())
    assert list(found) == ([equal(**selector)] if expected else [])


def test_services_of_other_namespaces_do_not_count() -> None:
    world = Cluster()
    world.upsert_service(service("s", "other", app="web"))
    assert list(world.owners.services_of(web().info())) == []


def test_every_service_that_selects_the_pod_is_told() -> None:
    world = Cluster()
    world.upsert_service(service("a", app="web"))
    world.upsert_service(service("b", tier="x"))
    world.upsert_service(service("c", app="db"))
    found = world.owners.services_of(web(tier="x").info())
    assert set(found) == {equal(app="web"), equal(tier="x")}


def test_a_service_that_selects_others_now_has_let_go_of_the_first() -> None:
    world = Cluster()
    world.upsert_service(service("s", app="web"))
    world.upsert_service(service("s", app="db"))
    assert list(world.owners.services_of(web().info())) == []
    world.remove_service(service("s", app="db"))
    assert list(world.owners.services_of(pod("db-1").label("app", "db").info())) == []


def test_news_of_a_service_is_told_once() -> None:
    world, web_service = Cluster(), service("s", app="web")
    assert happened(world.upsert_service(web_service)) == [Happening.SERVICE]
    assert world.upsert_service(web_service) == ()
    (change,) = world.upsert_service(service("s", app="db"))
    assert (change.happening, change.key) == (Happening.SERVICE, ("default", "s"))
    assert happened(world.remove_service(web_service)) == [Happening.SERVICE]
    assert world.remove_service(web_service) == ()


def test_news_of_a_controller_is_told_once() -> None:
    world, controller = Cluster(), replica_set("rs", labels(app="web"))
    assert happened(world.upsert_controller(controller)) == [Happening.SERVICE]
    assert world.upsert_controller(controller) == ()
    assert happened(world.remove_controller(controller)) == [Happening.SERVICE]
    assert world.remove_controller(controller) == ()


CONTROLLERS: tuple[Controller, ...] = (
    replica_set("one", labels(app="web")),
    StatefulSet(metadata=Metadata(name="two", namespace="default"), spec=ControllerSpec(selector=labels(set="x"))),
    replication_controller("three", app="web", old="yes"),
)


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        pytest.param(owned("ReplicaSet", "one"), equal(app="web"), id="ReplicaSet"),
        pytest.param(owned("StatefulSet", "two"), equal(set="x"), id="StatefulSet"),
        pytest.param(
            owned("ReplicationController", "three", "v1"), equal(app="web", old="yes"), id="ReplicationController"
        ),
        pytest.param(owned("ReplicaSet", "two"), None, id="the name of another kind"),
        pytest.param(owned("ReplicaSet", "one", "extensions/v1beta1"), None, id="another API group"),
        pytest.param(owned("ReplicaSet", "one", controller=False), None, id="an owner that does not control"),
        pytest.param(owned("Job", "one", "batch/v1"), None, id="a kind that does not count"),
        pytest.param(web(), None, id="no owner"),
    ],
)
def test_the_controller_of_a_pod_is_found_by_kind_and_name(owner: PodBuilder, expected: Selector | None) -> None:
    world = Cluster()
    for controller in CONTROLLERS:
        world.upsert_controller(controller)
    assert world.owners.controller_selector(owner.info()) == expected


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        pytest.param(labels(app="web"), True, id="labels"),
        pytest.param(labels(app="db"), False, id="other labels"),
        pytest.param(expression("app", "In", "db", "web"), True, id="one of several values"),
        pytest.param(expression("app", "NotIn", "db"), True, id="any other value"),
        pytest.param(expression("app", "Exists"), True, id="the key alone"),
        pytest.param(expression("app", "DoesNotExist"), False, id="not the key"),
        pytest.param(labels(), False, id="an empty selector selects nobody"),
        pytest.param(None, False, id="no selector"),
        pytest.param(expression("app", "Near", "web"), False, id="a selector that cannot be read"),
    ],
)
def test_a_controller_selects_pods_by_its_label_selector(selector: LabelSelector | None, expected: bool) -> None:
    world = Cluster()
    world.upsert_controller(replica_set("rs", selector))
    assert (len(world.owners.controllers_selecting(web().info())) == 1) is expected
    world.remove_controller(replica_set("rs", selector))
    assert list(world.owners.controllers_selecting(web().info())) == []


def test_a_selector_that_cannot_be_read_is_reported_once_by_name(caplog: pytest.LogCaptureFixture) -> None:
    world, bad = Cluster(), replica_set("rs", expression("app", "Near", "web"))
    world.upsert_controller(bad)
    world.upsert_controller(bad)
    (record,) = caplog.records
    assert record.getMessage() == (
        "ReplicaSet default/rs: spec.selector: matchExpressions[0].operator:"
        ' "Near" is not one of In, NotIn, Exists, DoesNotExist; it selects nobody'
    )
    assert world.owners.controller_selector(owned("ReplicaSet", "rs").info()) == NOTHING
