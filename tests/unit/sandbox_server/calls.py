"""Calls on a server that has no socket."""

import random
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import msgspec

from pointsman.sandbox.assembly import Assembly, assemble
from pointsman.sandbox.server.answer import Answer
from pointsman.sandbox.server.request import Call
from pointsman.testing.clock import VirtualClock

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


class Server:
    """An assembled server and the token of its administrator."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.parts: Assembly = assemble(self.clock, random.Random(1), address="127.0.0.1")
        self.admin = self.parts.tokens.admin_token()

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        accept: str = "application/json",
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
        **query: str,
    ) -> Answer | AsyncGenerator[bytes, None]:
        """One call, by the administrator unless `token` says otherwise; an empty one is nobody's."""
        token = self.admin if token is None else token
        sent = {"Accept": accept, "Content-Type": content_type, "User-Agent": "test/1", **(headers or {})}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        content = body if isinstance(body, bytes) else b"" if body is None else msgspec.json.encode(body)
        return self.parts.api.handle(Call(method, path, query, sent, content))

    def answer(self, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, Any]:
        """Status and decoded body of a call that is answered at once."""
        answer = self.call(method, path, body, **more)
        assert isinstance(answer, Answer)
        return answer.status, msgspec.json.decode(answer.body)

    def done(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        """The body of a call that must work."""
        status, content = self.answer(method, path, body, **more)
        assert status < 300, content
        return content

    def account_token(self, name: str, namespace: str = "default") -> str:
        """A token of a new ServiceAccount."""
        self.done("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": name}})
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        token: str = self.done("POST", path, {"spec": {}})["status"]["token"]
        return token


def pod(name: str = "p", **spec: Any) -> dict[str, Any]:
    """A small pod."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [{"name": "c", "image": "i:1"}], **spec},
    }
