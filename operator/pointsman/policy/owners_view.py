"""What a rule may see of Services and controllers: whose pods belong together.

Default spread constraints and the older spreading priorities count pods that share a Service or a controller. The
engine keeps these objects; where it may not watch a kind, there are none of it.
"""

from collections.abc import Sequence
from typing import Protocol

from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import Selector


class OwnersView(Protocol):
    """Selectors by the objects that have them."""

    def services_of(self, pod: PodInfo) -> Sequence[Selector]:
        """Selectors of the Services of the pod's namespace that select it; one without selector selects nobody."""
        ...

    def controller_selector(self, pod: PodInfo) -> Selector | None:
        """Selector of the pod's controller: ReplicationController, ReplicaSet or StatefulSet of the same name; None
        for any other or when it is not known."""
        ...

    def controllers_selecting(self, pod: PodInfo) -> Sequence[Selector]:
        """Selectors of all ReplicationControllers, ReplicaSets, StatefulSets of the namespace that select the pod."""
        ...
