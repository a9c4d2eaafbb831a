"""Tokens are bound and renewed in time; a kubeconfig points to them and to the server that the agent itself uses."""

import json
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.unit.agent.pods import FOLDER, make_pod
from tests.unit.kube.fake_api import FakeApi, Reply

from pointsman.kube.access import Connection, no_token
from pointsman.kube.client import Client
from pointsman.sandbox.agent.credentials import TokenSource, authority, kubeconfig, renewal_time
from pointsman.sandbox.agent.podspec import TokenFile
from pointsman.testing.clock import VirtualClock

NOON = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
ACCOUNT = "/scratch/pods/ns_web_u1/var/run/secrets/kubernetes.io/serviceaccount"
POD = make_pod(spec={"serviceAccountName": "robot"})


@pytest.mark.parametrize(
    ("life", "after"),
    [
        pytest.param(timedelta(hours=1), timedelta(minutes=48), id="80 % of an hour"),
        pytest.param(timedelta(days=365), timedelta(days=1), id="a day at the latest"),
    ],
)
def test_when_a_token_is_renewed(life: timedelta, after: timedelta) -> None:
    assert renewal_time(NOON, NOON + life) == NOON + after


def token(value: str, expires: datetime) -> Reply:
    return Reply(201, {"status": {"token": value, "expirationTimestamp": expires.strftime("%Y-%m-%dT%H:%M:%SZ")}})


@pytest.fixture
async def api() -> AsyncIterator[FakeApi]:
    server = FakeApi()
    await server.start()
    yield server
    await server.stop()


async def test_a_token_is_asked_for_once_until_it_is_time(api: FakeApi) -> None:
    clock = VirtualClock(NOON)
    wanted = TokenFile(path="token", audience="vault", expiration_seconds=3600)
    async with Client(Connection(api.url, None, no_token, "ns"), user_agent="test", clock=clock) as client:
        source = TokenSource(client, POD, clock)
        api.calls += [token("first", NOON + timedelta(hours=1)), token("second", NOON + timedelta(hours=2))]

        found = [await source.get(wanted)]
        clock.jump(47 * 60)
        found.append(await source.get(wanted))
        clock.jump(60)
        found.append(await source.get(wanted))

    assert found == [b"first", b"first", b"second"]
    assert {call.path for call in api.requests} == {"/api/v1/namespaces/ns/serviceaccounts/robot/token"}
    assert api.requests[0].json["spec"] == {
        "audiences": ["vault"],
        "expirationSeconds": 3600,
        "boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "web", "uid": "u1"},
    }


def cluster(connection: Connection) -> dict[str, Any]:
    written = json.loads(kubeconfig(connection, FOLDER, "ns"))
    found: dict[str, Any] = written["clusters"][0]["cluster"]
    return found


def test_the_kubeconfig_reads_token_and_authority_from_files() -> None:
    connection = Connection("https://api:6443", ssl.create_default_context(), no_token, "elsewhere")

    written = json.loads(kubeconfig(connection, FOLDER, "ns"))

    assert written["users"] == [{"name": "pod", "user": {"tokenFile": f"{ACCOUNT}/token"}}]
    assert written["contexts"][0]["context"]["namespace"] == "ns"
    assert cluster(connection) == {"server": "https://api:6443", "certificate-authority": f"{ACCOUNT}/ca.crt"}


def unverified() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@pytest.mark.parametrize(
    ("connection", "expected"),
    [
        pytest.param(Connection("http://api", None, no_token, ""), {}, id="plain HTTP"),
        pytest.param(
            Connection("https://api", unverified(), no_token, ""), {"insecure-skip-tls-verify": True}, id="unverified"
        ),
        pytest.param(
            Connection(
                "https://api", ssl.create_default_context(), no_token, "", server_hostname="k8s", proxy="http://p"
            ),
            {"certificate-authority": f"{ACCOUNT}/ca.crt", "tls-server-name": "k8s", "proxy-url": "http://p"},
            id="behind a proxy",
        ),
    ],
)
def test_the_kubeconfig_goes_the_agents_own_way(connection: Connection, expected: dict[str, Any]) -> None:
    assert cluster(connection) == {"server": connection.server, **expected}


def test_without_a_check_there_is_no_authority_to_hand_on() -> None:
    assert authority(Connection("http://api", None, no_token, "")) == b""
    assert authority(Connection("https://api", unverified(), no_token, "")) == b""
