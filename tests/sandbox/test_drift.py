"""Drift and its healing on a sandbox: the end-to-end tests' own functions, on a sandbox of this module's own."""

from collections.abc import Iterator

import pytest

from tests.controlplane.build import Binaries
from tests.e2e.fleet import Fleet, installed_on
from tests.e2e.test_drift import (
    drifting,
    test_a_changed_pod_template_is_put_back,
    test_a_deleted_child_comes_back,
    test_a_deleted_cluster_role_binding_and_config_map_come_back,
    test_a_foreign_object_of_a_child_s_name_is_left_alone_and_reported,
    test_a_restart_asked_for_by_kubectl_is_let_through,
    test_a_widened_role_is_narrowed_again,
)
from tests.sandbox.plane import install, sandbox_plane

pytestmark = pytest.mark.timeout(240)

__all__ = [
    "drifting",
    "test_a_changed_pod_template_is_put_back",
    "test_a_deleted_child_comes_back",
    "test_a_deleted_cluster_role_binding_and_config_map_come_back",
    "test_a_foreign_object_of_a_child_s_name_is_left_alone_and_reported",
    "test_a_restart_asked_for_by_kubectl_is_let_through",
    "test_a_widened_role_is_narrowed_again",
]


@pytest.fixture(scope="module")
def fleet(controlplane_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """An engine whose ServiceAccount is deleted is refused: no fleet for others to look for refusals in."""
    folder = tmp_path_factory.mktemp("sandbox-drift")
    with (
        sandbox_plane(folder / "control-plane", controlplane_binaries.kubectl) as plane,
        installed_on(plane, folder, (), install) as made,
    ):
        yield made
