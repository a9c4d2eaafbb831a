"""All situations of the collection, section by section."""

from typing import Final

from tests.cases import accounting, placement
from tests.cases.situation import Situation

SITUATIONS: Final[tuple[Situation, ...]] = (*accounting.SITUATIONS, *placement.SITUATIONS)
