"""MaxGCEPDVolumeCount: how many GCE persistent disks a node takes (nodevolumelimits/non_csi.go, 1.22)."""

from pointsman.policy.args import Args
from pointsman.policy.volumes.in_tree import GCE_PD
from pointsman.policy.volumes.max_volume_count import MaxVolumeCount


class MaxGCEPDVolumeCount(MaxVolumeCount):
    """The default stands in where a node does not tell."""

    def __init__(self, name: str, _: Args) -> None:
        super().__init__(name, GCE_PD, "attachable-volumes-gce-pd", default=16)
