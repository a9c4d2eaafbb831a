"""POST serviceaccounts/token: a token of an account, bound to one of its pods or to none."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from pointsman.kube.clock import rfc3339
from pointsman.sandbox.server.answer import Answer, answer
from pointsman.sandbox.server.request import Route
from pointsman.sandbox.server.users import Authenticator, Reference
from pointsman.sandbox.server.writing import decode
from pointsman.sandbox.store.errors import Refused, bad_request
from pointsman.sandbox.store.faults import invalid_value
from pointsman.sandbox.store.store import Store

_TOKEN_SECONDS: Final = 3600
_SHORTEST_TOKEN: Final = 600


def token(store: Store, route: Route, tokens: Authenticator, body: bytes) -> Answer:
    """POST serviceaccounts/token: a token, bound to a pod if the request names one."""
    account = store.get(route.kind, route.namespace, route.name)
    request = decode(body) or {}
    spec = request.get("spec") or {}
    seconds = spec.get("expirationSeconds") or _TOKEN_SECONDS
    if seconds < _SHORTEST_TOKEN:
        fault = invalid_value("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
        raise Refused(422, "Invalid", f'TokenRequest.authentication.k8s.io "" is invalid: {fault}')
    until: datetime = store.clock.now() + timedelta(seconds=seconds)
    bound = _bound_pod(store, route, spec.get("boundObjectRef"))
    owner = Reference("serviceaccounts", route.namespace, route.name, account.uid)
    spec = {"audiences": spec.get("audiences") or ["https://kubernetes.default.svc"], "expirationSeconds": seconds}
    status = {"token": tokens.account_token(owner, until, bound), "expirationTimestamp": rfc3339(until)}
    metadata = {"name": route.name, "namespace": route.namespace, "creationTimestamp": rfc3339(store.clock.now())}
    return answer(
        {
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": metadata,
            "spec": {**spec, "boundObjectRef": (request.get("spec") or {}).get("boundObjectRef")},
            "status": status,
        },
        201,
    )


def _bound_pod(store: Store, route: Route, reference: Mapping[str, str] | None) -> Reference | None:
    if not reference:
        return None
    pods = store.kinds.lookup("", "v1", "pods")
    if reference.get("kind") != "Pod" or pods is None:
        raise bad_request(f'cannot bind token for serviceaccount "{route.name}" to object "{reference.get("kind")}"')
    name = reference.get("name", "")
    pod = store.get(pods, route.namespace, name)
    if reference.get("uid") and reference["uid"] != pod.uid:
        why = (
            f"the UID in the bound object reference ({reference['uid']}) does not match the UID in record ({pod.uid}). "
        )
        why += "The object might have been deleted and then recreated"
        message = f'Operation cannot be fulfilled on pods "{name}": {why}'
        raise Refused(409, "Conflict", message, {"name": name, "kind": "pods"})
    if pod.object["spec"].get("serviceAccountName") != route.name:
        raise bad_request(
            f'cannot bind token for serviceaccount "{route.name}" to pod running with different serviceaccount name.'
        )
    return Reference("pods", route.namespace, name, pod.uid)
