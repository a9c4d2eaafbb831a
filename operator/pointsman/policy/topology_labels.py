"""The labels by which nodes and volumes tell where they are; the older names are still found on both."""

from typing import Final

HOSTNAME: Final = "kubernetes.io/hostname"
ZONE: Final = "topology.kubernetes.io/zone"
REGION: Final = "topology.kubernetes.io/region"
OLD_ZONE: Final = "failure-domain.beta.kubernetes.io/zone"
OLD_REGION: Final = "failure-domain.beta.kubernetes.io/region"

DELIMITER: Final = "__"
"""Between the zones of a volume that is in several."""
