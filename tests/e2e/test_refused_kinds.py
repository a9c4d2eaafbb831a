"""A kind that RBAC keeps from an engine: its rules go without, the profile says so, and everything else works."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.controlplane.wait import eventually
from tests.e2e.conftest import MakeFleet
from tests.e2e.fleet import Fleet, hollow
from tests.e2e.workloads import in_pool, pods, profile

pytestmark = pytest.mark.timeout(240)

ROLE = "pointsman-engine"
KIND = "replicasets"
NAME = "blind"


@pytest.fixture
def trimmed(make_fleet: MakeFleet) -> Iterator[Fleet]:
    """A cluster whose administrator took a kind out of the engines' role."""
    with make_fleet(hollow(1, pool="shared")) as fleet:
        set_rules(fleet, without(KIND, fleet.plane.get("clusterrole", ROLE)["rules"]))
        yield fleet


def without(kind: str, rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**rule, "resources": [one for one in rule["resources"] if one != kind]} for rule in rules]


def set_rules(fleet: Fleet, rules: list[dict[str, Any]]) -> None:
    patch = json.dumps({"rules": rules})
    fleet.plane.kubectl("patch", "clusterrole", ROLE, "--type=merge", "-p", patch)


def notes(fleet: Fleet) -> list[str]:
    found: list[str] = fleet.profile(NAME)["status"]["policy"].get("notes", [])
    return [note for note in found if KIND in note]


def test_the_profile_says_what_its_rules_go_without_until_they_do_not_have_to(trimmed: Fleet) -> None:
    trimmed.apply(profile(NAME))
    trimmed.wait_ready(NAME)
    [note] = eventually(lambda: notes(trimmed), what="a note about the kind", within=30)
    assert note == (
        "cannot list replicasets (403 Forbidden), so there are none for PodTopologySpread: "
        "let ClusterRole pointsman-engine list them, and bind it to the engine's ServiceAccount"
    )
    trimmed.apply(pods("works", 3, NAME, **in_pool("shared")))
    trimmed.wait_bound(3, f"app={NAME}")

    rules = trimmed.plane.get("clusterrole", ROLE)["rules"]
    set_rules(trimmed, [*rules, {"apiGroups": ["apps"], "resources": [KIND], "verbs": ["get", "list", "watch"]}])
    eventually(lambda: notes(trimmed) == [], what="the note to go", within=60)
    assert trimmed.condition(NAME, "Ready")["status"] == "True"
