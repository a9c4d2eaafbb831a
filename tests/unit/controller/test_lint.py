"""The lint of the templates: where an expression may stand."""

from pathlib import Path

import pytest

import pointsman
from pointsman.controller.render.children import ORDER
from pointsman.controller.render.lint import lint

TEMPLATES = Path(pointsman.__file__).parent / "templates"

RIGHT = [
    "name: {{ name }}",
    "  - {{ owner }}",
    "names: [{{ first }}, {{ second }}]",
    "ref: {name: {{ name }}, kind: Role}",
    'name: {{ "engine-" ~ name }}',
    "{% if engine.priority_class_name %}",
    "  {% endif %}",
    "plain: text",
    "items: ['*']",
]
WRONG = [
    'name: "engine-{{ name }}"',
    'spec: {name: "s-{{ name }}"}',
    "name: engine-{{ name }}",
    "spec: {name: sched-{{ name }}, z: 1}",
    "name: {{ name }}-suffix",
    "{{ name }}: value",
    "  {{ anything }}",
    'text: "a, {{ name }}, b"',
    "text: 'x, {{ name }}'",
    "data: |",
    "data: >-",
    "name: {{ name",
    "name: x {% if a %}y{% endif %}",
    "{% include 'other' %}",
    "{% set x = 1 %}",
    "{% raw %}",
]


@pytest.mark.parametrize("template", RIGHT)
def test_an_expression_may_be_a_whole_value(template: str) -> None:
    assert list(lint(template)) == []


@pytest.mark.parametrize("template", WRONG)
def test_an_expression_may_not_be_part_of_one(template: str) -> None:
    assert list(lint(f"first: line\n{template}\n")) != []


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.j2")), ids=lambda path: path.name)
def test_our_templates_keep_the_rules(path: Path) -> None:
    assert list(lint(path.read_text())) == []


def test_every_kind_of_child_has_a_template() -> None:
    assert {path.name for path in TEMPLATES.glob("*.j2")} == {f"{kind.kind.lower()}.yaml.j2" for kind in ORDER}
