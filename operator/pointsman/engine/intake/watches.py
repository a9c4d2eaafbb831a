"""The watches of one engine: which it cannot do without, and what becomes of rules whose kinds it may not watch.

Without nodes, pods and namespaces nothing can be decided. Any other kind is needed by some rules only: where the API
server does not serve it (404) or not to us (403), those rules decide as if there were none of it, the policy's notes
say so, and the watch is tried again for as long as the engine runs. Only preemption does nothing while it may not read
PodDisruptionBudgets: it would evict pods that somebody has put under their protection.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pointsman.kube.errors import Forbidden, NotFound
from pointsman.kube.reflector import Reflector, Refusal
from pointsman.policy.document import PolicyDocument
from pointsman.policy.kinds import Kind
from pointsman.policy.watches import watched_kinds


class Watches:
    """All reflectors of one engine. `required` are by plural, `optional` what some rules need."""

    def __init__(self, required: Mapping[str, Reflector[Any]], optional: Mapping[Kind, Reflector[Any]]) -> None:
        self._required = required
        self._optional = optional
        self._settled = False

    def items(self) -> Iterator[tuple[str, Reflector[Any]]]:
        """Every reflector with its plural."""
        yield from self._required.items()
        for kind, reflector in self._optional.items():
            yield kind.resource.plural, reflector

    def settled(self) -> bool:
        """Whether every cache is complete, or known to be one that cannot be had. Never untrue again."""
        self._settled = self._settled or not any(True for _ in self._unsettled())
        return self._settled

    async def until_settled(self) -> None:
        """Return when `settled`."""
        for reflector in self._required.values():
            await reflector.synced.wait()
        for reflector in self._optional.values():
            await reflector.answered.wait()

    def missing(self) -> list[str]:
        """What the engine still waits for before it can schedule or stand by."""
        return [
            f"no complete list of {plural} yet" + (f": {reflector.last_error}" if reflector.last_error else "")
            for plural, reflector in self._unsettled()
        ]

    def may_preempt(self) -> bool:
        """Whether it is known whom PodDisruptionBudgets protect: where they are not served there are none."""
        reflector = self._optional.get(Kind.DISRUPTION_BUDGETS)
        return reflector is None or reflector.refusal is None or isinstance(reflector.refusal.error, NotFound)

    def notes(self, document: PolicyDocument) -> tuple[str, ...]:
        """What the user of a policy should know: which of its rules go without what they look at, and what to do."""
        return tuple(self._notes(document))

    def _notes(self, document: PolicyDocument) -> Iterator[str]:
        for kind, rules in watched_kinds(document).items():
            reflector = self._optional[kind]
            if reflector.refusal is not None:
                yield _note(kind, rules, reflector.refusal, known=reflector.synced.is_set())

    def _unsettled(self) -> Iterator[tuple[str, Reflector[Any]]]:
        for plural, reflector in self._required.items():
            if not reflector.synced.is_set():
                yield plural, reflector
        for kind, reflector in self._optional.items():
            if not reflector.answered.is_set():
                yield kind.resource.plural, reflector


def _note(kind: Kind, rules: tuple[str, ...], refusal: Refusal, *, known: bool) -> str:
    plural, verb = kind.resource.plural, refusal.verb
    if isinstance(refusal.error, NotFound):
        answer = "404 Not Found"
        advice = f"have the API server serve {kind.resource.api_version}, or disable what needs it"
    else:
        answer = "403 Forbidden"
        advice = f"let ClusterRole {kind.cluster_role} {verb} them, and bind it to the engine's ServiceAccount"
    left = f"{'they stay as last seen' if known else 'there are none'} for {', '.join(rules)}"
    if kind is Kind.DISRUPTION_BUDGETS and isinstance(refusal.error, Forbidden):
        left = "no pod is preempted"
    return f"cannot {verb} {plural} ({answer}), so {left}: {advice}"
