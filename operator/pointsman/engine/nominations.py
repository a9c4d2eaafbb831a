"""The end of a nomination, as the pods that yielded to it see it."""

from pointsman.engine.cycle.nominator import Nomination
from pointsman.engine.policy_state import Surroundings
from pointsman.policy.rule import Change, Happening


def tell_of_end(nomination: Nomination | None, around: Surroundings) -> None:
    """Others yielded to the pod as if it ran on its nominated node; to them it is as if it left."""
    if nomination is not None:
        view = around.cluster
        row = view.row_of(nomination.node)
        around.broadcast((Change(Happening.POD_DELETE, view, row, nomination.pod),))
