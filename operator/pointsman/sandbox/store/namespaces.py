"""Admission of objects into namespaces: there must be one, and it must not be on its way out."""

from pointsman.sandbox.store.collection import Collection
from pointsman.sandbox.store.errors import Refused, bad_request, forbidden
from pointsman.sandbox.store.kinds import Kind


def check_namespace(namespaces: Collection | None, kind: Kind, namespace: str, name: str) -> None:
    """Refuse what is created in a namespace that is missing or being deleted. Nothing is asked of a store without."""
    if not kind.namespaced or namespaces is None:
        return
    if not namespace:
        raise bad_request("an empty namespace may not be set during creation")
    found = namespaces.get("", namespace)
    if found is None:
        details = {"name": namespace, "kind": "namespaces"}
        raise Refused(404, "NotFound", f'namespaces "{namespace}" not found', details)
    if "deletionTimestamp" in found.object["metadata"]:
        why = f"unable to create new content in namespace {namespace} because it is being terminated"
        refused = forbidden(kind, name, why)
        message = f"namespace {namespace} is being terminated"
        cause = {"reason": "NamespaceTerminating", "message": message, "field": "metadata.namespace"}
        raise Refused(403, "Forbidden", refused.message, {**(refused.details or {}), "causes": [cause]})
