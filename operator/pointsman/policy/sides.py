"""The two lists of a profile, predicates and priorities, and which rules stand in each."""

from enum import Enum

from pointsman.api.catalogue import CatalogueEntry


class Side(Enum):
    """One list of a profile; the value is its field's name."""

    PREDICATES = "predicates"
    PRIORITIES = "priorities"

    @property
    def noun(self) -> str:
        """What one entry of the list is called."""
        return "predicate" if self is Side.PREDICATES else "priority"

    @property
    def other(self) -> "Side":
        return Side.PRIORITIES if self is Side.PREDICATES else Side.PREDICATES

    def takes(self, rule: CatalogueEntry) -> bool:
        """Whether a rule may stand in this list."""
        return rule.predicate if self is Side.PREDICATES else rule.priority

    def in_base(self, rule: CatalogueEntry) -> bool:
        """Whether the base has a rule in this list."""
        return rule.base_predicate if self is Side.PREDICATES else rule.base_priority

    def always_on(self, rule: CatalogueEntry) -> bool:
        """Whether a rule stays on in this list unless it is disabled by name."""
        return rule.always_on and self is Side.PREDICATES
