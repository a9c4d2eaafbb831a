"""Section A: what a pod asks for, what it uses, what a node has left; and the case of section H that scores by it."""

from typing import Final

from pointsman.testing.builders import PodBuilder, node, pod
from tests.cases.situation import Situation, fits, refused

CPU: Final = "1 Insufficient cpu"
NONE_TO_EVICT: Final = "0/1 nodes are available: 1 No preemption victims found for incoming pod."
GPU: Final = "example.com/gpu"


def _with_sidecar(migrate: str, *, first: str) -> PodBuilder:
    """A sidecar of 1 cpu, an app of 2, and an ordinary init container, which comes first or second."""
    built = pod("p").container(cpu="2")
    sidecar = {"name": "proxy", "restart_policy": "Always", "cpu": "1"}
    ordinary = {"name": "migrate", "cpu": migrate}
    order = (sidecar, ordinary) if first == "proxy" else (ordinary, sidecar)
    for fields in order:
        built = built.init_container(**fields)
    return built


# 4000m less 500m are 3500m. A: max(2+1, 2+1) = 3; B: max(2+1, 3+1) = 4; C: max(2+1, 3) = 3.
_SIDECARS: Final = tuple(
    Situation(
        "C01",
        name,
        nodes=(node("n1").cpu("4"),),
        pods=(pod("base").container(cpu="500m").on("n1"),),
        pod=incoming,
        expected=expected,
    )
    for name, incoming, expected in (
        ("the sidecar runs beside both", _with_sidecar("2", first="proxy"), fits("n1")),
        (
            "the init container and the sidecar before it are too much",
            _with_sidecar("3", first="proxy"),
            refused(1, CPU, preemption=NONE_TO_EVICT),
        ),
        ("a sidecar that starts later is not counted", _with_sidecar("3", first="migrate"), fits("n1")),
    )
)

_DONE_INIT: Final = (
    # 3500m less max(3000m, 30m) are 500m.
    Situation(
        "C02",
        "an init container that has ended still counts",
        nodes=(node("n1").cpu("3500m"),),
        pods=(pod("a").init_container(name="init", cpu="3").container(cpu="30m").on("n1"),),
        pod=pod("b").init_container(name="init", cpu="3").container(cpu="30m"),
        expected=refused(1, CPU, preemption=NONE_TO_EVICT),
    ),
    # Left on n1: 500m of 4000m, 12 %; on n2: 2500m, 62 %.
    Situation(
        "C03",
        "an init container counts in scores as well",
        nodes=(node("n1").cpu("4"), node("n2").cpu("4")),
        pods=(
            pod("a").init_container(name="init", cpu="3").container(cpu="100m").on("n1"),
            pod("b").container(cpu="1").on("n2"),
        ),
        pod=pod("p").container(cpu="500m"),
        expected=fits("n1", "n2", best=("n2",), scores={"NodeResourcesFit": {"n1": 12, "n2": 62}}),
        profile="least-cpu",
    ),
)

_OVERHEAD: Final = (
    Situation(
        "C04",
        "900m and 150m of overhead are more than 1 cpu",
        nodes=(node("n1").cpu("1").memory("1Gi"),),
        pod=pod("p").container(cpu="900m").overhead(cpu="150m"),
        expected=refused(1, CPU),
    ),
    Situation(
        "C04",
        "900m and 100m of overhead fit exactly",
        nodes=(node("n1").cpu("1").memory("1Gi"),),
        pod=pod("p").container(cpu="900m").overhead(cpu="100m"),
        expected=fits("n1"),
    ),
)

_OVERCOMMITTED: Final = tuple(
    Situation(
        "C07",
        f"{name}, {places} places",
        nodes=(node("n1").cpu("2").pods(places),),
        pods=(pod("old").container(cpu="2500m").on("n1"),),
        pod=incoming,
        expected=refused(1, *reasons) if reasons else fits("n1"),
    )
    for name, incoming, short in (
        ("a pod that asks for nothing", pod("a").container(), ()),
        ("a pod that asks for a little", pod("b").container(cpu="1m"), (CPU,)),
        ("a pod that asks for zero", pod("c").container(cpu="0"), ()),
    )
    for places in (5, 1)
    for reasons in [(*short, "1 Too many pods") if places == 1 else short]
)

_HUGE: Final = (
    Situation(
        "C09",
        "cpu beyond int64 in millicores",
        nodes=(node("n1").cpu("4"),),
        pod=pod("p").container(cpu="9223372036854775807"),
        expected=refused(1, CPU),
        engine_only="kube-scheduler 1.36.3 overflows and binds such a pod",
    ),
    Situation(
        "C09",
        "ten quadrillion cpus",
        nodes=(node("n1").cpu("4"),),
        pod=pod("p").container(cpu="10P"),
        expected=refused(1, CPU),
        engine_only="kube-scheduler 1.36.3 overflows and binds such a pod",
    ),
)

_ELSEWHERE: Final = (
    Situation(
        "C15",
        "an extended resource that no node has",
        nodes=(node("n1").cpu("4"),),
        pod=pod("p").container(requests={"example.io/capacity": "1"}),
        expected=refused(1, "1 Insufficient example.io/capacity"),
    ),
    *(
        Situation(
            "C16",
            f"12Mi of ephemeral storage where there are {amount or 'none'}",
            nodes=(node("n1").cpu("4").allocatable("ephemeral-storage", amount),),
            pod=pod("p").container(name="a", ephemeral_storage="2Mi").container(name="b", ephemeral_storage="10Mi"),
            expected=expected,
        )
        for amount, expected in (
            (None, refused(1, "1 Insufficient ephemeral-storage")),
            ("11Mi", refused(1, "1 Insufficient ephemeral-storage")),
            ("12Mi", fits("n1")),
        )
    ),
    *(
        Situation(
            "C17",
            f"{cpu} where a pod ends and two have ended",
            nodes=(node("n1").cpu("2").pods(2),),
            pods=(
                pod("done").container(cpu="2").on("n1").status(phase="Succeeded"),
                pod("bad").container(cpu="2").on("n1").status(phase="Failed"),
                pod("going").container(cpu="1").on("n1").terminating(),
            ),
            pod=pod("p").container(cpu=cpu),
            expected=expected,
        )
        for cpu, expected in (("1", fits("n1")), ("1500m", refused(1, CPU)))
    ),
)

# Scored as 100m and 200Mi each. n1 holds 20: cpu (4000-2100)/4000 -> 47, memory (16384-4200)/16384 -> 74, mean 60.
# n2 is empty: (4000-100)/4000 -> 97, (16384-200)/16384 -> 98, mean 97. Asking for 0 explicitly: n1 50 and 75 -> 62.
_BEST_EFFORT: Final = tuple(
    Situation(
        "C18",
        name,
        nodes=(node("n1").cpu("4").memory("16Gi"), node("n2").cpu("4").memory("16Gi")),
        pods=tuple(pod(f"old-{number}").container().on("n1") for number in range(20)),
        pod=incoming,
        expected=fits("n1", "n2", best=("n2",), scores={"NodeResourcesFit": scores}),
        profile="least",
    )
    for name, incoming, scores in (
        ("a pod without requests scores as 100m and 200Mi", pod("p").container(), {"n1": 60, "n2": 97}),
        ("zero that is asked for stays zero", pod("p").container(cpu="0", memory="0"), {"n1": 62, "n2": 100}),
    )
)

_GPUS: Final = (
    # cpu alone counts: (2000 + 1000) * 100 / 8000 = 37 on both.
    Situation(
        "C19",
        "a pod that wants no gpu does not care for gpus",
        nodes=(node("g1").cpu("8").allocatable(GPU, "4"), node("c1").cpu("8")),
        pods=(
            pod("a").container(cpu="2", requests={GPU: "4"}).on("g1"),
            pod("b").container(cpu="2").on("c1"),
        ),
        pod=pod("p").container(cpu="1"),
        expected=fits("g1", "c1", best=("g1", "c1"), scores={"NodeResourcesFit": {"g1": 37, "c1": 37}}),
        profile="most-gpu",
    ),
    Situation(
        "C19",
        "a pod that wants one finds none free",
        nodes=(node("g1").cpu("8").allocatable(GPU, "4"), node("c1").cpu("8")),
        pods=(pod("a").container(cpu="2", requests={GPU: "4"}).on("g1"),),
        pod=pod("p").container(cpu="1", requests={GPU: "1"}),
        expected=refused(
            2,
            "2 Insufficient example.com/gpu",
            preemption="0/2 nodes are available: 1 No preemption victims found for incoming pod, "
            "1 Preemption is not helpful for scheduling.",
        ),
        profile="most-gpu",
    ),
)

# 8 and 2 of 10 cpus are used: with one more 90 % and 30 %. The predicates stay: the tainted node is none.
_STAR: Final = Situation(
    "C79",
    "all priorities off but one",
    nodes=(node("n1").cpu("10"), node("n2").cpu("10"), node("n3").cpu("10").taint("t")),
    pods=(pod("a").container(cpu="8").on("n1"), pod("b").container(cpu="2").on("n2")),
    pod=pod("p").container(cpu="1"),
    expected=fits("n1", "n2", best=("n1",), scores={"NodeResourcesFit": {"n1": 90, "n2": 30}}),
    profile="most-cpu",
)

SITUATIONS: Final = (
    *_SIDECARS,
    *_DONE_INIT,
    *_OVERHEAD,
    *_OVERCOMMITTED,
    *_HUGE,
    *_ELSEWHERE,
    *_BEST_EFFORT,
    *_GPUS,
    _STAR,
)
