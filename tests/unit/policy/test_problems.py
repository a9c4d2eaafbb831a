"""What does not compile, and what is said about it: golden messages, each with the path that the user wrote."""

import pytest
from tests.unit.policy.specs import Entries, off, on, problems


def fit(**args: object) -> Entries:
    return [{"name": "NodeResourcesFit", "args": args}]


def beside_the_fit(strategy: str) -> str:
    return (
        "must not stand beside spec.priorities[NodeResourcesFit], which the base has and which scores the same"
        f" resources: disable that one, or give it args.scoringStrategy.type {strategy} and remove this entry"
    )


FIT = "spec.priorities[NodeResourcesFit].args"
RATIO = {"type": "RequestedToCapacityRatio"}

PREDICATES = {
    "unknown": (
        on("NodeResourceFit"),
        'spec.predicates[NodeResourceFit]: unknown rule "NodeResourceFit", did you mean NodeResourcesFit?',
    ),
    "unknown and near nothing": (
        on("same-rack"),
        'spec.predicates[same-rack]: unknown rule "same-rack", a name of your own needs a rule',
    ),
    "unknown rule of an instance": (
        [{"name": "mine", "rule": "NodeNane"}],
        'spec.predicates[mine].rule: unknown rule "NodeNane", did you mean NodeName?',
    ),
    "a known rule's name with another rule": (
        [{"name": "NodePorts", "rule": "NodeName"}],
        'spec.predicates[NodePorts].rule: must be NodePorts or left out: "NodePorts" is that rule\'s name',
    ),
    "both names": (
        on("NodeResourcesFit", "PodFitsResources"),
        "spec.predicates[PodFitsResources]: is the same rule as spec.predicates[NodeResourcesFit]: list it once",
    ),
    "one name twice": (on("NodeName", "NodeName"), "spec.predicates[NodeName]: is listed twice"),
    "own name twice": (
        [{"name": "a", "rule": "NodeName"}, {"name": "a", "rule": "NodePorts"}],
        "spec.predicates[a]: is listed twice",
    ),
    "on and off": (
        on("NodeName") + off("HostName"),
        "spec.predicates[HostName]: is the same rule as spec.predicates[NodeName]: list it once",
    ),
    "a group and a part": (
        on("GeneralPredicates", "HostName"),
        "spec.predicates[HostName]: is the same rule as spec.predicates[GeneralPredicates]: list it once",
    ),
    "args of a group": (
        [{"name": "GeneralPredicates", "args": {}}],
        (
            "spec.predicates[GeneralPredicates].args: must not be set: GeneralPredicates stands for NodeName,"
            " NodeAffinity, NodePorts, NodeResourcesFit"
        ),
    ),
    "an instance of a group": (
        [{"name": "a", "rule": "GeneralPredicates"}],
        (
            "spec.predicates[a].rule: GeneralPredicates stands for NodeName, NodeAffinity, NodePorts, NodeResourcesFit:"
            " name one of them"
        ),
    ),
    "always on": (
        on("PrioritySort"),
        "spec.predicates[PrioritySort]: PrioritySort is always on and cannot be listed; remove it",
    ),
    "always on, disabled": (
        off("SchedulingGates"),
        "spec.predicates[SchedulingGates]: SchedulingGates is always on and cannot be listed; remove it",
    ),
    "the binder": (
        on("DefaultBinder"),
        "spec.predicates[DefaultBinder]: DefaultBinder is always on and cannot be listed; remove it",
    ),
    "preemption": (
        on("DefaultPreemption"),
        "spec.predicates[DefaultPreemption]: DefaultPreemption cannot be listed: use spec.preemption",
    ),
    "not in this release": (
        on("DynamicResources"),
        "spec.predicates[DynamicResources]: rule DynamicResources is known, not in this release",
    ),
    "an instance of what is not in this release": (
        [{"name": "cards", "rule": "DynamicResources"}],
        "spec.predicates[cards]: rule DynamicResources is known, not in this release",
    ),
    "obsolete": (
        on("CheckNodeMemoryPressure"),
        (
            "spec.predicates[CheckNodeMemoryPressure]: CheckNodeMemoryPressure is obsolete: nodes carry a taint for it"
            " since Kubernetes 1.12, which TaintToleration heeds; remove it"
        ),
    ),
    "a priority": (
        on("ImageLocality"),
        "spec.predicates[ImageLocality]: ImageLocality is not a predicate: list it under spec.priorities",
    ),
    "disabling what is unknown": (
        off("NodePort"),
        'spec.predicates[NodePort]: disables nothing: unknown rule "NodePort", did you mean NodePorts?',
    ),
    "disabling what is not in the base": (
        off("ServiceAffinity"),
        "spec.predicates[ServiceAffinity]: disables nothing: ServiceAffinity is not a predicate of the base",
    ),
    "disabling a priority": (
        off("BalancedResourceAllocation"),
        (
            "spec.predicates[BalancedResourceAllocation]: NodeResourcesBalancedAllocation is not a predicate:"
            " list it under spec.priorities"
        ),
    ),
}


@pytest.mark.parametrize(("predicates", "message"), PREDICATES.values(), ids=PREDICATES)
def test_a_bad_predicate_is_refused(predicates: Entries, message: str) -> None:
    assert problems(predicates=predicates) == [message]


ARGS = {
    "not one of": (
        fit(scoringStrategy={"type": "MostAlocated"}),
        (
            f'{FIT}.scoringStrategy.type: "MostAlocated" is not one of LeastAllocated, MostAllocated,'
            " RequestedToCapacityRatio"
        ),
    ),
    "unknown field": (fit(scoringStrategi={}), f"{FIT}.scoringStrategi: unknown field, did you mean scoringStrategy?"),
    "unknown field below": (
        fit(scoringStrategy={"type": "MostAllocated", "resource": []}),
        f"{FIT}.scoringStrategy.resource: unknown field, did you mean resources?",
    ),
    "field in the other spelling": (
        fit(ignored_resources=[]),
        f"{FIT}.ignored_resources: unknown field, did you mean ignoredResources?",
    ),
    "missing field": (fit(scoringStrategy={}), f"{FIT}.scoringStrategy.type: must be set"),
    "wrong type": (fit(ignoredResources="gpu"), f'{FIT}.ignoredResources: "gpu" is not a list'),
    "wrong type of an item": (fit(ignoredResources=[1]), f"{FIT}.ignoredResources[0]: 1 is not a string"),
    "out of range": (
        fit(scoringStrategy={"type": "MostAllocated", "resources": [{"name": "cpu", "weight": 101}]}),
        f"{FIT}.scoringStrategy.resources[0].weight: 101 must be at most 100",
    ),
    "number as text": (
        fit(scoringStrategy={"type": "MostAllocated", "resources": [{"name": "cpu", "weight": "3"}]}),
        f'{FIT}.scoringStrategy.resources[0].weight: "3" is not an integer',
    ),
    "a list too short": (
        fit(scoringStrategy={**RATIO, "requestedToCapacityRatio": {"shape": []}}),
        f"{FIT}.scoringStrategy.requestedToCapacityRatio.shape: must not be empty",
    ),
    "wrong apiVersion": (
        fit(apiVersion="kubescheduler.config.k8s.io/v1beta3"),
        f'{FIT}.apiVersion: "kubescheduler.config.k8s.io/v1beta3" is not kubescheduler.config.k8s.io/v1',
    ),
    "wrong kind": (fit(kind="NodeAffinityArgs"), f'{FIT}.kind: "NodeAffinityArgs" is not NodeResourcesFitArgs'),
    "args for a rule without": (
        [{"name": "ImageLocality", "args": {"a": 1}}],
        "spec.priorities[ImageLocality].args.a: unknown field: none is known here",
    ),
    "too large": (
        fit(ignoredResources=["example.com/" + "a" * 50] * 200),
        f"{FIT}: must not be larger than 8192 bytes of JSON, has 13022",  # 200 * (62 + 2 quotes + comma) + 22
    ),
}


@pytest.mark.parametrize(("priorities", "message"), ARGS.values(), ids=ARGS)
def test_bad_args_are_refused(priorities: Entries, message: str) -> None:
    assert problems(priorities=priorities) == [message]


SHAPE = {"shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]}
LEAST = {"name": "LeastRequestedPriority"}


@pytest.mark.parametrize(
    ("entry", "strategy"),
    [
        (LEAST, "LeastAllocated"),
        ({"name": "NodeResourcesMostAllocated"}, "MostAllocated"),
        ({"name": "RequestedToCapacityRatioPriority", "args": SHAPE}, "RequestedToCapacityRatio"),
        ({"name": "mine", "rule": "MostRequestedPriority"}, "MostAllocated"),
    ],
)
@pytest.mark.parametrize("more", [[], fit()], ids=["the base's", "the base's, listed"])
def test_what_would_cancel_the_bases_fit_is_refused(entry: dict[str, object], strategy: str, more: Entries) -> None:
    path = f"spec.priorities[{entry['name']}]"
    assert problems(priorities=[entry, *more]) == [f"{path}: {beside_the_fit(strategy)}"]


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"priorities": [LEAST, *off("NodeResourcesFit")]}, id="the fit disabled"),
        pytest.param({"priorities": [*off("*"), LEAST]}, id="all of the base disabled"),
        pytest.param({"base": "None", "priorities": [LEAST, *fit(), *on("MostRequestedPriority")]}, id="no base"),
    ],
)
def test_without_the_bases_fit_any_of_them_may_stand_together(spec: dict[str, object]) -> None:
    assert problems(**spec) == []


OTHERS: dict[str, tuple[dict[str, object], list[str]]] = {
    "a predicate as a priority": (
        {"priorities": on("NodeName")},
        ["spec.priorities[NodeName]: NodeName is not a priority: list it under spec.predicates"],
    ),
    "disabling without a base": (
        {"base": "None", "predicates": off("NodeName")},
        ["spec.predicates[NodeName]: disables nothing: base is None"],
    ),
    "only the predicate is always on": (
        {"base": "None", "priorities": off("TaintToleration")},
        ["spec.priorities[TaintToleration]: disables nothing: base is None"],
    ),
    "different args in both lists": (
        {
            "predicates": [{"name": "NodeResourcesFit", "args": {"ignoredResources": ["a/b"]}}],
            "priorities": [{"name": "PodFitsResources", "args": {"ignoredResources": []}}],
        },
        [
            (
                "spec.priorities[PodFitsResources].args: must not differ from those of"
                " spec.predicates[NodeResourcesFit]: give them in one of the two"
            )
        ],
    ),
    "one instance of two rules": (
        {
            "predicates": [{"name": "mine", "rule": "NodeAffinity"}],
            "priorities": [{"name": "mine", "rule": "NodeResourcesFit"}],
        },
        [
            (
                "spec.priorities[mine].rule: must be NodeAffinity, as in spec.predicates[mine]: entries of one name"
                " are one instance"
            )
        ],
    ),
    "a label key that no API server takes": (
        {"nodes": {"selector": {"matchLabels": {"x" * 254 + "/a": "b"}}}},
        [f'spec.nodes.selector.matchLabels[{"x" * 254}/a]: "{"x" * 254}/a" is not a valid label key'],
    ),
    "a nodeSelector that no API server takes": (
        {"engine": {"nodeSelector": {"x" * 254 + "/a": "b"}}},
        [f'spec.engine.nodeSelector: "{"x" * 63}… is not a label key'],
    ),
    "a request above its limit": (
        {
            "engine": {
                "resources": {"requests": {"cpu": 2, "memory": "1Gi"}, "limits": {"cpu": "1500m", "memory": "1Gi"}}
            }
        },
        ['spec.engine.resources.requests.cpu: "2" must be at most the limit, "1500m"'],
    ),
    "everything at once, in the spec's order": (
        {
            "predicates": on("NodeNam", "PrioritySort"),
            "priorities": [{"name": "MostRequestedPriority"}, *fit(kind="A", b=1)],
            "engine": {"resources": {"requests": {"memory": "2Ki"}, "limits": {"memory": "1Ki"}}},
        },
        [
            'spec.predicates[NodeNam]: unknown rule "NodeNam", did you mean NodeName?',
            "spec.predicates[PrioritySort]: PrioritySort is always on and cannot be listed; remove it",
            f"spec.priorities[MostRequestedPriority]: {beside_the_fit('MostAllocated')}",
            f'{FIT}.kind: "A" is not NodeResourcesFitArgs',
            f"{FIT}.b: unknown field; known are ignoredResources, ignoredResourceGroups, scoringStrategy",
            'spec.engine.resources.requests.memory: "2Ki" must be at most the limit, "1Ki"',
        ],
    ),
}


@pytest.mark.parametrize(("spec", "messages"), OTHERS.values(), ids=OTHERS)
def test_what_one_list_alone_does_not_show_is_refused(spec: dict[str, object], messages: list[str]) -> None:
    assert problems(**spec) == messages


def test_a_policy_of_long_ago_gets_every_problem_listed() -> None:
    # cases.md C82: kops' addon policy, which made kube-scheduler 1.20 panic at its start
    predicates = on("NoDiskConflict", "GeneralPredicates", "NoDiskConflict", "CheckNodeCondition", "Bogus")
    found = problems(base="None", predicates=predicates, priorities=on("RequestedToCapacityRatioPriority"))
    assert [problem.partition(":")[0] for problem in found] == [
        "spec.predicates[NoDiskConflict]",
        "spec.predicates[CheckNodeCondition]",
        "spec.predicates[Bogus]",
        "spec.priorities[RequestedToCapacityRatioPriority].args.shape",
    ]
