"""What is read from kube-scheduler's log, and what is not."""

from tests.oracle.log import Log

HEAD = b"I0101 00:00:00.000000       1 schedule_one.go:1] "


def read(*lines: bytes) -> Log:
    log = Log()
    log.feed(HEAD + line for line in lines)
    return log


def test_scores_are_kept_by_node_and_plugin_and_belong_to_the_last_attempt() -> None:
    log = read(
        b'"Attempting to schedule pod" pod="a/p"',
        b'"Plugin scored node for pod" pod="a/p" plugin="ImageLocality" node="n1" score=7',
        b'"Calculated node\'s final score for pod" pod="a/p" node="n1" score=7',
        b'"Attempting to schedule pod" pod="a/p"',
        b'"Plugin scored node for pod" pod="a/p" plugin="NodeAffinity" node="n2" score=-3',
        b'"Calculated node\'s final score for pod" pod="a/p" node="n2" score=100',
    )
    told = log.of("a/p")
    assert (told.attempts, told.scores, told.totals) == (2, {"n2": {"NodeAffinity": -3}}, {"n2": 100})


def test_nodes_and_pods_are_known_from_their_first_event_to_their_last() -> None:
    log = read(
        b'"Add event for node" node="n1"',
        b'"Add event for node" node="n2"',
        b'"Delete event for node" node="n1"',
        b'"Add event for scheduled pod" pod="a/p"',
        b'"Add event for unscheduled pod" pod="a/q"',
        b'"Delete event for unscheduled pod" pod="a/q"',
    )
    assert (log.nodes, log.assigned, log.pending) == ({"n2"}, {"a/p"}, set())


def test_a_preemption_ends_when_all_victims_have_been_told() -> None:
    log = read(b'"the target node for the preemption is determined" node="n1" pod="a/p"')
    told = log.of("a/p")
    assert not told.has_preempted(frozenset({"b/v"}))
    log.feed([HEAD + b'"Preemptor Pod preempted victim Pod" preemptor="a/p" victim="b/v" node="n1"'])
    assert not told.has_preempted(frozenset({"b/v"}))
    log.feed([HEAD + b'"Async Preemption finished completely" preemptor="a/p" node="n1" result="success"'])
    assert told.has_preempted(frozenset({"b/v"}))
    assert (told.target, told.victims) == ("n1", {"b/v"})


def test_victims_that_are_going_already_need_no_more_words() -> None:
    going = (
        b'"Victim Pod is already being deleted, skipping the API call for it" preemptor="a/p" node="n1" victim="b/v"'
    )
    told = read(b'"the target node for the preemption is determined" node="n1" pod="a/p"', going).of("a/p")
    assert told.has_preempted(frozenset({"b/v"}))
    assert not told.has_preempted(frozenset({"b/v", "b/w"}))


def test_other_lines_are_passed_over() -> None:
    log = read(b'"Caches populated" type="*v1.Pod" reflector="x"', b"no message at all", b"")
    assert (log.nodes, log.of("a/p").attempts) == (set(), 0)
