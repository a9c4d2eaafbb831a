"""Random nodes and pods in a small world, where labels, taints, ports and images often meet."""

from hypothesis import settings
from hypothesis import strategies as st

from pointsman.kube.objects import Node, NodeSelectorTerm, Pod, Toleration
from pointsman.testing.builders import NodeBuilder, PodBuilder, host_port, node, pod, term

few_worlds = settings(max_examples=60)  # a world takes long to draw

KEYS = ("zone", "disk", "gen")
VALUES = ("", "a", "b", "1", "7", "12")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
GPU = "example.com/gpu"
IMAGES = ("app", "app:1", "registry.example:5000/app", "tool@sha256:0a")
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Near")
MEBIBYTE = 2**20

labels = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES))
taints = st.lists(
    st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES), st.sampled_from(EFFECTS)), max_size=3, unique=True
)
tolerations = st.lists(
    st.builds(
        Toleration,
        key=st.sampled_from(("", *KEYS)),
        operator=st.sampled_from(("", "Equal", "Exists", "Gt", "Lt")),
        value=st.sampled_from(VALUES),
        effect=st.sampled_from(("", *EFFECTS)),
    ),
    max_size=3,
)
expressions = st.tuples(
    st.sampled_from((*KEYS, "not a key")),
    st.sampled_from(OPERATORS),
    st.lists(st.sampled_from((*VALUES, "not a value")), max_size=2),
).map(lambda parts: (parts[0], parts[1], *parts[2]))
field_expressions = st.tuples(
    st.sampled_from(("metadata.name", "metadata.name", "spec.other")),
    st.sampled_from(("In", "In", "NotIn", "Exists")),
    st.lists(st.sampled_from(("n0", "n1", "n9", "")), max_size=2),
).map(lambda parts: (parts[0], parts[1], *parts[2]))
terms: st.SearchStrategy[NodeSelectorTerm] = st.builds(
    lambda labels, fields: term(*labels, fields=fields),
    st.lists(expressions, max_size=2),
    st.one_of(st.just([]), st.just([]), st.lists(field_expressions, max_size=2)),
)
ports = st.builds(
    host_port,
    st.sampled_from((80, 8080)),
    address=st.sampled_from(("", "0.0.0.0", "10.0.0.1", "::")),
    protocol=st.sampled_from(("", "TCP", "UDP")),
)
amounts = st.fixed_dictionaries(
    {},
    optional={
        "cpu": st.sampled_from(("0", "1m", "100m", "1500m", "2", "0.1", "1e3")),
        "memory": st.sampled_from(("0", "1", "100m", "200Mi", "1Gi", "3G")),
        "ephemeral-storage": st.sampled_from(("0", "1Gi")),
        GPU: st.sampled_from(("0", "1", "3")),
        "hugepages-2Mi": st.sampled_from(("2Mi", "4Mi")),
        "unknown": st.just("5"),
    },
)


@st.composite
def nodes(draw: st.DrawFn, name: str) -> Node:
    builder: NodeBuilder = node(name)
    for key, value in draw(labels).items():
        builder = builder.label(key, value)
    for key, value, effect in draw(taints):
        builder = builder.taint(key, value, effect)
    for resource, amount in draw(
        st.fixed_dictionaries(
            {
                "cpu": st.sampled_from(("0", "1", "4", "64")),
                "memory": st.sampled_from(("0", "1Gi", "32Gi")),
                "pods": st.sampled_from(("0", "1", "2", "110")),
                "ephemeral-storage": st.sampled_from((None, "1Gi")),
                GPU: st.sampled_from((None, "0", "4")),
                "hugepages-2Mi": st.sampled_from((None, "4Mi")),
                "unknown": st.sampled_from((None, "9")),
            }
        )
    ).items():
        builder = builder.allocatable(resource, amount)
    for image in draw(st.lists(st.sampled_from(IMAGES), max_size=3, unique=True)):
        builder = builder.image(image, size=(100 + 300 * IMAGES.index(image)) * MEBIBYTE)
    return builder.spec(unschedulable=draw(st.booleans())).build()


@st.composite
def pods(draw: st.DrawFn, name: str, on: str = "") -> Pod:
    builder: PodBuilder = pod(name)
    for index, requests in enumerate(draw(st.lists(amounts, min_size=1, max_size=2))):
        taken = tuple(draw(st.lists(ports, max_size=1)))
        image = draw(st.sampled_from(IMAGES))
        builder = builder.container(name=f"c{index}", requests=requests, ports=taken, image=image)
    for index, requests in enumerate(draw(st.lists(amounts, max_size=1))):
        policy = draw(st.sampled_from(("", "Always")))
        builder = builder.init_container(name=f"i{index}", requests=requests, restart_policy=policy, image="app")
    builder = builder.spec(
        tolerations=tuple(draw(tolerations)),
        node_selector=draw(st.one_of(st.just({}), labels)),
        overhead=draw(st.one_of(st.just({}), amounts)),
    )
    if draw(st.booleans()):
        builder = builder.require(*draw(st.lists(terms, max_size=3)))
    preferred = draw(st.lists(st.tuples(st.sampled_from((0, 1, 40, 100)), terms), max_size=3))
    if preferred:
        builder = builder.prefer(*preferred)
    return builder.on(on).build() if on else builder.build()


def node_lists(most: int = 3) -> st.SearchStrategy[tuple[Node, ...]]:
    """One node or more, with names of their own."""
    return st.integers(1, most).flatmap(lambda count: st.tuples(*(nodes(f"n{index}") for index in range(count))))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[tuple[Node, ...], list[Pod], Pod]:
    """A few nodes, a few pods somewhere on them, and a pending pod."""
    some = draw(node_lists())
    places = draw(st.lists(st.sampled_from([entry.metadata.name for entry in some]), max_size=3))
    running = [draw(pods(f"running-{index}", on=name)) for index, name in enumerate(places)]
    return some, running, draw(pods("pending"))
