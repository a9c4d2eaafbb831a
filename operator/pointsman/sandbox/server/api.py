"""Every call's way through the server: who, what, may he, do it. No sockets: a call is a value, its answer too."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pointsman.sandbox.server import discovery, openapi
from pointsman.sandbox.server.access import Access, denied
from pointsman.sandbox.server.answer import Answer, Form, answer, form, refusal
from pointsman.sandbox.server.custom import CustomKinds
from pointsman.sandbox.server.rbac import Authorizer
from pointsman.sandbox.server.reading import get, list_
from pointsman.sandbox.server.request import Call, Options, Route, no_such_path, not_allowed, options, route
from pointsman.sandbox.server.reviews import review
from pointsman.sandbox.server.subresources import Visit, through
from pointsman.sandbox.server.users import ANONYMOUS, AUTHENTICATED, Authenticator, User
from pointsman.sandbox.server.version import VERSION
from pointsman.sandbox.server.watching import lines
from pointsman.sandbox.server.writing import create, delete, delete_collection, deletion, replace, revise
from pointsman.sandbox.store.doors import Door
from pointsman.sandbox.store.errors import Refused
from pointsman.sandbox.store.store import Store

_OK: Final = ("/healthz", "/livez", "/readyz")
_VERBS: Final = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


@dataclass(frozen=True, slots=True)
class Done:
    """A call that was answered, for whoever keeps a record: by whom, what for, and with which status."""

    user: User
    access: Access
    call: Call
    answer: Answer | None  # None: a watch began


Lines = AsyncGenerator[bytes, None]
Observer = Callable[[Done], None]


class Api:
    """Answers calls from a store."""

    def __init__(
        self,
        store: Store,
        tokens: Authenticator,
        authorizer: Authorizer,
        custom: CustomKinds,
        *,
        address: str,
        observer: Observer | None = None,
    ) -> None:
        self._store = store
        self._tokens = tokens
        self._authorizer = authorizer
        self._custom = custom
        self._address = address
        self._observer = observer

    def handle(self, call: Call) -> Answer | Lines:
        """The answer to a call; of a watch its lines, of which the first may still raise Refused."""
        user, access = ANONYMOUS, Access(call.method.lower(), path=call.path)
        try:
            user = self._impersonated(self._tokens.user(call.headers.get("Authorization", "")), call.headers)
            wanted = form(call.headers.get("Accept", ""), call.query)
            if call.path.startswith(("/api/v1/", "/apis/")) and (found := self._resource(call)):
                asked = options(call.query)
                access = found.access(_verb(call.method, found, asked), asked.field_selector)
                self._check(user, access)
                done = self._do(call, found, asked, wanted, access.verb)
            else:
                access = _access(call)
                self._check(user, access)
                done = self._other(call, wanted, user, access)
        except Refused as refused:
            done = refusal(refused)
        if self._observer is not None:
            self._observer(Done(user, access, call, done if isinstance(done, Answer) else None))
        return done

    def _impersonated(self, user: User, headers: Mapping[str, str]) -> User:
        """Whoever the caller wants to be, if he may. Groups cannot be chosen."""
        name = headers.get("Impersonate-User", "")
        if not name:
            return user
        self._check(user, Access("impersonate", resource="users", name=name))
        return User(name, (AUTHENTICATED,))

    def _check(self, user: User, access: Access) -> None:
        if not self._authorizer.allows(user, access):
            raise denied(user, access)

    def _resource(self, call: Call) -> Route | None:
        """The kind and object that a path names; None when it names a group, a version or a review."""
        parts = call.path.strip("/").split("/")
        if len(parts) < (3 if parts[0] == "api" else 4) or _is_review(call):
            return None
        return route(call.path, self._store.kinds)

    def _do(self, call: Call, found: Route, asked: Options, wanted: Form, verb: str) -> Answer | Lines:
        if verb in ("get", "list", "watch") and found.subresource in ("", "status"):
            if verb == "watch":
                return lines(self._store, found, asked, wanted)
            return (list_ if verb == "list" else _get)(self._store, found, asked, wanted)
        door = Door(asked.manager or _agent(call.headers), found.subresource, asked.dry_run)
        if found.subresource not in ("", "status"):
            return through(Visit(self._store, self._tokens, call, found, asked, door))
        done = self._write(call, found, asked, wanted, door)
        if not asked.dry_run:
            self._custom.written(found.kind)
            self._authorizer.written(found.kind.group)
        return done

    def _write(self, call: Call, found: Route, asked: Options, wanted: Form, door: Door) -> Answer:
        content_type = call.headers.get("Content-Type", "")
        match call.method, bool(found.name):
            case "POST", False:
                return create(self._store, found, asked, wanted, door, call.body)
            case "PUT", True:
                return replace(self._store, found, asked, wanted, door, call.body)
            case "PATCH", True:
                return revise(self._store, found, asked, wanted, door, call.body, content_type)
            case "DELETE", True:
                return delete(self._store, found, asked, wanted, deletion(call.query, call.body))
            case "DELETE", False:
                return delete_collection(self._store, found, asked, deletion(call.query, call.body))
        raise not_allowed()

    def _other(self, call: Call, wanted: Form, user: User, access: Access) -> Answer:
        """Everything that is no resource: versions, discovery, documents, reviews."""
        if _is_review(call):
            if call.method != "POST":
                raise not_allowed()
            return review(self._store, self._authorizer, user, access.resource, call.body)
        if call.method not in ("GET", "HEAD"):
            raise not_allowed()
        if call.path in _OK:
            return Answer(b"ok", content_type="text/plain")
        if call.path == "/version":
            return answer(dict(VERSION))
        if call.path == "/openapi/v2":
            return Answer(openapi.EMPTY_V2, content_type=openapi.V2_TYPE)
        if call.path.startswith("/openapi/v3"):
            return _found(self._openapi(call.path.removeprefix("/openapi/v3").strip("/")))
        return self._discovery(call.path.strip("/"), wanted)

    def _openapi(self, path: str) -> dict[str, Any] | None:
        return openapi.document(self._store.kinds, path) if path else openapi.index(self._store.kinds)

    def _discovery(self, path: str, wanted: Form) -> Answer:
        kinds = self._store.kinds
        if path in ("api", "apis") and wanted.aggregated:
            told = answer(discovery.aggregated(kinds, core=path == "api"))
            return Answer(told.body, content_type=discovery.AGGREGATED)
        match path.split("/"):
            case ["api"]:
                return answer(discovery.core_versions(self._address))
            case ["apis"]:
                return answer(discovery.group_list(kinds))
            case ["api", version]:
                return _found(discovery.resource_list(kinds, "", version))
            case ["apis", group]:
                return _found(discovery.one_group(kinds, group))
            case ["apis", group, version]:
                return _found(discovery.resource_list(kinds, group, version))
        raise no_such_path()


def _get(store: Store, found: Route, _: Options, wanted: Form) -> Answer:
    return get(store, found, wanted)


def _verb(method: str, found: Route, asked: Options) -> str:
    """The verb of authorization."""
    verb = _VERBS.get(method)
    if verb is None:
        raise not_allowed()
    if verb == "get" and not found.subresource:
        if asked.watch:
            return "watch"
        return "get" if found.name else "list"
    return "deletecollection" if verb == "delete" and not found.name else verb


def _access(call: Call) -> Access:
    if _is_review(call):
        group, _, plural = call.path.removeprefix("/apis/").split("/")
        return Access(_VERBS.get(call.method, ""), group, plural)
    return Access(call.method.lower().replace("head", "get"), path=call.path)


def _is_review(call: Call) -> bool:
    group, _, rest = call.path.removeprefix("/apis/").partition("/")
    version, _, plural = rest.partition("/")
    return any(review.name == plural for review in discovery.REVIEWS.get((group, version), ()))


def _found(body: dict[str, Any] | None) -> Answer:
    if body is None:
        raise no_such_path()
    return answer(body)


def _agent(headers: Mapping[str, str]) -> str:
    """Who writes without saying so: apiserver 1.36, pkg/endpoints/handlers/fieldmanager."""
    return headers.get("User-Agent", "").partition("/")[0][:128] or "unknown"
