"""What a profile says besides its rules, checked further than a schema can: selectors, and how its engines run.

An engine setting that the API server would refuse in a pod is refused here, with its path in the profile, before any
object is made from it.
"""

from collections.abc import Iterator

from pointsman.api.messages import quote
from pointsman.api.spec import EngineSpec, ResourceListSpec, SelectorSpec
from pointsman.kube.objects import LabelSelector, Requirement
from pointsman.kube.quantity import QuantityError, parse
from pointsman.policy.errors import Problem
from pointsman.policy.resource_names import is_qualified_name
from pointsman.policy.selectors import SelectorError, label_matcher


def read_selector(selector: SelectorSpec | None, path: str, problems: list[Problem]) -> LabelSelector | None:
    """The selector with its parts in one order, whatever the user's; what is wrong with it is added to `problems`."""
    if selector is None:
        return None
    requirements = [
        Requirement(key=item.key, operator=item.operator, values=tuple(sorted(set(item.values))))
        for item in selector.match_expressions
    ]
    try:
        label_matcher(LabelSelector(match_labels=selector.match_labels, match_expressions=tuple(requirements)))
    except SelectorError as error:
        problems += [Problem(f"{path}.{problem.path}", problem.message) for problem in error.problems]
    requirements.sort(key=lambda item: (item.key, item.operator, item.values or ()))
    return LabelSelector(match_labels=selector.match_labels, match_expressions=tuple(requirements))


def engine_problems(engine: EngineSpec) -> Iterator[Problem]:
    """What an API server would refuse in an engine's pod, although it has the right form."""
    yield from _request_problems(engine)
    for key in engine.node_selector:
        if not is_qualified_name(key):
            yield Problem("spec.engine.nodeSelector", f"{quote(key)} is not a label key")
    for index, toleration in enumerate(engine.tolerations):
        if toleration.key is not None and not is_qualified_name(toleration.key):
            yield Problem(f"spec.engine.tolerations[{index}].key", f"{quote(toleration.key)} is not a label key")


def _request_problems(engine: EngineSpec) -> Iterator[Problem]:
    requests, limits = engine.resources.requests or ResourceListSpec(), engine.resources.limits or ResourceListSpec()
    for field, info in ResourceListSpec.model_fields.items():
        requested, limit = getattr(requests, field), getattr(limits, field)
        if requested is None or limit is None:
            continue
        path = f"spec.engine.resources.requests.{info.alias}"
        try:
            if parse(requested) > parse(limit):
                yield Problem(path, f"{quote(requested)} must be at most the limit, {quote(limit)}")
        except QuantityError as error:
            yield Problem(path, str(error))
