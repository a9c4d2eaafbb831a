"""What a user should know about a policy that is fine: what was added, ignored or left out, and what it may lead to."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from pointsman.api import catalogue
from pointsman.api.messages import entry_path
from pointsman.api.spec import Base, PreemptionArgsSpec, ProfileSpec, State
from pointsman.policy.document import PolicyDocument
from pointsman.policy.entries import Changes
from pointsman.policy.guards import NEEDS
from pointsman.policy.sides import Side

_CHECKED_BY_KUBELET: Final = ("NodeName", "NodeAffinity", "NodePorts", "NodeResourcesFit")
_DECIDES_ABOUT: Final = {
    "VolumeBinding": "volume claims",
    "DynamicResources": "resource claims",
    "InterPodAffinity": "pod affinity",
    "PodTopologySpread": "topology spread",
}


def notes_of(spec: ProfileSpec, document: PolicyDocument, changes: Mapping[Side, Changes]) -> tuple[str, ...]:
    """Notes on a policy that compiled, most important first."""
    return (
        *_kubelet(document),
        *_kept(spec, document, changes[Side.PREDICATES]),
        *_disregarded(spec, document),
        *_not_in_this_release(document),
        *_unguarded(changes[Side.PREDICATES]),
        *_without_effect(spec),
    )


def _kubelet(document: PolicyDocument) -> Iterator[str]:
    on = {entry.rule for entry in document.predicates}
    missing = [rule for rule in _CHECKED_BY_KUBELET if rule not in on]
    if missing:
        yield f"without {_listed(missing)} pods will be placed where the kubelet then rejects them"


def _kept(spec: ProfileSpec, document: PolicyDocument, changes: Changes) -> Iterator[str]:
    if spec.base is Base.DEFAULT and not changes.star:
        return
    on = {entry.name for entry in document.predicates}
    kept = [
        rule.name
        for rule in catalogue.base()
        if rule.always_on and rule.name in on and rule.name not in changes.enabled
    ]
    if kept:
        yield f"predicates that stay on unless disabled by name: {_listed(kept)}"


def _disregarded(spec: ProfileSpec, document: PolicyDocument) -> Iterator[str]:
    if spec.base is Base.NONE:
        on = {entry.rule for entry in (*document.predicates, *document.priorities)}
        others = _listed(what for rule, what in _DECIDES_ABOUT.items() if rule not in on)
        yield f"no rules for {others}: pods that use them are placed without regard to them"


def _not_in_this_release(document: PolicyDocument) -> Iterator[str]:
    if document.guards:
        yield f"not in this release: {_listed(document.guards)}; pods that need one stay pending and say so"


def _unguarded(changes: Changes) -> Iterator[str]:
    """Disabling a rule that is not built means that pods which need it are placed all the same."""
    for name, path in changes.disabled.items():
        rule = catalogue.canonical(name)
        if rule is not None and rule.name in NEEDS:
            words = NEEDS[rule.name].words
            yield f"{path}: disabled, so pods with {words} do not wait for it and are placed without it"


def _without_effect(spec: ProfileSpec) -> Iterator[str]:
    for side, entries in ((Side.PREDICATES, spec.predicates), (Side.PRIORITIES, spec.priorities)):
        for entry in entries:
            path = entry_path(f"spec.{side.value}", entry.name)
            if entry.name == "*" and spec.base is Base.NONE:
                yield f"{path}: has no effect, since base is None"
            elif entry.state is State.DISABLED and entry.model_fields_set & {"rule", "args", "weight"}:
                yield f"{path}: disabled, so the rest of the entry has no effect"
    if spec.preemption.state is State.DISABLED and spec.preemption.args != PreemptionArgsSpec():
        yield "spec.preemption: disabled, so args have no effect"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
