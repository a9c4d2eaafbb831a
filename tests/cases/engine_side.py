"""Situations as the engine sees them: its columns filled with the objects, its default rules asked about the pod."""

import random
from functools import cache

import msgspec

from pointsman.api.spec import parse_spec
from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.cycle import Decision, schedule
from pointsman.engine.cycle.explain import Explanation, explain
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.intake.feeds import feeds
from pointsman.kube.objects import Metadata, Namespace
from pointsman.policy.build import load
from pointsman.policy.compile import compile_spec
from pointsman.policy.document import canonical_json
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from tests.cases.profiles import PROFILES, scheduler_name
from tests.cases.situation import Situation

NAMESPACES = ("default", "other")


@cache
def policy(profile: str) -> Policy:
    """The policy of one of the profiles."""
    spec = parse_spec({"schedulerName": f"test-{scheduler_name(profile)}", **PROFILES[profile].spec})
    return load(canonical_json(compile_spec(profile, spec).document))


def cluster(situation: Situation) -> Cluster:
    """The cluster as it is when the pod arrives."""
    made = Cluster()
    for name in NAMESPACES:
        labels = {"kubernetes.io/metadata.name": name}
        made.set_namespace(Namespace(metadata=Metadata(name=name, uid=f"namespace-{name}", labels=labels)))
    ways = {kind.resource.kind: feed for kind, feed in feeds(made).items()}
    for manifest in situation.objects:
        way = ways[manifest["kind"]]
        way.upsert(msgspec.convert(manifest, way.type))
    for node in situation.nodes:
        made.upsert_node(node.build())
    for pod in situation.pods:
        made.upsert_pod(pod.info())
    return made


def decision(situation: Situation) -> Decision:
    """What the engine does with the pod."""
    world, rules = cluster(situation), policy(situation.profile)
    candidates = world.pool(rules.candidates).candidates
    return schedule(rules, _pod(situation), world, candidates, Nominator(), random.Random(0))


def explanation(situation: Situation) -> Explanation:
    """The same, laid open."""
    world, rules = cluster(situation), policy(situation.profile)
    return explain(rules, _pod(situation), world, world.pool(rules.candidates).candidates, Nominator())


def _pod(situation: Situation) -> PodInfo:
    return situation.pod.info()
