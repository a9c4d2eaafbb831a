"""MaxEBSVolumeCount: how many EBS volumes a node takes (nodevolumelimits/non_csi.go, 1.22).

Unless the node tells, its instance type does: 25 for the Nitro types that 1.22 knew, else 39.
"""

import re
from typing import Final

import numpy as np

from pointsman.policy.args import Args
from pointsman.policy.view import ClusterView, IntArray
from pointsman.policy.volumes.in_tree import EBS
from pointsman.policy.volumes.max_volume_count import MaxVolumeCount

_NITRO: Final = re.compile(r"^[cmr]5|t3|z1d")  # pkg/volume/util/attach_limit.go, 1.22
_TYPE_LABELS: Final = ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type")
_LIMIT: Final = 39
_NITRO_LIMIT: Final = 25


class MaxEBSVolumeCount(MaxVolumeCount):
    """Where a node has both labels of its type, the newer one counts; kube-scheduler takes either."""

    def __init__(self, name: str, _: Args) -> None:
        super().__init__(name, EBS, "attachable-volumes-aws-ebs", default=_LIMIT)

    def defaults(self, view: ClusterView) -> IntArray:
        limits = super().defaults(view)
        for key in _TYPE_LABELS:
            column = view.labels(key)
            by_type = [_NITRO_LIMIT if _NITRO.search(value) else _LIMIT for value in column.values]
            known = column.ids >= 0
            limits[known] = np.array([*by_type, _LIMIT], dtype=np.int64).take(column.ids[known])
        return limits
