"""`x-kubernetes-validations`: rules in CEL, compiled once per definition.

Values come as they are in JSON; the types of the schema are not known to the compiler, so a rule that a real API server
would refuse when the definition is applied may here fail only when it runs. Kubernetes' own CEL libraries (quantity,
url, ip, …) are not there: a definition that uses them is refused, with the name that is missing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from cel_expr_python import cel
from cel_expr_python.ext import ext_math, ext_optional, ext_strings

from pointsman.sandbox.crd.validation import NOTHING, below, old_entry, old_item
from pointsman.sandbox.schema.schema import Schema
from pointsman.sandbox.store.errors import Cause
from pointsman.sandbox.store.faults import duplicate, forbidden_field, invalid_value, required

_OLD_SELF: Final = re.compile(r"\boldSelf\b")
_OPTIONAL: Final = (
    "(hasOldSelf ? optional.of(oldSelf) : optional.none())"  # the binding takes no optional as a variable
)
_OMITTED: Final = ("object", "array")  # values of these types are not repeated in messages


class RuleError(ValueError):
    """A rule that does not compile; the message says why."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One compiled rule."""

    text: str
    program: Any
    message: str
    message_program: Any
    reason: str
    field_path: str
    uses_old: bool
    optional_old: bool


@dataclass(frozen=True, slots=True)
class RuleTree:
    """The rules of a schema node and of what is below it; nodes without any are left out."""

    schema: Schema
    rules: tuple[Rule, ...]
    properties: Mapping[str, "RuleTree"]
    additional: "RuleTree | None"
    items: "RuleTree | None"


def compile_rules(schema: Schema) -> RuleTree | None:
    """All rules of a schema. Raises RuleError."""
    rules = tuple(_compile(rule) for rule in schema.keywords.get("x-kubernetes-validations", ()))
    below_it = {name: compile_rules(child) for name, child in schema.properties.items()}
    properties = {name: tree for name, tree in below_it.items() if tree is not None}
    additional = compile_rules(schema.additional) if schema.additional else None
    items = compile_rules(schema.items) if schema.items else None
    if not (rules or properties or additional or items):
        return None
    return RuleTree(schema, rules, properties, additional, items)


def check_rules(value: Any, tree: RuleTree, path: str, old: Any = NOTHING) -> Iterator[Cause]:
    """Every rule that does not hold. Those that look at `oldSelf` need an old value; the unchanged passes."""
    if value is None:
        return
    for rule in tree.rules:
        if rule.uses_old and old is NOTHING and not rule.optional_old:
            continue
        if rule.uses_old or value != old:
            yield from _check(rule, value, old, tree.schema, path)
    if isinstance(value, Mapping):
        for key, entry in value.items():
            inner = tree.properties.get(key) or (tree.additional if key not in tree.schema.properties else None)
            if inner is not None:
                yield from check_rules(entry, inner, below(path, key, tree.schema), old_entry(key, old))
    elif isinstance(value, list) and tree.items is not None:
        for place, item in enumerate(value):
            yield from check_rules(item, tree.items, f"{path}[{place}]", old_item(item, old, tree.schema))


def _check(rule: Rule, value: Any, old: Any, schema: Schema, path: str) -> Iterator[Cause]:
    data = {"self": value, "hasOldSelf": old is not NOTHING, "oldSelf": None if old is NOTHING else old}
    result = rule.program.eval(data=data)
    answer = result.plain_value()
    if result.type() == cel.Type.ERROR:
        yield invalid_value(path, schema.type, f"{answer} evaluating rule: {rule.message or rule.text}")
    elif answer is not True:
        yield _cause(rule, value, schema, path, _message(rule, data))


def _message(rule: Rule, data: Mapping[str, Any]) -> str:
    if rule.message_program is not None:
        result = rule.message_program.eval(data=data)
        text = result.plain_value()
        if result.type() == cel.Type.STRING and isinstance(text, str) and text.strip() and "\n" not in text:
            return text
    return rule.message or f"failed rule: {rule.text}"


def _cause(rule: Rule, value: Any, schema: Schema, path: str, message: str) -> Cause:
    path += rule.field_path
    if rule.reason == "FieldValueForbidden":
        return forbidden_field(path, message)
    if rule.reason == "FieldValueRequired":
        return required(path, message)
    if rule.reason == "FieldValueDuplicate":
        return duplicate(path, value)
    if schema.type in _OMITTED:
        return Cause("FieldValueInvalid", path, f"Invalid value: {message}")
    return invalid_value(path, value, message)


def _compile(rule: Mapping[str, Any]) -> Rule:
    text, expression = rule["rule"], rule.get("messageExpression", "")
    return Rule(
        text=" ".join(text.split()),
        program=_program(_OLD_SELF.sub(_OPTIONAL, text) if rule.get("optionalOldSelf") else text),
        message=rule.get("message", "").strip(),
        message_program=_program(expression) if expression else None,
        reason=rule.get("reason", "FieldValueInvalid"),
        field_path=rule.get("fieldPath", ""),
        uses_old="oldSelf" in text,
        optional_old=bool(rule.get("optionalOldSelf")),
    )


def _program(text: str) -> Any:
    try:
        return _environment().compile(text)
    except RuntimeError as error:
        raise RuleError(f"compilation failed: {error}") from None


@cache
def _environment() -> Any:
    extensions = [ext_strings.ExtStrings(), ext_optional.ExtOptional(), ext_math.ExtMath()]
    variables = {"self": cel.Type.DYN, "oldSelf": cel.Type.DYN, "hasOldSelf": cel.Type.BOOL}
    return cel.NewEnv(variables=variables, extensions=extensions)
