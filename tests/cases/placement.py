"""Section D: taints, cordons, node affinity, host ports."""

from typing import Final

from pointsman.kube.objects import Toleration
from pointsman.testing.builders import host_port, node, pod, term
from tests.cases.situation import Situation, fits, refused

TAINTED: Final = "node(s) had untolerated taint(s)"
SELECTOR: Final = "node(s) didn't match Pod's node affinity/selector"
PORTS: Final = "node(s) didn't have free ports for the requested pod ports"

_TAINTED: Final = tuple(
    Situation(
        "C36",
        name,
        nodes=(
            node("n1").taint("a", "1"),
            node("n2").taint("b", "1", "NoExecute"),
            node("n3").taint("a", "1").taint("b", "1", "NoExecute"),
        ),
        pod=pod("p").spec(tolerations=(toleration,)),
        expected=expected,
    )
    for name, toleration, expected in (
        ("Exists without a key tolerates all", Toleration(operator="Exists"), fits("n1", "n2", "n3")),
        (
            "Exists without a key tolerates the named effect only",
            Toleration(operator="Exists", effect="NoSchedule"),
            fits("n1"),
        ),
        ("no operator means Equal, no value the empty one", Toleration(key="a"), refused(3, f"3 {TAINTED}")),
    )
)

_VALUELESS: Final = (
    Situation(
        "C36",
        "Equal to the empty value tolerates a taint without value",
        nodes=(node("n1").taint("a"),),
        pod=pod("p").spec(tolerations=(Toleration(key="a"),)),
        expected=fits("n1"),
    ),
)

_NUMERIC: Final = tuple(
    Situation(
        "C37",
        f"{operator} {value} and a taint of {taint}",
        nodes=(node("n1").taint("sla", taint),),
        pod=pod("p").tolerate("sla", operator, value),
        expected=refused(1, f"1 {TAINTED}"),
        engine_only="feature gate TaintTolerationComparisonOperators, off in 1.36: the API server takes no such pod",
    )
    for taint, operator, value in (
        ("950", "Gt", "900"),
        ("950", "Gt", "950"),
        ("950", "Lt", "1000"),
        ("950", "Lt", "950"),
        ("high", "Gt", "1"),
        ("9.5", "Gt", "1"),
        ("9223372036854775808", "Gt", "1"),
        ("950", "Gt", "abc"),
    )
)

_CORDONED: Final = tuple(
    Situation(
        "C39", name, nodes=(node("n1").unschedulable(),), pod=pod("p").spec(tolerations=tolerations), expected=expected
    )
    for name, tolerations, expected in (
        ("the field alone keeps pods away", (), refused(1, "1 node(s) were unschedulable")),
        (
            "its taint tolerated",
            (Toleration(key="node.kubernetes.io/unschedulable", operator="Exists", effect="NoSchedule"),),
            fits("n1"),
        ),
        ("everything tolerated", (Toleration(operator="Exists"),), fits("n1")),
    )
)

_TERMS: Final = (
    Situation(
        "C40",
        "a term that contradicts itself beside one that matches",
        nodes=(node("node1"), node("node2").label("foo", "bar")),
        pod=pod("p").require(
            term(fields=[("metadata.name", "In", "node1"), ("metadata.name", "In", "node2")]),
            term(("foo", "In", "bar")),
        ),
        expected=fits("node2"),
    ),
    Situation(
        "C40",
        "two names are two alternatives",
        nodes=(node("node1"), node("node2").label("foo", "bar")),
        pod=pod("p").require(
            term(fields=[("metadata.name", "In", "node1")]), term(fields=[("metadata.name", "In", "node2")])
        ),
        expected=fits("node1", "node2"),
    ),
)

_OPERATORS: Final = tuple(
    Situation(
        "C41",
        " ".join(expression),
        nodes=(node("a").label("gen", "7"), node("b").label("gen", "10"), node("c").label("gen", "abc"), node("d")),
        pod=pod("p").require(term(expression)),
        expected=expected,
    )
    for expression, expected in (
        (("gen", "Gt", "7"), fits("b")),
        (("gen", "Gt", "6"), fits("a", "b")),
        (("gen", "Lt", "10"), fits("a")),
        (("gen", "NotIn", "7"), fits("b", "c", "d")),
        (("gen", "DoesNotExist"), fits("d")),
        (("gen", "Exists"), fits("a", "b", "c")),
        (("gen", "In", "7", "10"), fits("a", "b")),
    )
)

_ADDRESSES: Final = tuple(
    Situation(
        "C45",
        f"{name} where {used or 'all addresses'} is used",
        nodes=(node("n1"),),
        pods=(pod("old").container(ports=(host_port(8080, used, "TCP"),)).on("n1"),),
        pod=pod("p").container(ports=(port,)),
        expected=fits("n1") if free else refused(1, f"1 {PORTS}"),
    )
    for used, name, port, free in (
        ("10.0.0.1", "another address", host_port(8080, "10.0.0.2", "TCP"), True),
        ("10.0.0.1", "another protocol", host_port(8080, "10.0.0.1", "UDP"), True),
        ("10.0.0.1", "all addresses", host_port(8080, "0.0.0.0", "TCP"), False),
        ("10.0.0.1", "neither address nor protocol", host_port(8080), False),
        ("", "one address", host_port(8080, "10.0.0.2", "TCP"), False),
    )
)

SITUATIONS: Final = (*_TAINTED, *_VALUELESS, *_NUMERIC, *_CORDONED, *_TERMS, *_OPERATORS, *_ADDRESSES)
