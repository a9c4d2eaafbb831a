"""Building the policy of a document: what an engine runs, and what is said of a document that it cannot run."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.policy.specs import content, off

from pointsman.policy.build import load
from pointsman.policy.document import content_hash
from pointsman.policy.errors import PolicyError
from pointsman.policy.policy import Policy
from pointsman.policy.rule import Predicate, Priority


def changed(**fields: Any) -> bytes:
    """The default document with other top-level fields."""
    return json.dumps({**json.loads(content()), **fields}).encode()


def problems(document: bytes) -> list[str]:
    try:
        load(document)
    except PolicyError as error:
        return [str(problem) for problem in error.problems]
    return []


def test_rules_run_in_the_documents_order_and_guards_after_them() -> None:
    policy = load(content(predicates=[{"name": "own", "rule": "NodeName"}]))
    assert [predicate.name for predicate in policy.predicates] == [
        "NodeUnschedulable",
        "NodeName",
        "TaintToleration",
        "NodeAffinity",
        "NodePorts",
        "NodeResourcesFit",
        "VolumeRestrictions",
        "NodeVolumeLimits",
        "VolumeBinding",
        "VolumeZone",
        "PodTopologySpread",
        "InterPodAffinity",
        "NodeDeclaredFeatures",
        "own",
        "DynamicResources",
    ]
    assert all(isinstance(predicate, Predicate) for predicate in policy.predicates)


def test_priorities_have_their_weights() -> None:
    policy = load(content(priorities=[{"name": "own", "rule": "ImageLocality", "weight": 7}]))
    assert [(entry.priority.name, entry.weight) for entry in policy.priorities] == [
        ("TaintToleration", 3),
        ("NodeAffinity", 2),
        ("NodeResourcesFit", 1),
        ("VolumeBinding", 1),
        ("PodTopologySpread", 2),
        ("InterPodAffinity", 2),
        ("NodeResourcesBalancedAllocation", 1),
        ("ImageLocality", 1),
        ("own", 7),
    ]
    assert all(isinstance(entry.priority, Priority) for entry in policy.priorities)


def test_the_hash_is_that_of_the_bytes_and_not_of_what_they_mean() -> None:
    document = content()
    spaced = json.dumps(json.loads(document), indent=1).encode()
    assert load(document).hash == content_hash(document)
    assert load(spaced).hash == content_hash(spaced) != content_hash(document)


def test_a_policy_knows_its_profile_and_its_scheduler() -> None:
    policy = load(content())
    assert (policy.profile, policy.scheduler_name) == ("test", "test")


def test_without_selectors_all_nodes_and_namespaces_are_the_profiles() -> None:
    policy = load(content())
    assert (policy.candidates, policy.serves) == (None, None)


def selecting() -> Policy:
    return load(
        content(
            nodes={"selector": {"matchLabels": {"pool": "gpu"}}},
            pods={"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["web"]}]}},
        )
    )


@pytest.mark.parametrize(("labels", "chosen"), [({"pool": "gpu"}, True), ({"pool": "cpu"}, False), ({}, False)])
def test_nodes_are_chosen_by_their_labels(labels: dict[str, str], chosen: bool) -> None:
    candidates = selecting().candidates
    assert candidates is not None
    assert candidates(labels) is chosen


@pytest.mark.parametrize(("labels", "served"), [({"team": "ml"}, True), ({"team": "web"}, False), ({}, True)])
def test_namespaces_are_served_by_their_labels(labels: dict[str, str], served: bool) -> None:
    serves = selecting().serves
    assert serves is not None
    assert serves(labels) is served


BAD: dict[str, tuple[bytes, str]] = {
    "not JSON": (b"{", "policy document: cannot be read: "),
    "not UTF-8": (b'"\xff"', "policy document: cannot be read: "),
    "nested without end": (b"[" * 100_000, "policy document: cannot be read: "),
    "of another shape": (b"[]", "policy document: cannot be read: "),
    "unknown field": (
        changed(extenders=[]),
        "policy document: cannot be read: Object contains unknown field `extenders`",
    ),
    "of another version": (
        changed(apiVersion="pointsman.dev/policy-v2"),
        'apiVersion: "pointsman.dev/policy-v2" is not pointsman.dev/policy-v1',
    ),
    "unknown rule": (
        changed(predicates=[{"name": "a", "rule": "DynamicResources"}]),
        'predicates[a].rule: unknown rule "DynamicResources"',
    ),
    "a predicate that only scores": (
        changed(predicates=[{"name": "a", "rule": "ImageLocality"}]),
        "predicates[a].rule: ImageLocality is not a predicate",
    ),
    "a priority that only filters": (
        changed(priorities=[{"name": "a", "rule": "NodeName", "weight": 1}]),
        "priorities[a].rule: NodeName is not a priority",
    ),
    "unknown args": (
        changed(predicates=[{"name": "a", "rule": "NodeResourcesFit", "args": {"x": 1}}]),
        "predicates[a].args.x: unknown field; known are ignoredResources, ignoredResourceGroups, scoringStrategy",
    ),
    "no weight": (
        changed(priorities=[{"name": "a", "rule": "ImageLocality", "weight": 0}]),
        "priorities[a].weight: 0 must be at least 1",
    ),
    "unknown guard": (changed(guards=["VolumeZone"]), 'guards: unknown rule "VolumeZone"'),
    "bad selector": (
        changed(nodes={"selector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}}),
        'nodes.selector.matchExpressions[0].operator: "Near" is not one of In, NotIn, Exists, DoesNotExist',
    ),
    "back-off the wrong way round": (
        changed(queue={"podInitialBackoffSeconds": 5, "podMaxBackoffSeconds": 1}),
        "queue: podInitialBackoffSeconds must be between 1 and podMaxBackoffSeconds",
    ),
    "a share of nodes": (
        changed(preemption={"minCandidateNodesPercentage": 101}),
        "preemption.minCandidateNodesPercentage: 101 must be between 0 and 100",
    ),
    "a number of nodes": (
        changed(preemption={"minCandidateNodesAbsolute": -1}),
        "preemption.minCandidateNodesAbsolute: -1 must be at least 0",
    ),
    "no nodes to try": (
        changed(preemption={"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 0}),
        "preemption: minCandidateNodesPercentage and minCandidateNodesAbsolute must not both be 0",
    ),
}


@pytest.mark.parametrize(("document", "message"), BAD.values(), ids=BAD)
def test_a_document_that_an_engine_cannot_run_is_refused_in_one_line(document: bytes, message: str) -> None:
    (found,) = problems(document)
    assert found.startswith(message)
    assert "\n" not in found


def test_all_problems_of_a_document_are_told() -> None:
    document = changed(
        predicates=[{"name": "a", "rule": "A"}, {"name": "b", "rule": "B"}],
        priorities=[{"name": "c", "rule": "C", "weight": 1}],
    )
    assert [problem.partition(":")[0] for problem in problems(document)] == [
        "predicates[a].rule",
        "predicates[b].rule",
        "priorities[c].rule",
    ]


def test_a_policy_without_any_rule_can_be_run() -> None:
    policy = load(content(base="None", predicates=off("NodeUnschedulable", "TaintToleration")))
    assert (policy.predicates, policy.priorities) == ((), ())


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode(errors="surrogatepass")))
def test_nothing_but_a_policy_error_is_raised_for_any_bytes(document: bytes) -> None:
    assert problems(document)
