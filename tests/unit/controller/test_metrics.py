"""The metrics page: every series that dashboards and alerts use, and none of a profile that is gone."""

from tests.unit.controller.scene import scene

from pointsman.controller.metrics import Metrics

NAMES = {
    "schedulerprofile_condition",
    "schedulerprofile_drift_corrected_total",
    "schedulerprofile_leader",
    "schedulerprofile_reconcile_duration_seconds",
    "schedulerprofile_reconcile_total",
}


def series(metrics: Metrics, start: str = "") -> set[str]:
    """The lines of the page that are values, zeros apart."""
    lines = metrics.page().decode().splitlines()
    return {line for line in lines if line.startswith(start or "s") and not line.endswith(" 0.0")}


def test_the_page_has_these_metrics_and_no_others() -> None:
    page = Metrics().page().decode()
    told = {line.split()[2] for line in page.splitlines() if line.startswith("# TYPE")}
    assert {name for name in told if not name.endswith("_created")} == NAMES


def test_conditions_show_their_status_and_go_when_they_are_absent() -> None:
    metrics = Metrics()
    metrics.show("binpack", scene().decide().status)
    assert series(metrics, "schedulerprofile_condition") == {
        'schedulerprofile_condition{profile="binpack",status="Unknown",type="Ready"} 1.0',
        'schedulerprofile_condition{profile="binpack",status="True",type="Reconciling"} 1.0',
        'schedulerprofile_condition{profile="binpack",status="True",type="PolicyValid"} 1.0',
        'schedulerprofile_condition{profile="binpack",status="False",type="Available"} 1.0',
    }
    metrics.show("binpack", scene().well().status)
    assert not any("Reconciling" in line for line in metrics.page().decode().splitlines())


def test_a_profile_that_is_gone_leaves_nothing() -> None:
    metrics = Metrics()
    metrics.show("binpack", scene().decide().status)
    metrics.show("other", scene().decide().status)
    metrics.forget("binpack")
    page = metrics.page().decode()
    assert 'profile="binpack"' not in page
    assert 'profile="other"' in page
