"""A pod between decision and certainty: charged to its node, but not yet seen there.

It is made when the decision falls and ends when the watch shows the pod bound, or when its binding is given up. Until
then no event may put the pod back into the queue: that would be a second decision about one pod.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pointsman.engine.binding.reservation import Reservation
from pointsman.engine.queue.queued_pod import QueuedPod
from pointsman.policy.pod import PodInfo


def _nobody_waits() -> None:
    pass


@dataclass(slots=True, eq=False)
class Assumption:
    """One pod on its way to `node`. Times are monotonic seconds."""

    queued: QueuedPod
    pod: PodInfo  # the newest version that the watch showed
    node: str
    started: float  # when the attempt began
    acknowledged: bool = False  # the API server has it; the watch has not shown it yet
    gone: bool = False  # the watch showed that the pod was deleted
    reservation: Reservation | None = None  # volumes that have to be bound first
    on_news: Callable[[], None] = _nobody_waits  # called when `pod` or `gone` changed, and when the node is removed

    @property
    def uid(self) -> str:
        return self.pod.uid

    @property
    def told_by_watch(self) -> bool:
        """Whether the watch has already decided what the API server would be asked."""
        return self.gone or bool(self.pod.node_name)
