"""Volumes set aside for an assumed pod, from the decision until the watch shows them or the binding is given up.

What was written is the API server's to tell; what was not is taken back when the pod does not get its node after all
(AssumePodVolumes and RevertAssumedPodVolumes, volumebinding/binder.go, kube-scheduler 1.36).
"""

from pointsman.engine.cluster.cluster import Changes, Cluster
from pointsman.policy.volumes.plan import VolumePlan


class Reservation:
    """One pod's plan, and what of it is written: by name, the version that the API server gave the object."""

    def __init__(self, cluster: Cluster, plan: VolumePlan) -> None:
        self.plan = plan
        self.volume_versions: dict[str, str] = {}
        self.claim_versions: dict[str, str] = {}
        self._cluster = cluster

    def hold(self) -> None:
        """Have the columns show the plan as if it was written."""
        for promise in self.plan.promises:
            if promise.changed:
                self._cluster.assume_volume(promise.volume)
        for claim in self.plan.provisions:
            self._cluster.assume_claim(claim)

    def release(self) -> Changes:
        """Take back what was not written. Does nothing the second time."""
        changes: Changes = ()
        for promise in self.plan.promises:
            if promise.changed and promise.volume.metadata.name not in self.volume_versions:
                changes += self._cluster.restore_volume(promise.volume)
        for claim in self.plan.provisions:
            if claim.metadata.name not in self.claim_versions:
                changes += self._cluster.restore_claim(claim)
        return changes
