"""From a policy document to the policy that runs: rules made by their factories, selectors made into matchers.

The engine's half of compiling. The document was made by an operator, perhaps of another release, or by hand: whatever
is wrong with it becomes a PolicyError, never anything else.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from pydantic import ValidationError

from pointsman.api.messages import describe, entry_path, quote
from pointsman.api.names import POLICY_API_VERSION
from pointsman.kube.objects import LabelSelector
from pointsman.policy.document import PolicyDocument, PredicateEntry, PreemptionEntry, content_hash
from pointsman.policy.errors import PolicyError, Problem
from pointsman.policy.guards import NEEDS, Guard
from pointsman.policy.policy import LabelMatcher, Policy, WeightedPriority
from pointsman.policy.registry import BUILT, Rule
from pointsman.policy.rule import Predicate
from pointsman.policy.selectors import SelectorError, label_matcher
from pointsman.policy.sides import Side


def load(content: bytes) -> Policy:
    """Read and build a policy from the bytes of its document. Raises PolicyError."""
    try:
        document = msgspec.json.decode(content, type=PolicyDocument)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise PolicyError((Problem("policy document", f"cannot be read: {error}"),)) from None
    return build(document, content)


def build(document: PolicyDocument, content: bytes) -> Policy:
    """Build the policy of a document; `content` are its bytes, of which the policy has the hash. Raises PolicyError."""
    problems = list(_document_problems(document))
    predicates: list[Predicate[Any]] = []
    priorities: list[WeightedPriority] = []
    for entry in document.predicates:
        rule, args = _read(Side.PREDICATES, entry, problems)
        if rule is not None and rule.predicate is not None:
            predicates.append(rule.predicate(entry.name, args))
    for scored in document.priorities:
        rule, args = _read(Side.PRIORITIES, scored, problems)
        if rule is not None and rule.priority is not None:
            priorities.append(WeightedPriority(rule.priority(scored.name, args), scored.weight))
    candidates = _matcher(document.nodes.selector, "nodes.selector", problems)
    serves = _matcher(document.pods.namespace_selector, "pods.namespaceSelector", problems)
    if problems:
        raise PolicyError(tuple(problems))
    return Policy(
        document=document,
        hash=content_hash(content),
        predicates=(*predicates, *map(Guard, document.guards)),
        priorities=tuple(priorities),
        candidates=candidates,
        serves=serves,
    )


def _document_problems(document: PolicyDocument) -> Iterator[Problem]:
    if document.api_version != POLICY_API_VERSION:
        yield Problem("apiVersion", f"{quote(document.api_version)} is not {POLICY_API_VERSION}")
    for rule in document.guards:
        if rule not in NEEDS:
            yield Problem("guards", f"unknown rule {quote(rule)}")
    for entry in document.priorities:
        if entry.weight < 1:
            yield Problem(f"{entry_path('priorities', entry.name)}.weight", f"{entry.weight} must be at least 1")
    if not 1 <= document.queue.pod_initial_backoff_seconds <= document.queue.pod_max_backoff_seconds:
        yield Problem("queue", "podInitialBackoffSeconds must be between 1 and podMaxBackoffSeconds")
    yield from _preemption_problems(document.preemption)


def _preemption_problems(preemption: PreemptionEntry | None) -> Iterator[Problem]:
    if preemption is None:
        return
    share, number = preemption.min_candidate_nodes_percentage, preemption.min_candidate_nodes_absolute
    if not 0 <= share <= 100:
        yield Problem("preemption.minCandidateNodesPercentage", f"{share} must be between 0 and 100")
    if number < 0:
        yield Problem("preemption.minCandidateNodesAbsolute", f"{number} must be at least 0")
    if share == 0 and number == 0:
        yield Problem("preemption", "minCandidateNodesPercentage and minCandidateNodesAbsolute must not both be 0")


def _read(side: Side, entry: PredicateEntry, problems: list[Problem]) -> tuple[Rule | None, Any]:
    """The rule of an entry and its args; what is wrong is added to `problems`."""
    path = entry_path(side.value, entry.name)
    rule = BUILT.get(entry.rule)
    if rule is None:
        problems.append(Problem(f"{path}.rule", f"unknown rule {quote(entry.rule)}"))
        return None, None
    if (rule.predicate if side is Side.PREDICATES else rule.priority) is None:
        problems.append(Problem(f"{path}.rule", f"{rule.name} is not a {side.noun}"))
        return None, None
    try:
        return rule, rule.args.model_validate(entry.args)
    except ValidationError as error:
        problems += [Problem(*found) for found in describe(error, rule.args, entry.args, f"{path}.args")]
        return None, None


def _matcher(selector: LabelSelector | None, path: str, problems: list[Problem]) -> LabelMatcher | None:
    if selector is None:
        return None
    try:
        return label_matcher(selector)
    except SelectorError as error:
        problems += [Problem(f"{path}.{problem.path}", problem.message) for problem in error.problems]
        return None
