"""Nominations: who waits for which node, and who must yield."""

from pointsman.engine.cycle.nominator import Nominator
from pointsman.policy.pod import PodInfo
from pointsman.testing.builders import pod


def nominated(name: str, node: str = "", priority: int = 0) -> PodInfo:
    return pod(name).priority(priority).status(nominated_node_name=node).info()


def rivals(nominator: Nominator, of: PodInfo) -> dict[str, list[str]]:
    return {node: [other.name for other in pods] for node, pods in nominator.rivals(of).items()}


def test_only_other_pods_of_equal_or_higher_priority_are_yielded_to() -> None:
    nominator = Nominator()
    for name, node, priority in [("low", "n1", 4), ("equal", "n1", 5), ("high", "n1", 6), ("far", "n2", 5)]:
        nominator.nominate(nominated(name, priority=priority), node)
    assert rivals(nominator, nominated("me", priority=5)) == {"n1": ["equal", "high"], "n2": ["far"]}
    assert rivals(nominator, nominated("equal", priority=5)) == {"n1": ["high"], "n2": ["far"]}
    assert rivals(nominator, nominated("top", priority=7)) == {}


def test_the_status_of_a_pod_nominates_it() -> None:
    nominator = Nominator()
    assert nominator.update(nominated("p", "n1")) is None
    assert nominator.node_of("pod-default-p") == "n1"


def test_a_pod_without_a_nomination_is_not_kept() -> None:
    nominator = Nominator()
    assert nominator.update(nominated("p")) is None
    assert len(nominator) == 0


def test_our_own_nomination_stays_until_the_status_has_caught_up() -> None:
    nominator = Nominator()
    nominator.nominate(nominated("p"), "n1")
    assert nominator.update(nominated("p", priority=9)) is None
    assert nominator.node_of("pod-default-p") == "n1"
    assert rivals(nominator, nominated("me", priority=9)) == {"n1": ["p"]}, "the newest version of the pod counts"


def test_a_status_that_names_nobody_any_more_ends_the_nomination() -> None:
    nominator = Nominator()
    before = nominated("p", "n1")
    nominator.update(before)
    assert nominator.update(nominated("p")) == (before, "n1")
    assert len(nominator) == 0


def test_a_pod_is_nominated_to_one_node_at_a_time() -> None:
    nominator = Nominator()
    before = nominated("p", "n1")
    nominator.update(before)
    assert nominator.update(nominated("p", "n2")) == (before, "n1")
    assert rivals(nominator, nominated("me")) == {"n2": ["p"]}


def test_removing_tells_the_pod_that_was_nominated_and_is_harmless_twice() -> None:
    nominator = Nominator()
    info = nominated("p")
    nominator.nominate(info, "n1")
    assert nominator.remove(info.uid) == (info, "n1")
    assert nominator.remove(info.uid) is None
    assert rivals(nominator, nominated("me")) == {}


def test_a_status_that_has_not_moved_yet_does_not_undo_our_own_nomination() -> None:
    nominator = Nominator()
    nominator.update(nominated("p", "n1"))
    assert nominator.nominate(nominated("p", "n1"), "n2") is not None
    assert nominator.update(nominated("p", "n1")) is None
    assert nominator.node_of("pod-default-p") == "n2"
    assert nominator.update(nominated("p", "n2")) is None
    assert nominator.update(nominated("p")) is not None


def test_the_pods_of_lower_priority_on_a_node_can_be_asked_for() -> None:
    nominator = Nominator()
    for name, priority, node in (("low", 1, "n1"), ("equal", 5, "n1"), ("far", 1, "n2")):
        nominator.nominate(nominated(name, priority=priority), node)
    assert [pod.name for pod in nominator.below("n1", 5)] == ["low"]
    assert nominator.below("n3", 5) == ()
