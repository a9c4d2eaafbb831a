"""The profiles of the situations, in both languages: a SchedulerProfile's spec and kube-scheduler's config."""

from typing import Any, Final, NamedTuple

Json = dict[str, Any]


class Profile(NamedTuple):
    """`spec` without the schedulerName; `plugins` and `config` as in a profile of KubeSchedulerConfiguration v1."""

    spec: Json
    plugins: Json
    config: list[Json]


def _fit_alone(**strategy: Any) -> Profile:
    """NodeResourcesFit is the only priority; all predicates stay."""
    args = {"scoringStrategy": strategy}
    return Profile(
        spec={
            "predicates": [{"name": "NodeResourcesFit", "args": args}],
            "priorities": [
                {"name": "*", "state": "Disabled"},
                {"name": "NodeResourcesFit", "weight": 1, "args": args},
            ],
        },
        plugins={"score": {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeResourcesFit", "weight": 1}]}},
        config=[{"name": "NodeResourcesFit", "args": args}],
    )


PROFILES: Final[dict[str, Profile]] = {
    "default": Profile({}, {}, []),
    "least-cpu": _fit_alone(type="LeastAllocated", resources=[{"name": "cpu", "weight": 1}]),
    "least": _fit_alone(
        type="LeastAllocated", resources=[{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]
    ),
    "most-cpu": _fit_alone(type="MostAllocated", resources=[{"name": "cpu", "weight": 1}]),
    "most-gpu": _fit_alone(
        type="MostAllocated", resources=[{"name": "cpu", "weight": 1}, {"name": "example.com/gpu", "weight": 5}]
    ),
}


def scheduler_name(profile: str) -> str:
    """The schedulerName of a profile of that configuration."""
    return "default-scheduler" if profile == "default" else profile
