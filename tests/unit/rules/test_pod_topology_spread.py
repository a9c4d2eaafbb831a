"""PodTopologySpread, the predicate. Throughout, a node fits if pods of its domain + own - fewest <= maxSkew."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.kube.objects import LabelSelector
from pointsman.kube.workload_objects import Service, ServiceSpec
from pointsman.policy.pod import PodInfo
from pointsman.policy.predicates.pod_topology_spread import PodTopologySpread, State
from pointsman.policy.rule import SKIP, Skip
from pointsman.policy.spread.args import PodTopologySpreadArgs
from pointsman.testing.builders import NodeBuilder, PodBuilder, asks, node, pod, term

RULE = PodTopologySpread("PodTopologySpread", PodTopologySpreadArgs())
WEB = asks(app="web")
SKEW = "node(s) didn't match pod topology spread constraints"
LABEL = "node(s) didn't match pod topology spread constraints (missing required label)"


def zone(name: str) -> NodeBuilder:
    """A node that is alone in the zone of its name."""
    return node(name).label("zone", name)


def web(name: str = "p", namespace: str = "default") -> PodBuilder:
    return pod(name, namespace).label("app", "web")


def running(on: str, count: int, like: PodBuilder | None = None) -> list[PodBuilder]:
    template = like or web()
    return [template.metadata(name=f"{on}-{number}", uid=f"{on}-{number}").on(on) for number in range(count)]


def view(nodes: Sequence[NodeBuilder], *pods: Sequence[PodBuilder], **more: Any) -> HandView:
    return HandView([item.build() for item in nodes], [item.build() for some in pods for item in some], **more)


def three_zones() -> HandView:
    return view([zone("a"), zone("b"), zone("c")], running("a", 3), running("b", 1))


def prepared(on: HandView, incoming: PodInfo) -> State:
    state = RULE.prepare(incoming, on)
    assert not isinstance(state, Skip)
    return state


@pytest.mark.parametrize(
    ("incoming", "expected"),
    [
        # pods 3, 1, 0; the fewest are 0
        pytest.param(web().spread("zone", WEB), "c", id="skew 1"),
        pytest.param(web().spread("zone", WEB, max_skew=2), "bc", id="skew 2"),
        pytest.param(web().spread("zone", WEB, max_skew=3), "bc", id="skew 3: 3 + 1 is one too many"),
        pytest.param(web().spread("zone", WEB, max_skew=4), "abc", id="skew 4"),
        pytest.param(pod("p").spread("zone", WEB), "bc", id="a pod that its own selector misses adds nothing"),
        pytest.param(web("p", "other").spread("zone", WEB), "abc", id="pods of other namespaces do not count"),
        pytest.param(web().spread("zone", None), "abc", id="no selector counts nothing"),
        pytest.param(web().spread("zone", asks()), "abc", id="an empty selector counts nothing"),
        pytest.param(web().spread("zone", asks(("app", "Exists"))), "c", id="expressions"),
        pytest.param(web().spread("zone", WEB, min_domains=3), "c", id="as many domains as wanted"),
        pytest.param(web().spread("zone", WEB).spread("zone", WEB, max_skew=9), "c", id="every constraint binds"),
    ],
)
def test_a_domain_takes_the_pod_while_it_is_not_too_far_ahead(incoming: PodBuilder, expected: str) -> None:
    assert feasible(RULE, three_zones(), incoming.info()) == list(expected)


@pytest.mark.parametrize(
    ("min_domains", "expected"),
    [
        pytest.param(2, "ab", id="enough domains: 2 + 1 - 2 is 1"),
        pytest.param(3, "", id="too few domains: the fewest count as 0, and 2 + 1 is too many"),
    ],
)
def test_with_fewer_domains_than_wanted_the_emptiest_counts_as_empty(min_domains: int, expected: str) -> None:
    world = view([zone("a"), zone("b")], running("a", 2), running("b", 2))
    incoming = web().spread("zone", WEB, min_domains=min_domains)
    assert feasible(RULE, world, incoming.info()) == list(expected)


def test_nodes_of_one_domain_share_its_pods() -> None:
    world = view(
        [node("a1").label("zone", "a"), node("a2").label("zone", "a"), node("b1").label("zone", "b")],
        running("a1", 1),
    )
    assert feasible(RULE, world, web().spread("zone", WEB).info()) == ["b1"]


def test_pods_that_are_being_deleted_do_not_count() -> None:
    # C25
    world = view([zone("a"), zone("b")], running("a", 1), running("b", 2, web().terminating()))
    assert feasible(RULE, world, web().spread("zone", WEB).info()) == ["b"]


@pytest.mark.parametrize(
    ("keys", "labels", "expected"),
    [
        # old pods 2, 2, 1 on a, b, c
        pytest.param((), {"hash": "new"}, "c", id="without keys every revision counts"),
        pytest.param(("hash",), {"hash": "new"}, "abc", id="the new revision has no pods yet"),
        pytest.param(("gone",), {"hash": "new"}, "c", id="a key that the pod lacks is left out"),
        pytest.param(("hash",), {"hash": "old"}, "c", id="the old revision is counted by itself"),
    ],
)
def test_match_label_keys_ask_for_the_pods_own_labels(
    keys: tuple[str, ...], labels: dict[str, str], expected: str
) -> None:
    # C24
    old = web().label("hash", "old")
    world = view([zone("a"), zone("b"), zone("c")], running("a", 2, old), running("b", 2, old), running("c", 1, old))
    incoming = web().spread("zone", WEB, match_label_keys=keys)
    for key, value in labels.items():
        incoming = incoming.label(key, value)
    assert feasible(RULE, world, incoming.info()) == list(expected)


def test_a_selector_that_the_api_server_has_merged_already_means_the_same() -> None:
    old = web().label("hash", "old")
    world = view([zone("a"), zone("b")], running("a", 2, old))
    incoming = web().label("hash", "new").spread("zone", asks(app="web", hash="new"), match_label_keys=("hash",))
    assert feasible(RULE, world, incoming.info()) == ["a", "b"]


@pytest.mark.parametrize(
    ("fields", "tolerates", "expected"),
    [
        # pods 0 on the tainted t, 1 each on a and b
        pytest.param({}, False, "t", id="a tainted node counts: it is the emptiest"),
        pytest.param({"node_taints_policy": "Ignore"}, False, "t", id="the same in so many words"),
        pytest.param({"node_taints_policy": "Honor"}, False, "tab", id="heeding taints: 1 + 1 - 1, and 0 + 1 - 1"),
        pytest.param({"node_taints_policy": "Honor"}, True, "t", id="a taint that is tolerated does not matter"),
    ],
)
def test_tainted_nodes_count_unless_the_constraint_heeds_taints(
    fields: dict[str, str], tolerates: bool, expected: str
) -> None:
    # C20
    world = view([zone("t").taint("role", "cp"), zone("a"), zone("b")], running("a", 1), running("b", 1))
    incoming = web().spread("zone", WEB, **fields)
    assert feasible(RULE, world, (incoming.tolerate("role") if tolerates else incoming).info()) == list(expected)


def test_a_taint_that_repels_nobody_does_not_exclude_its_node() -> None:
    world = view([zone("t").taint("x", effect="PreferNoSchedule"), zone("a")], running("a", 1))
    incoming = web().spread("zone", WEB, node_taints_policy="Honor")
    assert feasible(RULE, world, incoming.info()) == ["t"]


SELECTED = web().spread("zone", WEB).select("pool", "x")
REQUIRED = web().spread("zone", WEB).require(term(("pool", "In", "x")))
UNREADABLE = web().spread("zone", WEB).require(term(("pool", "Near", "x")))


@pytest.mark.parametrize(
    ("incoming", "expected"),
    [
        # pods 0 on z, which is not in the pool; 1 on a and 2 on b, which are
        pytest.param(SELECTED, "za", id="nodeSelector: the fewest are 1, on a"),
        pytest.param(REQUIRED, "za", id="required node affinity"),
        pytest.param(UNREADABLE, "zab", id="a term that cannot be read matches no node: no domain has pods"),
        pytest.param(web().spread("zone", WEB, node_affinity_policy="Ignore").select("pool", "x"), "z", id="ignored"),
    ],
)
def test_nodes_that_the_pod_does_not_want_do_not_count(incoming: PodBuilder, expected: str) -> None:
    """They are judged all the same, by a domain that may be empty: other predicates refuse them."""
    nodes = [zone("z"), zone("a").label("pool", "x"), zone("b").label("pool", "x")]
    assert feasible(RULE, view(nodes, running("a", 1), running("b", 2)), incoming.info()) == list(expected)


def test_a_node_without_one_of_the_keys_counts_for_no_constraint() -> None:
    """u would be an empty zone, but has no rack."""
    nodes = [zone("a").label("rack", "1"), zone("b").label("rack", "2"), zone("u")]
    world = view(nodes, running("a", 1), running("b", 1))
    incoming = web().spread("zone", WEB).spread("rack", WEB)
    assert feasible(RULE, world, incoming.info()) == ["a", "b"]
    assert reasons(RULE, world, incoming.info()) == {"u": (LABEL,)}


def test_an_empty_label_is_a_domain_like_any_other() -> None:
    world = view([node("n").label("zone", ""), zone("a")], running("a", 1))
    assert feasible(RULE, world, web().spread("zone", WEB).info()) == ["n"]


def test_the_first_constraint_that_fails_gives_the_reason_and_says_whether_preemption_helps() -> None:
    """a is too full by zone; u has no zone; r is right by zone and has no rack; c is full by zone and has no rack."""
    nodes = [
        zone("a").label("rack", "1"),
        node("u").label("rack", "2"),
        node("r").label("zone", "z"),
        node("c").label("zone", "a"),
        zone("z").label("rack", "3"),
    ]
    world = view(nodes, running("a", 1))
    incoming = web().spread("zone", WEB).spread("rack", WEB).info()
    assert reasons(RULE, world, incoming) == {"a": (SKEW,), "u": (LABEL,), "r": (LABEL,), "c": (SKEW,)}
    state = prepared(world, incoming)
    assert RULE.resolvable(state, world.rows[:4]).tolist() == [True, False, False, True]
    assert dict(RULE.count_reasons(state, world.rows[:4])) == {SKEW: 2, LABEL: 2}


@pytest.mark.parametrize(
    "incoming",
    [
        pytest.param(web(), id="no constraint"),
        pytest.param(web().spread("zone", WEB, "ScheduleAnyway"), id="only soft ones"),
    ],
)
def test_a_pod_without_hard_constraints_is_not_looked_at(incoming: PodBuilder) -> None:
    assert RULE.prepare(incoming.info(), three_zones()) == SKIP


SERVICE = Service(metadata=web("s").build().metadata, spec=ServiceSpec(selector={"app": "web"}))
LISTED = PodTopologySpreadArgs.model_validate(
    {
        "defaultingType": "List",
        "defaultConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
    }
)


@pytest.mark.parametrize(
    ("incoming", "services", "expected"),
    [
        pytest.param(web(), [SERVICE], "c", id="a pod of a Service"),
        pytest.param(web(), [], "abc", id="a pod of nobody"),
        pytest.param(web().spread("zone", WEB, "ScheduleAnyway"), [SERVICE], "abc", id="one with its own constraints"),
    ],
)
def test_listed_constraints_bind_pods_that_bring_none(
    incoming: PodBuilder, services: list[Service], expected: str
) -> None:
    world = view([zone("a"), zone("b"), zone("c")], running("a", 3), running("b", 1), services=services)
    assert feasible(PodTopologySpread("x", LISTED), world, incoming.info()) == list(expected)


@pytest.mark.parametrize(
    ("add", "remove", "expected"),
    [
        # pods 3, 1, 0 with skew 2: at most 1 more than the fewest
        pytest.param((), ("web",), "bc", id="one of three goes: 2 + 1"),
        pytest.param((), ("web", "web"), "abc", id="two of three go: 1 + 1"),
        pytest.param((), ("other", "elsewhere"), "bc", id="pods that do not count change nothing"),
        pytest.param(("web",), ("web",), "bc", id="one comes and one goes"),
        pytest.param((), ("ending", "ending"), "abc", id="one that is being deleted is taken off, though not counted"),
    ],
)
def test_the_pods_of_a_row_can_be_thought_away(add: tuple[str, ...], remove: tuple[str, ...], expected: str) -> None:
    kinds = {
        "web": web().info(),
        "other": pod("o").info(),
        "elsewhere": web("e", "other").info(),
        "ending": web().terminating().info(),
    }
    world = three_zones()
    state = prepared(world, web().spread("zone", WEB, max_skew=2).info())
    changed = RULE.with_pods(state, 1, [kinds[kind] for kind in add], [kinds[kind] for kind in remove])
    fits = RULE.feasible(changed, world.rows)
    assert "".join(name for name, fit in zip("abc", fits, strict=True) if fit) == expected
    assert RULE.feasible(state, world.rows).tolist() == [False, True, True]


def test_a_node_that_does_not_count_stays_so_with_other_pods() -> None:
    world = view([zone("a"), zone("b"), node("u")], running("a", 1))
    state = prepared(world, web().spread("zone", WEB).info())
    assert RULE.with_pods(state, 3, [web().info()] * 5, ()) is state


def test_an_empty_selector_counts_no_pods_but_those_that_come_and_go() -> None:
    """updateWithPod matches every pod of the namespace with it: 0 + 2 + 1 is too many for skew 1."""
    world = three_zones()
    state = prepared(world, web().spread("zone", asks()).info())
    assert RULE.feasible(RULE.with_pods(state, 3, [pod("x").info(), pod("y").info()], ()), world.rows).tolist() == [
        True,
        True,
        False,
    ]


def critical_paths(counts: list[int], order: list[int], domain: int, changes: list[int]) -> list[int]:
    """kube-scheduler's two emptiest domains as pods come and go in one domain; the fewest pods after each change."""
    paths: list[list[Any]] = [[None, 2**31 - 1], [None, 2**31 - 1]]

    def update(where: int, pods: int) -> None:
        if where in (paths[0][0], paths[1][0]):
            paths[0 if where == paths[0][0] else 1][1] = pods
            if paths[0][1] > paths[1][1]:
                paths.reverse()
        elif pods < paths[0][1]:
            paths[1] = paths[0]
            paths[0] = [where, pods]
        elif pods < paths[1][1]:
            paths[1] = [where, pods]

    for place in order:
        update(place, counts[place])
    fewest, pods = [], counts[domain]
    for change in changes:
        pods += change
        update(domain, pods)
        fewest.append(paths[0][1])
    return fewest


@given(st.data())
def test_thinking_pods_away_gives_the_minimum_that_kube_scheduler_tracks(data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    order = data.draw(st.permutations(range(len(counts))))
    domain = data.draw(st.integers(0, len(counts) - 1))
    changes = data.draw(st.lists(st.sampled_from((1, -1)), max_size=6))
    names = "abcd"[: len(counts)]
    world = view([zone(name) for name in names], *(running(*pair) for pair in zip(names, counts, strict=True)))
    incoming = web().spread("zone", WEB).info()
    state, extra = prepared(world, incoming), web().info()
    for change, fewest in zip(changes, critical_paths(counts, order, domain, changes), strict=True):
        pods = ([extra], ()) if change > 0 else ((), [extra])
        state = RULE.with_pods(state, domain + 1, *pods)
        counts[domain] += change
        expected = [count + 1 - fewest <= 1 for count in counts]
        assert RULE.feasible(state, world.rows).tolist() == expected


BAD = LabelSelector(match_labels={"app": "no value!"})


def test_a_constraint_that_cannot_be_read_is_named_with_its_field() -> None:
    incoming = web().spread("zone", WEB).spread("zone", asks(("app", "Near", "x"))).spread("zone", BAD).info()
    path = "spec.topologySpreadConstraints[1].labelSelector.matchExpressions[0].operator"
    assert incoming.errors == (
        f'{path}: "Near" is not one of In, NotIn, Exists, DoesNotExist',
        'spec.topologySpreadConstraints[2].labelSelector.matchLabels[app]: "no value!" is not a valid label value',
    )
    assert incoming.spread.constraints == ()


def test_rows_are_asked_in_any_order_and_number() -> None:
    world = three_zones()
    state = prepared(world, web().spread("zone", WEB).info())
    assert RULE.feasible(state, np.array([3, 1, 3], np.intp)).tolist() == [True, False, True]
    assert RULE.feasible(state, np.array([], np.intp)).tolist() == []
    assert re.match("node", RULE.reasons(state, 1)[0])
