"""Which kinds a policy has to see beside nodes, pods and namespaces, and which of its rules ask for each."""

from collections.abc import Mapping

from pointsman.policy.document import PolicyDocument
from pointsman.policy.kinds import Kind
from pointsman.policy.registry import BUILT


def watched_kinds(document: PolicyDocument) -> Mapping[Kind, tuple[str, ...]]:
    """The kinds that the policy's rules need, each with the names of those rules in the policy's order."""
    users: dict[Kind, dict[str, None]] = {}
    for entry in (*document.predicates, *document.priorities):
        rule = BUILT.get(entry.rule)
        for kind in rule.needs if rule is not None else ():
            users.setdefault(kind, {})[entry.name] = None
    return {kind: tuple(users[kind]) for kind in Kind if kind in users}
