"""The CRD and the models say the same, both ways; and the CRD keeps the rules that all of its fields have.

What JSON Schema can say of the models is compared word for word: fields, types, required, enums, patterns, bounds and
defaults. Rules in CEL are compared by what they refuse, in `test_spec` and on a real API server.
"""

from typing import Any

import msgspec
import pytest
from tests.crd import schema as crd
from tests.crd.schema import Schema, fields

from pointsman.api import fields as field_types
from pointsman.api import names, report
from pointsman.api import status as status_models
from pointsman.api.reasons import ConditionType, Reason
from pointsman.api.spec import ProfileSpec
from pointsman.api.status import ProfileStatus

ROOT = crd.root()
SPEC: Schema = ROOT["properties"]["spec"]
STATUS: Schema = ROOT["properties"]["status"]
COMPARED = ("minLength", "maxLength", "pattern", "minimum", "maximum", "maxItems", "maxProperties", "enum")


def resolved(model: Schema, definitions: Schema) -> Schema:
    """A part of a model's JSON schema without references and without the null of optional fields."""
    options = [option for option in model.get("anyOf", ()) if option.get("type") != "null"]
    outer = {key: value for key, value in model.items() if key not in {"anyOf", "$ref", "title"}}
    if options:
        (only,) = options
        return {**outer, **resolved(only, definitions)}
    if "$ref" in model:
        return {**outer, **resolved(definitions[model["$ref"].rpartition("/")[2]], definitions)}
    return outer


def flat(model: Schema, definitions: Schema, path: str = "") -> dict[str, Schema]:
    """Every field of a model by its path, in the notation of `crd.fields`."""
    model = resolved(model, definitions)
    found = {path: model}
    for name, below in model.get("properties", {}).items():
        found |= flat(below, definitions, f"{path}.{name}" if path else name)
    if "items" in model:
        found |= flat(model["items"], definitions, f"{path}[]")
    for values in model.get("patternProperties", {}).values():  # a map whose keys have a pattern
        found |= flat(values, definitions, f"{path}[*]")
    return found


def without_empty(value: Any) -> Any:
    """A default with what only says "nothing" taken away: no default, `""` and a tree of empty fields are equal."""
    if isinstance(value, dict):
        kept = {key: without_empty(item) for key, item in value.items()}
        value = {key: item for key, item in kept.items() if item is not None}
    return None if value in ("", [], {}) else value


_SPEC_MODEL = ProfileSpec.model_json_schema(by_alias=True)
SPEC_MODEL = flat(_SPEC_MODEL, _SPEC_MODEL["$defs"])
SPEC_SCHEMA = dict(fields(SPEC))
_STATUS_MODEL = msgspec.json.schema(ProfileStatus)
STATUS_MODEL = flat(_STATUS_MODEL, _STATUS_MODEL["$defs"])
STATUS_SCHEMA = dict(fields(STATUS))


def test_the_spec_has_the_same_fields_on_both_sides() -> None:
    assert set(SPEC_MODEL) == set(SPEC_SCHEMA)


@pytest.mark.parametrize("path", SPEC_SCHEMA)
def test_a_field_of_the_spec_has_the_same_type_and_bounds_on_both_sides(path: str) -> None:
    model, schema = SPEC_MODEL[path], SPEC_SCHEMA[path]
    quantity = schema.get("x-kubernetes-int-or-string", False)
    assert model["type"] == ("string" if quantity else schema["type"])
    assert {key: model[key] for key in COMPARED if key in model} == {
        key: schema[key] for key in COMPARED if key in schema
    }
    assert sorted(model.get("required", ())) == sorted(schema.get("required", ()))


@pytest.mark.parametrize("path", SPEC_SCHEMA)
def test_a_field_of_the_spec_has_the_same_default_on_both_sides(path: str) -> None:
    assert without_empty(SPEC_MODEL[path].get("default")) == SPEC_SCHEMA[path].get("default")


def test_the_status_has_the_same_fields_on_both_sides() -> None:
    assert set(STATUS_MODEL) == set(STATUS_SCHEMA)


@pytest.mark.parametrize("path", STATUS_SCHEMA)
def test_a_field_of_the_status_has_the_same_type_on_both_sides(path: str) -> None:
    assert STATUS_MODEL[path]["type"] == STATUS_SCHEMA[path]["type"]


@pytest.mark.parametrize("path", [path for path, schema in STATUS_SCHEMA.items() if "required" in schema])
def test_what_the_schema_requires_of_a_status_is_always_written(path: str) -> None:
    properties = STATUS_MODEL[path]["properties"]
    required = set(STATUS_MODEL[path].get("required", ()))
    written = {name for name, below in properties.items() if name in required or "default" in below}
    assert required <= set(STATUS_SCHEMA[path]["required"]) <= written


@pytest.mark.parametrize("path", [path for path, schema in fields(ROOT) if path != "metadata"])
def test_every_field_has_a_description(path: str) -> None:
    schema = dict(fields(ROOT))[path]
    assert schema.get("description", "").endswith(".")


@pytest.mark.parametrize("path", [*SPEC_SCHEMA, *(f"status.{path}" for path in STATUS_SCHEMA if path)])
def test_every_field_is_bounded(path: str) -> None:
    in_spec = not path.startswith("status.")
    schema = SPEC_SCHEMA[path] if in_spec else STATUS_SCHEMA[path.removeprefix("status.")]
    match schema.get("type"):
        case "string" | None:
            assert "maxLength" in schema or "enum" in schema
        case "integer":
            assert "minimum" in schema
            assert "format" in schema
            assert "maximum" in schema or not in_spec
        case "array":
            assert "maxItems" in schema
            assert "x-kubernetes-list-type" in schema
        case "object" if "properties" not in schema:
            assert "maxProperties" in schema
        case "boolean":
            assert path in {"suspend", "status.engines[].ready", "status.engines[].leader"}


@pytest.mark.parametrize("path", [path for path, schema in SPEC_SCHEMA.items() if schema.get("type") == "string"])
def test_every_text_of_the_spec_is_closed(path: str) -> None:
    assert "pattern" in SPEC_SCHEMA[path] or "enum" in SPEC_SCHEMA[path]


def test_every_rule_in_cel_has_a_message_that_says_must() -> None:
    rules = [rule for _, schema in fields(ROOT) for rule in schema.get("x-kubernetes-validations", ())]
    assert len(rules) >= 10
    assert [rule["message"] for rule in rules if "must" not in rule["message"]] == []


@pytest.mark.parametrize(
    "path", ["nodes.selector.matchLabels", "pods.namespaceSelector.matchLabels", "engine.nodeSelector"]
)
def test_keys_of_a_map_have_the_same_pattern_on_both_sides(path: str) -> None:
    (rule,) = SPEC_SCHEMA[path]["x-kubernetes-validations"]
    assert f"size(key) <= {SPEC_SCHEMA['nodes.selector.matchExpressions[].key']['maxLength']}" in rule["rule"]
    assert f"key.matches('{field_types.LABEL_KEY}')" in rule["rule"]
    assert [*SPEC_MODEL[path]["patternProperties"]] == [field_types.LABEL_KEY]


def test_the_columns_are_those_of_the_design() -> None:
    columns = crd.version()["additionalPrinterColumns"]
    assert [column["name"].upper() for column in columns if not column.get("priority")] == [
        "SCHEDULER",
        "READY",
        "REASON",
        "REPLICAS",
        "PENDING",
        "SCHEDULED",
        "P99-MS",
        "AGE",
    ]
    assert [column["name"].upper() for column in columns if column.get("priority") == 1] == [
        "POLICY",
        "IMAGE",
        "MESSAGE",
    ]


def test_names_agree_with_those_in_the_code() -> None:
    spec = crd.crd()["spec"]
    assert (spec["group"], crd.version()["name"]) == (names.GROUP, names.VERSION)
    assert (spec["names"]["kind"], spec["names"]["plural"], spec["scope"]) == (names.KIND, names.PLURAL, "Cluster")
    assert (spec["names"]["shortNames"], spec["names"]["categories"]) == (["sprof"], ["schedulers"])


def test_a_profile_is_named_so_that_its_pods_have_a_name() -> None:
    name = ROOT["properties"]["metadata"]["properties"]["name"]
    assert name["maxLength"] == field_types.MAX_PROFILE_NAME
    assert name["pattern"] == field_types.DNS_LABEL
    longest_pod = names.engine_name("x" * field_types.MAX_PROFILE_NAME) + "-" + "0" * 10 + "-" + "0" * 5
    assert len(longest_pod) == 63
    assert len(names.config_map_name("x" * field_types.MAX_PROFILE_NAME, "0" * names.SHORT_HASH_LENGTH)) <= 63


def test_a_fresh_profile_is_not_mistaken_for_a_reconciled_one() -> None:
    assert STATUS["default"] == {"observedGeneration": -1}
    assert ProfileStatus().observed_generation == -1


def test_what_the_operator_cuts_is_what_the_schema_takes() -> None:
    def bound(path: str, key: str) -> int:
        number: int = STATUS_SCHEMA[path][key]
        return number

    assert bound("conditions[].message", "maxLength") == status_models.MAX_MESSAGE_BYTES
    assert bound("policy.notes[]", "maxLength") == status_models.MAX_MESSAGE_BYTES
    assert bound("policy.notes", "maxItems") == status_models.MAX_NOTES
    assert bound("engines", "maxItems") == status_models.MAX_ENGINES
    assert bound("policy.predicates", "maxItems") == bound("policy.priorities", "maxItems") == status_models.MAX_RULES
    assert bound("stats.unschedulableReasons", "maxItems") == report.MAX_REASONS
    assert bound("stats.unschedulableReasons[].reason", "maxLength") == report.MAX_REASON_LENGTH


def test_every_rule_that_a_spec_can_have_finds_room_in_the_status() -> None:
    entries: int = SPEC_SCHEMA["predicates"]["maxItems"]
    assert entries + 20 <= status_models.MAX_RULES  # 20 rules of kube-scheduler 1.36


@pytest.mark.parametrize("word", [*ConditionType, *Reason])
def test_every_condition_type_and_reason_is_one_that_the_schema_takes(word: str) -> None:
    assert word.isalpha()
    assert len(word) <= STATUS_SCHEMA["conditions[].reason"]["maxLength"]
