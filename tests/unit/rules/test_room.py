"""One node apart from the others answers like its row: NodeResourcesFit in plain integers and in columns."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.worlds import cluster, row

from pointsman.policy.node_resources_args import NodeResourcesFitArgs
from pointsman.policy.predicates.node_resources_fit import NodeResourcesFit
from pointsman.testing.builders import node, pod

AMOUNTS = st.fixed_dictionaries(
    {"cpu": st.integers(0, 4)}, optional={"memory": st.integers(0, 4), "example.com/gpu": st.integers(0, 3)}
)


@settings(max_examples=80, deadline=None)
@given(AMOUNTS, st.lists(AMOUNTS, max_size=4), st.lists(AMOUNTS, max_size=2), st.integers(0, 4), st.integers(1, 6))
def test_a_node_alone_answers_like_its_row(
    asked: dict[str, int], there: list[dict[str, int]], more: list[dict[str, int]], gone: int, places: int
) -> None:
    on_node = [pod(f"p{place}").container(requests=amounts).on("n1").info() for place, amounts in enumerate(there)]
    room = node("n1").cpu(6).memory(6).pods(places).allocatable("example.com/gpu", 2)
    here = cluster(node("n0"), room)
    for info in on_node:
        here.upsert_pod(info)
    rule = NodeResourcesFit("NodeResourcesFit", NodeResourcesFitArgs())
    state, at = rule.prepare(pod("p").container(requests=asked).info(), here), row(here, "n1")
    add = [pod(f"q{place}").container(requests=amounts).info() for place, amounts in enumerate(more)]
    remove = on_node[:gone]
    changed = rule.with_pods(state, at, add, remove)
    alone = rule.alone(state, at).with_pods(add, remove)
    assert alone.fits() == bool(rule.feasible(changed, np.array([at]))[0])
    assert alone.reasons() == rule.reasons(changed, at)


def test_amounts_beyond_int64_are_counted_like_those_of_the_columns() -> None:
    here = cluster(node("n1").memory(2**63 - 1))
    rule = NodeResourcesFit("NodeResourcesFit", NodeResourcesFitArgs())
    asking = pod("p").container(memory=1).info()
    huge = [pod(f"h{place}").container(memory=2**63 - 1).info() for place in range(2)]
    state, at = rule.prepare(asking, here), row(here, "n1")
    fits = bool(rule.feasible(rule.with_pods(state, at, huge, ()), np.array([at]))[0])
    assert rule.alone(state, at).with_pods(huge, ()).fits() == fits
