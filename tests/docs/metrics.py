"""The list of metrics, made from what engine and operator serve: `make rendered` writes, a test compares it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

from pointsman.controller.metrics import Metrics as OperatorMetrics
from pointsman.engine.report.metrics import Metrics as EngineMetrics
from tests.docs.pages import DOCS

PAGE: Final[Path] = DOCS / "reference" / "metrics.md"

OPENING: Final = """\
# Metrics

Engines and the operator serve them on port 8080, at `/metrics`, in Prometheus' text format. Engines use the names of
kube-scheduler where they mean the same, so its dashboards and alerts work; the label `profile` is the name of the
SchedulerProfile. This page is made by `make rendered` from what the two serve.
"""


def page() -> str:
    """The whole page."""
    parts = (("An engine", EngineMetrics("any").text()), ("The operator", OperatorMetrics().page()))
    return OPENING + "".join(f"\n## {title}\n\n{''.join(_table(text.decode()))}" for title, text in parts)


def _table(text: str) -> Iterator[str]:
    yield "| name | type | meaning |\n|---|---|---|\n"
    for family in text_string_to_metric_families(text):
        if not family.name.endswith("_created"):
            name = f"{family.name}_total" if family.type == "counter" else family.name
            yield f"| `{name}` | {family.type} | {family.documentation} |\n"
