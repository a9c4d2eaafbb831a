"""Questions about oneself: who am I, may I do this, what may I do at all."""

from collections.abc import Mapping
from typing import Any

from pointsman.kube.clock import rfc3339
from pointsman.sandbox.server.access import Access
from pointsman.sandbox.server.answer import Answer, answer
from pointsman.sandbox.server.rbac import Authorizer
from pointsman.sandbox.server.users import MASTERS, User
from pointsman.sandbox.server.writing import decode
from pointsman.sandbox.store.store import Store


def review(store: Store, authorizer: Authorizer, user: User, plural: str, body: bytes) -> Answer:
    """POST of one of the reviews."""
    asked = decode(body) or {}
    spec = asked.get("spec") or {}
    made = {"creationTimestamp": rfc3339(store.clock.now()) if plural == "selfsubjectreviews" else None}
    told = {"kind": asked.get("kind"), "apiVersion": asked.get("apiVersion"), "metadata": made}
    if plural == "selfsubjectreviews":
        return answer({**told, "status": {"userInfo": _user_info(user)}}, 201)
    if plural == "selfsubjectaccessreviews":
        return answer({**told, "spec": spec, "status": {"allowed": authorizer.allows(user, access_of(spec))}}, 201)
    return answer({**told, "spec": spec, "status": _rules(authorizer, user, spec.get("namespace", ""))}, 201)


def access_of(spec: Mapping[str, Any]) -> Access:
    """What a SelfSubjectAccessReview asks about."""
    if path := spec.get("nonResourceAttributes"):
        return Access(path.get("verb", ""), path=path.get("path", ""))
    asked = spec.get("resourceAttributes") or {}
    fields = ("verb", "group", "resource", "subresource", "namespace", "name")
    return Access(**{field: asked.get(field, "") for field in fields})


def _user_info(user: User) -> dict[str, Any]:
    info = {"username": user.name, "uid": user.uid, "groups": list(user.groups), "extra": dict(user.extra)}
    return {key: value for key, value in info.items() if value}


def _rules(authorizer: Authorizer, user: User, namespace: str) -> dict[str, Any]:
    everything = ({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}, {"verbs": ["*"], "nonResourceURLs": ["*"]})
    found = everything if MASTERS in user.groups else tuple(authorizer.grants().rules(user, namespace))
    return {
        "resourceRules": [rule for rule in found if rule.get("resources")],
        "nonResourceRules": [rule for rule in found if rule.get("nonResourceURLs")],
        "incomplete": False,
    }
