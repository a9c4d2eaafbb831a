"""Whatever is asked of the store is asked of a real API server too: same code, same object, same words."""

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from tests.controlplane.plane import ControlPlane
from tests.controlplane.wait import eventually
from tests.crd.schema import crd
from tests.unit.sandbox_store.cases import CASES
from tests.unit.sandbox_store.script import DEFINITION, DEFINITIONS, PROFILES, WIDGETS, Case, profile, widget
from tests.unit.sandbox_store.servers import Answer, RealServer, SandboxServer, Server, comparable


@pytest.fixture(scope="module")
def real(control_plane: ControlPlane) -> RealServer:
    server = RealServer(control_plane)
    for definition in (DEFINITION, crd()):
        defined = server.call("POST", DEFINITIONS, definition)
        assert defined.code in (201, 409), defined.body["message"]
    for body, path in ((widget("trial", size=1), WIDGETS), (profile({"schedulerName": "trial"}), PROFILES)):
        where = path.replace("NAMESPACE", "default")
        eventually(lambda: server.call("POST", where, body, dryRun="All").code == 201, what=f"{where} to be served")  # noqa: B023 - called at once
    return server


@pytest.fixture
def sandbox() -> SandboxServer:
    server = SandboxServer()
    for definition in (DEFINITION, crd()):
        made = server.call("POST", DEFINITIONS, definition)
        assert made.code == 201, made.body
    return server


@pytest.fixture(scope="module")
def namespace(control_plane: ControlPlane) -> Iterator[str]:
    name = f"judged-{uuid.uuid4().hex[:8]}"
    control_plane.kubectl("create", "namespace", name)
    control_plane.kubectl("wait", "--for=create", "serviceaccount/default", "--namespace", name, "--timeout=30s")
    yield name
    control_plane.kubectl("delete", "namespace", name, "--wait=false")


def answers(server: Server, case: Case, namespace: str) -> list[Any]:
    said = []
    for step in case.steps:
        path = step.path.replace("NAMESPACE", namespace)
        answer = server.call(step.method, path, step.body, step.content_type, **step.query)
        if not step.quiet:
            said.append(shown(answer, namespace))
    return said


def shown(answer: Answer, namespace: str) -> Any:
    body = comparable(answer.body, namespace)
    if answer.code >= 400:
        listed = body.get("message", "").partition(" is invalid: [")
        if listed[1]:  # several faults: the real server tells them in the order of a Go map
            body["message"] = listed[0] + "".join(sorted(listed[2]))
    return answer.code, body


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_store_answers_like_a_real_api_server(
    case: Case, real: RealServer, sandbox: SandboxServer, namespace: str
) -> None:
    sandbox.call("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    assert answers(sandbox, case, namespace) == answers(real, case, namespace)
