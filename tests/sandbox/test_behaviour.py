"""The end-to-end scenarios that need no more than a sandbox, on one: the very same functions."""

import pytest

from tests.e2e.test_life_of_a_profile import (
    test_a_profile_is_created_used_edited_broken_mended_scaled_suspended_and_deleted,
)
from tests.e2e.test_refused_profiles import (
    test_a_first_policy_that_does_not_compile_starts_nothing,
    test_a_pod_that_needs_a_rule_not_built_waits_and_says_so,
    test_an_image_outside_the_allow_list_is_refused,
    test_the_younger_of_two_profiles_with_one_scheduler_name_is_refused,
)

pytestmark = pytest.mark.timeout(300)

__all__ = [
    "test_a_first_policy_that_does_not_compile_starts_nothing",
    "test_a_pod_that_needs_a_rule_not_built_waits_and_says_so",
    "test_a_profile_is_created_used_edited_broken_mended_scaled_suspended_and_deleted",
    "test_an_image_outside_the_allow_list_is_refused",
    "test_the_younger_of_two_profiles_with_one_scheduler_name_is_refused",
]
