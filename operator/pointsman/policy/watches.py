"""Which kinds a policy has to see beside nodes, pods and namespaces, and which of its rules ask for each."""

from collections.abc import Mapping
from typing import Final

from pointsman.policy.document import PolicyDocument
from pointsman.policy.kinds import Kind
from pointsman.policy.registry import BUILT

PREEMPTION: Final = "DefaultPreemption"


def watched_kinds(document: PolicyDocument) -> Mapping[Kind, tuple[str, ...]]:
    """The kinds that the policy's rules need, each with the names of those rules in the policy's order."""
    users: dict[Kind, dict[str, None]] = {}
    for entry in (*document.predicates, *document.priorities):
        rule = BUILT.get(entry.rule)
        for kind in rule.needs if rule is not None else ():
            users.setdefault(kind, {})[entry.name] = None
    if document.preemption is not None:
        users[Kind.DISRUPTION_BUDGETS] = {PREEMPTION: None}
    return {kind: tuple(users[kind]) for kind in Kind if kind in users}
