"""All situations of the collection, section by section."""

from typing import Final

from tests.cases import accounting, affinity, placement, preemption, spreading, volumes
from tests.cases.situation import Situation

SITUATIONS: Final[tuple[Situation, ...]] = (
    *accounting.SITUATIONS,
    *spreading.SITUATIONS,
    *affinity.SITUATIONS,
    *placement.SITUATIONS,
    *preemption.SITUATIONS,
    *volumes.SITUATIONS,
)
