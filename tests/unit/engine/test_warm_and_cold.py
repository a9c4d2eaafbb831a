"""What the columns keep up to date is what they would be if made anew: decisions after a random life and none agree."""

import random
from functools import cache

import pytest
from tests.unit.engine.random_pods import some_pod
from tests.unit.engine.random_world import RandomWorld

from pointsman.api.spec import parse_spec
from pointsman.engine.classes.classes import Classes
from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.explain import Explanation, explain
from pointsman.engine.cycle.nominator import Nominator
from pointsman.policy.build import load
from pointsman.policy.compile import compile_spec
from pointsman.policy.document import canonical_json
from pointsman.policy.policy import Policy
from pointsman.testing.builders import PodBuilder

STEPS = 60
PROBES = 4  # after every step
ZONE = "topology.kubernetes.io/zone"
SPECS = {
    "default": {},
    "old rules": {
        "predicates": [
            {"name": "same-rack", "rule": "ServiceAffinity", "args": {"labels": ["rack", ZONE]}},
            {"name": "MaxGCEPDVolumeCount"},
        ],
        "priorities": [
            {"name": "SelectorSpreadPriority"},
            {"name": "ServiceSpreadingPriority"},
            {"name": "apart", "rule": "ServiceAntiAffinity", "args": {"label": ZONE}},
        ],
    },
}


@cache
def policy(name: str) -> Policy:
    spec = parse_spec({"schedulerName": "ours", **SPECS[name]})
    return load(canonical_json(compile_spec("p", spec).document))


def told(cluster: Cluster, probe: PodBuilder, rules: Policy) -> Explanation:
    return explain(rules, probe.info(), cluster, cluster.pool(None).candidates, Nominator())


@pytest.mark.parametrize("rules", SPECS)
@pytest.mark.parametrize("seed", range(8))
def test_a_cluster_that_has_lived_decides_as_one_made_anew(seed: int, rules: str) -> None:
    world, draw = RandomWorld(seed), random.Random(f"probes {seed}")
    for step in range(STEPS):
        world.step()
        cold = world.rebuilt()
        for number in range(PROBES):
            probe = some_pod(draw, f"probe-{number}", wishes=4)
            assert told(world.cluster, probe, policy(rules)) == told(cold, probe, policy(rules)), f"step {step}"


@pytest.mark.parametrize("rules", SPECS)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_remembered_of_a_class_of_pods_decides_as_if_nothing_was(seed: int, rules: str) -> None:
    """The same few pods are asked about again and again, while other things happen."""
    world, draw = RandomWorld(seed), random.Random(f"classes {seed}")
    probes = [some_pod(draw, f"probe-{number}", wishes=number % 4) for number in range(12)]
    classes, made = Classes(policy(rules)), 0
    for step in range(STEPS):
        world.step()
        cold = world.rebuilt()
        candidates = world.cluster.pool(None).candidates
        for probe in draw.sample(probes, PROBES):
            decided = classes.schedule(policy(rules), probe.info(), world.cluster, candidates, Nominator(), draw)
            fresh = told(cold, probe, policy(rules))
            assert decided.node in (fresh.best or {""}), f"step {step}"
            assert decided.feasible == len(fresh.scored), f"step {step}"
            assert decided.message.startswith(fresh.message), f"step {step}"
            made += bool(decided.node)
    assert len(classes) > 0
    assert made > STEPS, "many of them fit"
