"""Reading one list of a profile: names made canonical, groups taken apart, what makes no sense refused.

The result says what the list changes: which instances it turns on, which it turns off, and whether it turns off all of
the base. Whether a rule's args are right is `arguments`' question; what comes out of base and lists is `compile`'s.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pointsman.api.catalogue import CatalogueEntry, Standing, canonical, nearest
from pointsman.api.messages import entry_path, quote
from pointsman.api.spec import Base, PredicateSpec, State
from pointsman.policy.errors import Problem
from pointsman.policy.sides import Side


@dataclass(frozen=True, slots=True)
class Entry:
    """One instance that a list turns on. `name` and `rule` are canonical, `path` is the entry as the user wrote it."""

    path: str
    name: str
    rule: CatalogueEntry
    args: Mapping[str, Any] | None = None
    weight: int | None = None


@dataclass(frozen=True, slots=True)
class Changes:
    """What one list does to the base: instances by canonical name, in the list's order."""

    enabled: dict[str, Entry] = field(default_factory=dict)
    disabled: dict[str, str] = field(default_factory=dict)  # canonical name -> path
    star: bool = False
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class _Reader:
    side: Side
    base: Base
    twins: Mapping[str, str]  # rules of the other list's entries with names of their own
    seen: dict[str, str] = field(default_factory=dict)

    def read(self, entry: PredicateSpec, changes: Changes) -> list[Problem]:
        """Add one entry to the changes; what is wrong with it comes back and it is left out."""
        path = entry_path(f"spec.{self.side.value}", entry.name)
        instances = self._instances(entry, path)
        if isinstance(instances, Problem):
            return [instances]
        problems = []
        for name, rule in instances:
            problem = self._refused(entry, path, name, rule) or self._repeated(path, name)
            if problem:
                problems.append(problem)
            elif entry.state is State.DISABLED:
                changes.disabled[name] = path
            else:
                changes.enabled[name] = Entry(path, name, rule, entry.args, getattr(entry, "weight", None))
        return problems

    def _instances(self, entry: PredicateSpec, path: str) -> Problem | tuple[tuple[str, CatalogueEntry], ...]:
        """(name, rule) of what an entry stands for: one, or each part of a group."""
        known = canonical(entry.name)
        if known is None:
            return self._own_name(entry, path)
        if entry.rule is not None and canonical(entry.rule) is not known:
            words = f"must be {known.name} or left out: {quote(entry.name)} is that rule's name"
            return Problem(f"{path}.rule", words)
        if not known.parts:
            return ((known.name, known),)
        if entry.args is not None:
            return Problem(f"{path}.args", f"must not be set: {known.name} stands for {', '.join(known.parts)}")
        return tuple((part, rule) for part in known.parts if (rule := canonical(part)) is not None)

    def _own_name(self, entry: PredicateSpec, path: str) -> Problem | tuple[tuple[str, CatalogueEntry], ...]:
        named = entry.rule or self.twins.get(entry.name)
        if named is None:
            near = nearest(entry.name)
            hint = f"did you mean {near}?" if near else "a name of your own needs a rule"
            what = "unknown rule" if entry.state is State.ENABLED else "disables nothing: unknown rule"
            return Problem(path, f"{what} {quote(entry.name)}, {hint}")
        rule = canonical(named)
        if rule is None:
            near = nearest(named)
            return Problem(f"{path}.rule", f"unknown rule {quote(named)}" + (f", did you mean {near}?" if near else ""))
        if rule.parts:
            return Problem(f"{path}.rule", f"{rule.name} stands for {', '.join(rule.parts)}: name one of them")
        return ((entry.name, rule),)

    def _refused(self, entry: PredicateSpec, path: str, name: str, rule: CatalogueEntry) -> Problem | None:
        if rule.standing in {Standing.FIXED, Standing.OBSOLETE}:
            return Problem(path, f"{rule.name} {rule.hint}")
        off = entry.state is State.DISABLED and name == rule.name
        if not off and rule.standing is Standing.KNOWN:
            return Problem(path, f"rule {rule.name} is known, not in this release")
        if not self.side.takes(rule):
            words = f"{rule.name} is not a {self.side.noun}"
            other = f": list it under spec.{self.side.other.value}" if self.side.other.takes(rule) else ""
            return Problem(path, words + other)
        if off and not self._on(rule):
            why = "base is None" if self.base is Base.NONE else f"{rule.name} is not a {self.side.noun} of the base"
            return Problem(path, f"disables nothing: {why}")
        return None

    def _on(self, rule: CatalogueEntry) -> bool:
        return self.side.always_on(rule) or (self.base is Base.DEFAULT and self.side.in_base(rule))

    def _repeated(self, path: str, name: str) -> Problem | None:
        if name not in self.seen:
            self.seen[name] = path
            return None
        before = self.seen[name]
        return Problem(path, "is listed twice" if before == path else f"is the same rule as {before}: list it once")


def read_list(side: Side, entries: Sequence[PredicateSpec], others: Sequence[PredicateSpec], base: Base) -> Changes:
    """What a list changes; `others` is the profile's other list, whose entry of the same name may carry the rule."""
    changes = Changes()
    reader = _Reader(side, base, {entry.name: entry.rule for entry in others if entry.rule is not None})
    named = [entry for entry in entries if entry.name != "*"]
    problems = [problem for entry in named for problem in reader.read(entry, changes)]
    star = len(named) < len(entries)
    return Changes(changes.enabled, changes.disabled, star, tuple(dict.fromkeys(problems)))
