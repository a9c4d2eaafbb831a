"""Who asks: the administrator of the written kubeconfig, ServiceAccounts with tokens that the server gave out, nobody.

Tokens are random names for what the server remembers, so they end with it. A ServiceAccount's token is good as long as
its account, and the pod that it is bound to, are the very objects for which it was made.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from pointsman.kube.clock import Clock
from pointsman.sandbox.store.errors import Refused

MASTERS: Final = "system:masters"
AUTHENTICATED: Final = "system:authenticated"
_ACCOUNT: Final = "system:serviceaccount:"
_POD_NAME: Final = "authentication.kubernetes.io/pod-name"
_POD_UID: Final = "authentication.kubernetes.io/pod-uid"


@dataclass(frozen=True, slots=True)
class User:
    """Whoever makes a call. Read like `UserInfo` of the authentication API."""

    name: str
    groups: tuple[str, ...] = ()
    uid: str = ""
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


ANONYMOUS: Final = User("system:anonymous", ("system:unauthenticated",))
ADMIN: Final = User("admin", (MASTERS, AUTHENTICATED))


@dataclass(frozen=True, slots=True)
class Reference:
    """One object and no namesake."""

    plural: str
    namespace: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class _Grant:
    user: User
    alive: tuple[Reference, ...]  # objects that must be there
    until: datetime | None


class Authenticator:
    """Tokens and their owners. `exists` tells whether an object is still there."""

    def __init__(self, clock: Clock, exists: Callable[[Reference], bool]) -> None:
        self._clock = clock
        self._exists = exists
        self._grants: dict[str, _Grant] = {}

    def admin_token(self) -> str:
        """A token of an administrator, good for ever."""
        return self._remember(_Grant(ADMIN, (), None))

    def account_token(self, account: Reference, until: datetime, pod: Reference | None = None) -> str:
        """A token of a ServiceAccount, bound to a pod if one is given."""
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{account.namespace}", AUTHENTICATED)
        extra = {_POD_NAME: (pod.name,), _POD_UID: (pod.uid,)} if pod else {}
        user = User(f"{_ACCOUNT}{account.namespace}:{account.name}", groups, account.uid, extra)
        return self._remember(_Grant(user, (account, pod) if pod else (account,), until))

    def user(self, authorization: str) -> User:
        """Who sends this Authorization header; nobody in particular without one. Raises Refused (401)."""
        if not authorization:
            return ANONYMOUS
        scheme, _, token = authorization.partition(" ")
        grant = self._grants.get(token.strip()) if scheme.lower() == "bearer" else None
        if grant is None or not self._holds(grant):
            raise Refused(401, "Unauthorized", "Unauthorized")
        return grant.user

    def _holds(self, grant: _Grant) -> bool:
        if grant.until is not None and self._clock.now() >= grant.until:
            return False
        return all(map(self._exists, grant.alive))

    def _remember(self, grant: _Grant) -> str:
        token = secrets.token_urlsafe(32)
        self._grants[token] = grant
        return token
