"""Profiles under comparison: one description each, told to kube-scheduler and to Pointsman in their own words.

The first is always the stock one; the others draw args, weights and disabled rules from a seed, so that every args
field of the built-in rules is met in many combinations.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pointsman.api import catalogue
from pointsman.api.spec import parse_spec
from pointsman.policy.build import build
from pointsman.policy.compile import compile_spec
from pointsman.policy.document import canonical_json
from pointsman.policy.policy import Policy

COUNT: Final = 8
Args = dict[str, Any]

_API_VERSION: Final = "kubescheduler.config.k8s.io/v1"
_STRATEGY_RESOURCES: Final = (
    "cpu",
    "memory",
    "ephemeral-storage",
    "example.com/gpu",
    "example.com/fpga",
    "hugepages-2Mi",
)
_PREEMPTION: Final[tuple[Args, ...]] = (
    {},
    {"minCandidateNodesPercentage": 100, "minCandidateNodesAbsolute": 1},
    {"minCandidateNodesPercentage": 10, "minCandidateNodesAbsolute": 1},
    {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 3},
)
_SCORERS: Final = (
    "TaintToleration",
    "NodeAffinity",
    "NodeResourcesFit",
    "PodTopologySpread",
    "InterPodAffinity",
    "NodeResourcesBalancedAllocation",
    "ImageLocality",
)


@dataclass(frozen=True, slots=True)
class Variant:
    """One profile: args and weights by rule, rules that are off, and preemption's args (no rule in our words)."""

    name: str
    args: Mapping[str, Args] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)
    off: tuple[str, ...] = ()
    preemption: Args = field(default_factory=dict)

    def configuration(self) -> dict[str, Any]:
        """As a profile of a KubeSchedulerConfiguration."""
        args = {**self.args, **({"DefaultPreemption": self.preemption} if self.preemption else {})}
        typed = {rule: {"apiVersion": _API_VERSION, "kind": f"{rule}Args", **values} for rule, values in args.items()}
        return {
            "schedulerName": self.name,
            "plugins": {
                "multiPoint": {"disabled": [{"name": rule} for rule in self.off]},
                "score": {"enabled": [{"name": rule, "weight": weight} for rule, weight in self.weights.items()]},
            },
            "pluginConfig": [{"name": rule, "args": values} for rule, values in typed.items()],
        }

    def spec(self) -> dict[str, Any]:
        """As the spec of a SchedulerProfile."""
        predicates: dict[str, Any] = {}
        priorities: dict[str, Any] = {}
        for rule in {**self.args, **self.weights, **dict.fromkeys(self.off)}:
            known = catalogue.canonical(rule)
            assert known is not None, rule
            if rule in self.off:
                if known.base_predicate:
                    predicates[rule] = {"state": "Disabled"}
                if known.base_priority:
                    priorities[rule] = {"state": "Disabled"}
                continue
            if rule in self.args:
                (predicates if known.predicate else priorities)[rule] = {"args": self.args[rule]}
            if rule in self.weights:
                priorities.setdefault(rule, {})["weight"] = self.weights[rule]
        return {
            "schedulerName": self.name,
            "preemption": {"args": self.preemption},
            "predicates": [{"name": rule, **entry} for rule, entry in predicates.items()],
            "priorities": [{"name": rule, **entry} for rule, entry in priorities.items()],
        }

    def policy(self) -> Policy:
        """The policy that Pointsman makes of it."""
        document = compile_spec(self.name, parse_spec(self.spec())).document
        return build(document, canonical_json(document))


def variants(seed: int, epoch: int) -> tuple[Variant, ...]:
    """The stock profile and others, always the same ones for a seed and an epoch."""
    rng = random.Random(f"profiles {seed} {epoch}")
    return (Variant("oracle-0"), *(_variant(f"oracle-{number}", rng) for number in range(1, COUNT)))


def _variant(name: str, rng: random.Random) -> Variant:
    makers: dict[str, Callable[[random.Random], Args]] = {
        "NodeAffinity": _node_affinity,
        "NodeResourcesFit": _fit,
        "NodeResourcesBalancedAllocation": _balanced,
        "PodTopologySpread": _spread,
        "InterPodAffinity": _inter_pod_affinity,
        "VolumeBinding": _volume_binding,
    }
    off = tuple(rng.sample(_SCORERS, 1)) if rng.random() < 0.25 else ()
    built = {entry.name for entry in catalogue.base() if entry.standing is catalogue.Standing.BUILT}
    chosen = [rule for rule in makers if rng.random() < 0.6 and rule in built and rule not in off]
    weighted = [rule for rule in _SCORERS if rng.random() < 0.3 and rule in built and rule not in off]
    return Variant(
        name,
        args={rule: makers[rule](rng) for rule in chosen},
        weights={rule: rng.choice([1, 2, 5, 10, 50, 100]) for rule in weighted},
        off=off,
        preemption=rng.choice(_PREEMPTION),
    )


def _node_affinity(rng: random.Random) -> Args:
    added: Args = {}
    if rng.random() < 0.6:
        terms = [[{"key": "pool", "operator": "In", "values": ["a", "b"]}]]
        if rng.random() < 0.5:
            terms.append([{"key": "disk", "operator": "Exists"}])
        added["requiredDuringSchedulingIgnoredDuringExecution"] = {
            "nodeSelectorTerms": [{"matchExpressions": term} for term in terms]
        }
    if rng.random() < 0.6 or not added:
        added["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {
                "weight": rng.randint(1, 100),
                "preference": {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]},
            }
            for key, value in rng.sample([("pool", "a"), ("disk", "ssd"), ("tier", "3")], rng.randint(1, 3))
        ]
    return {"addedAffinity": added}


def _fit(rng: random.Random) -> Args:
    args: Args = {}
    if rng.random() < 0.4:
        args["ignoredResources"] = rng.sample(["example.com/gpu", "other.example.com/nic"], rng.randint(1, 2))
    if rng.random() < 0.3:
        args["ignoredResourceGroups"] = ["other.example.com"]
    kind = rng.choice(["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"])
    names = rng.sample(_STRATEGY_RESOURCES, rng.randint(1, 4))
    strategy: Args = {
        "type": kind,
        "resources": [{"name": name, "weight": rng.choice([1, 1, 3, 10, 100])} for name in names],
    }
    if kind == "RequestedToCapacityRatio":
        points = sorted(rng.sample(range(101), rng.randint(1, 5)))
        strategy["requestedToCapacityRatio"] = {
            "shape": [{"utilization": point, "score": rng.randint(0, 10)} for point in points]
        }
    args["scoringStrategy"] = strategy
    return args


def _balanced(rng: random.Random) -> Args:
    names = rng.sample(_STRATEGY_RESOURCES, rng.randint(1, 4))
    return {"resources": [{"name": name, "weight": 1} for name in names]}


def _spread(rng: random.Random) -> Args:
    if rng.random() < 0.2:
        return {"defaultingType": "System"}
    keys = rng.sample(["topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack"], rng.randint(0, 2))
    return {
        "defaultingType": "List",
        "defaultConstraints": [
            {
                "maxSkew": rng.randint(1, 3),
                "topologyKey": key,
                "whenUnsatisfiable": rng.choice(["DoNotSchedule", "ScheduleAnyway"]),
            }
            for key in keys
        ],
    }


def _inter_pod_affinity(rng: random.Random) -> Args:
    return {
        "hardPodAffinityWeight": rng.choice([0, 1, 7, 100]),
        "ignorePreferredTermsOfExistingPods": rng.random() < 0.5,
    }


def _volume_binding(rng: random.Random) -> Args:
    return {"bindTimeoutSeconds": rng.choice([30, 600])}
