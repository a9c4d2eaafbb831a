"""Which test is about which case: those that are not situations, those that tests of a part cover, those left out."""

from collections.abc import Callable
from typing import Final, TypeVar

Test = TypeVar("Test", bound=Callable[..., object])

TOLD: Final[set[str]] = set()
"""Numbers of the cases that a test function of this package is about."""

_PROCESS: Final = "tests/unit/engine_process"

ELSEWHERE: Final[dict[str, tuple[str, ...]]] = {
    "C13": (
        "tests/unit/kube/test_quantity.py::test_what_the_grammar_allows_is_read_exactly",
        "tests/unit/kube/test_quantity.py::test_anything_else_is_refused_by_an_error_that_shows_the_value",
        "tests/unit/kube/test_quantity.py::test_a_tenth_ten_times_is_one",
    ),
    "C48": (
        f"{_PROCESS}/test_preempting.py::test_the_room_is_kept_before_the_status_of_the_preemptor_shows_its_nomination",
        f"{_PROCESS}/test_preempting.py::test_a_pod_of_higher_priority_may_take_the_room",
        f"{_PROCESS}/test_preempting.py::test_a_victim_whose_end_the_watch_has_not_shown_yet_is_not_evicted_twice",
    ),
    "C82": ("tests/unit/policy/test_problems.py::test_a_policy_of_long_ago_gets_every_problem_listed",),
    "C88": (
        f"{_PROCESS}/test_engine.py::test_pods_are_bound_although_events_may_not_be_written",
        f"{_PROCESS}/test_watches.py::test_a_kind_that_is_refused_keeps_nobody_from_working_and_is_told",
        f"{_PROCESS}/test_watches.py::test_pods_that_may_not_be_listed_are_waited_for",
    ),
    "C91": (f"{_PROCESS}/test_engine.py::test_pods_of_other_schedulers_are_counted_on_their_nodes_and_left_alone",),
    "C94": (
        f"{_PROCESS}/test_engine.py::test_a_pod_that_fits_nowhere_is_told_so_once_and_bound_when_a_node_comes",
        f"{_PROCESS}/test_conditions.py::test_a_nomination_goes_out_with_the_condition_and_alone_if_that_is_no_news",
        f"{_PROCESS}/test_binding.py::test_a_binding_that_failed_is_told_and_tried_again_after_backoff",
    ),
    "C95": (
        f"{_PROCESS}/test_engine.py::test_heartbeats_of_nodes_do_not_put_hopeless_pods_in_front_of_others",
        f"{_PROCESS}/test_queue.py::test_each_failed_attempt_lengthens_the_wait_and_being_moved_does_not_shorten_it",
    ),
    "C97": (
        f"{_PROCESS}/test_queue.py::test_a_change_during_the_attempt_is_not_missed",
        f"{_PROCESS}/test_queue.py::test_a_pod_that_nothing_woke_is_tried_again_after_five_minutes",
    ),
    "C99": (f"{_PROCESS}/test_binding.py::test_a_pod_that_is_no_longer_ours_to_place_is_let_go_without_a_word",),
    "C100": (f"{_PROCESS}/test_binding.py::test_a_pod_that_is_no_longer_ours_to_place_is_let_go_without_a_word",),
    "C104": (
        "tests/unit/kube/test_reflector.py::test_nothing_is_told_before_the_last_page",
        f"{_PROCESS}/test_watches.py::test_pods_that_may_not_be_listed_are_waited_for",
    ),
    "C105": (
        f"{_PROCESS}/test_binding.py::test_a_binding_that_failed_is_told_and_tried_again_after_backoff",
        "tests/unit/engine/test_pod_events.py::test_a_pod_is_assumed_on_one_node_at_most",
        "tests/unit/engine/test_pod_events.py::test_a_failed_bind_restores_the_node_exactly_even_after_an_update_of_the_pod",
    ),
}
"""Cases of which the tests of one part show all there is to show."""

LEFT_OUT: Final[dict[str, str]] = {
    "C52": "about extenders, which this release does not call",
    "C86": "about extenders, which this release does not call",
    "C93": "about what an operator makes, not about a decision",
}
"""Why a case has no test."""


def about(*numbers: str) -> Callable[[Test], Test]:
    """Mark a test as one for these cases."""

    def mark(test: Test) -> Test:
        TOLD.update(numbers)
        return test

    return mark
