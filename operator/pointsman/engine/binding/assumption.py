"""A pod between decision and certainty: charged to its node, but not yet seen there.

It is made when the decision falls and ends when the watch shows the pod bound, or when its binding is given up. Until
then no event may put the pod back into the queue: that would be a second decision about one pod.
"""

from dataclasses import dataclass

from pointsman.engine.queue.queued_pod import QueuedPod
from pointsman.policy.pod import PodInfo


@dataclass(slots=True, eq=False)
class Assumption:
    """One pod on its way to `node`. Times are monotonic seconds."""

    queued: QueuedPod
    pod: PodInfo  # the newest version that the watch showed
    node: str
    started: float  # when the attempt began
    acknowledged: bool = False  # the API server has it; the watch has not shown it yet
    gone: bool = False  # the watch showed that the pod was deleted

    @property
    def uid(self) -> str:
        return self.pod.uid

    @property
    def told_by_watch(self) -> bool:
        """Whether the watch has already decided what the API server would be asked."""
        return self.gone or bool(self.pod.node_name)
