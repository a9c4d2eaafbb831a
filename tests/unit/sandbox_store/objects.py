"""Small objects for tests of the store."""

from typing import Any


def config_map(name: str, labels: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, **({"labels": labels} if labels else {})}, **more}


def pod(name: str, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "main", "image": "none"}], **spec}}
