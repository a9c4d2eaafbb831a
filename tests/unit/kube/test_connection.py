"""Finding the API server: files, plugins, the pod's own account, and messages for what is wrong with them."""

import asyncio
import base64
import os
import shutil
import ssl
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml

from pointsman.kube.access import Connection, ConnectionError_, TokenFile
from pointsman.kube.client import Client
from pointsman.kube.connection import connect
from pointsman.kube.errors import Unreachable
from pointsman.testing.clock import VirtualClock


def kubeconfig(path: Path, user: dict[str, Any] | None, cluster: dict[str, Any] | None = None, **context: str) -> str:
    """Write a kubeconfig with one context."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "main",
        "contexts": [{"name": "main", "context": {"cluster": "c", "user": "u", **context}}],
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:6443/"} | (cluster or {})}],
        "users": [{"name": "u", "user": user}],
    }
    path.write_text(yaml.safe_dump(config))
    return str(path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate, its own CA, and its key, as files."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        [
            openssl,
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=test",
            "-keyout",
            str(key),
            "-out",
            str(certificate),
        ],
        check=True,
        capture_output=True,
    )
    return certificate, key


def encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


# --- plain kubeconfigs


@pytest.mark.parametrize(
    ("user", "token"),
    [
        ({"token": "t-1"}, "t-1"),
        ({"tokenFile": "token"}, "t-2"),
        ({"token": "t-1", "tokenFile": "token"}, "t-2"),
        ({}, None),
        (None, None),
    ],
    ids=["token", "token file", "both", "nothing", "null"],
)
async def test_a_plain_kubeconfig_is_read(file: Path, user: dict[str, Any] | None, token: str | None) -> None:
    (file.parent / "token").write_text("t-2\n")
    connection = await connect(kubeconfig(file, user, namespace="team-a"))
    assert (connection.server, connection.ssl, connection.namespace) == ("http://127.0.0.1:6443", None, "team-a")
    assert await connection.token() == token


async def test_a_plain_kubeconfig_does_not_load_the_general_client(file: Path) -> None:
    path = kubeconfig(file, {"token": "t"})
    code = f"import asyncio, sys; from pointsman.kube.connection import connect; asyncio.run(connect({path!r}))"
    code += "; assert 'kubernetes' not in sys.modules"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)  # noqa: ASYNC221


@pytest.mark.parametrize("inline", [True, False], ids=["inline", "files"])
async def test_certificates_are_taken_from_the_kubeconfig_or_from_files(
    file: Path, pair: tuple[Path, Path], inline: bool
) -> None:
    certificate, key = pair
    if inline:
        user = {"client-certificate-data": encoded(certificate), "client-key-data": encoded(key)}
        cluster = {"certificate-authority-data": encoded(certificate)}
    else:
        user = {"client-certificate": str(certificate), "client-key": str(key)}
        cluster = {"certificate-authority": str(certificate)}
    connection = await connect(kubeconfig(file, user, {"server": "https://h:6443", **cluster}))
    assert connection.ssl is not None
    assert connection.ssl.verify_mode is ssl.CERT_REQUIRED
    assert [ca["subject"] for ca in connection.ssl.get_ca_certs()] == [((("commonName", "test"),),)]


async def test_the_other_settings_of_a_cluster_are_kept(file: Path) -> None:
    cluster = {
        "server": "https://h:6443",
        "insecure-skip-tls-verify": True,
        "tls-server-name": "api.example.com",
        "proxy-url": "http://proxy:3128",
    }
    connection = await connect(kubeconfig(file, {"token": "t"}, cluster))
    assert connection.ssl is not None
    assert connection.ssl.verify_mode is ssl.CERT_NONE
    assert (connection.server_hostname, connection.proxy) == ("api.example.com", "http://proxy:3128")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: [", "not YAML"),
        ("just words", "not a kubeconfig"),
        ("{}", "current-context is missing"),
        ("current-context: x", 'there is no "x" in contexts'),
        ("current-context: x\ncontexts: [{name: x, context: {user: u}}]", 'there is no "u" in users'),
        ("current-context: x\ncontexts: [{name: x, context: {}}]", "contexts[x]: cluster is missing"),
        (
            "current-context: x\ncontexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c, cluster: {}}]",
            "clusters[c]: server is missing",
        ),
    ],
    ids=["no YAML", "no mapping", "empty", "no context", "no user", "no cluster", "no server"],
)
def test_what_is_wrong_with_a_kubeconfig_is_told_with_its_name(file: Path, content: str, words: str) -> None:
    file.write_text(content)
    with pytest.raises(ConnectionError_) as refusal:
        asyncio.run(connect(str(file)))
    assert str(refusal.value).startswith(str(file))
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("user", "cluster", "words"),
    [
        ({"as": "jane", "token": "secret"}, {}, "users[u].as: impersonation is not supported"),
        ({"username": "u", "password": "secret"}, {}, "username and password are not supported"),
        ({"tokenFile": "nowhere"}, {}, "nowhere: cannot be read: No such file"),
        ({"client-certificate-data": "secret!"}, {"server": "https://h"}, "client-certificate-data is not base64"),
        (
            {"client-certificate-data": base64.b64encode(b"secret").decode()},
            {"server": "https://h"},
            "client certificate and key:",
        ),
        ({}, {"server": "https://h", "certificate-authority": "ca"}, "ca: cannot be read"),
        (
            {},
            {"server": "https://h", "certificate-authority-data": base64.b64encode(b"x").decode()},
            "not a CA certificate",
        ),
    ],
    ids=["impersonation", "password", "no token file", "no base64", "no certificate", "no CA file", "no CA"],
)
async def test_what_is_wrong_with_credentials_is_told_without_showing_them(
    file: Path, user: dict[str, Any], cluster: dict[str, Any], words: str
) -> None:
    path = kubeconfig(file, user, cluster)
    with pytest.raises(ConnectionError_) as refusal:
        await (await connect(path)).token()
    assert words in str(refusal.value)
    assert "secret" not in str(refusal.value)


# --- which file


async def test_the_argument_wins_over_the_environment_and_that_over_the_pod(tmp_path: Path) -> None:
    one = kubeconfig(tmp_path / "one", {"token": "1"}, {"server": "http://one"})
    two = kubeconfig(tmp_path / "two", {"token": "2"}, {"server": "http://two"})
    pod = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
    assert (await connect(one, environment={"KUBECONFIG": two, **pod})).server == "http://one"
    assert (await connect(None, environment={"KUBECONFIG": two, **pod})).server == "http://two"
    with pytest.raises(ConnectionError_, match="let the pod mount its service account"):
        await connect(None, environment=pod, service_account=tmp_path)


async def test_without_any_of_them_it_says_what_to_do() -> None:
    with pytest.raises(ConnectionError_, match="give --kubeconfig FILE, set KUBECONFIG, or run in a pod"):
        await connect(None, environment={})


async def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConnectionError_, match="nowhere: cannot be read: No such file"):
        await connect(str(tmp_path / "nowhere"))


async def test_several_files_are_merged(tmp_path: Path) -> None:
    kubeconfig(tmp_path / "one", {"token": "1"}, {"server": "http://one"}, namespace="team-b")
    paths = os.pathsep.join([str(tmp_path / "missing"), str(tmp_path / "one")])
    connection = await connect(None, environment={"KUBECONFIG": paths})
    assert (connection.server, connection.namespace) == ("http://one", "team-b")
    assert await connection.token() == "1"


# --- exec plugins


def plugin(folder: Path, body: str) -> dict[str, Any]:
    """A user whose credentials come from a program."""
    script = folder / "plugin"
    script.write_text(f"#!{sys.executable}\n{textwrap.dedent(body)}")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(script), "args": []}}


_COUNTING_PLUGIN = """
    import json, pathlib
    count = pathlib.Path(__file__ + ".count")
    number = int(count.read_text()) + 1 if count.exists() else 1
    count.write_text(str(number))
    print(json.dumps({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                      "status": {"token": f"token-{number}"}}))
"""


async def test_a_plugins_token_is_used_for_a_minute_and_asked_anew_when_refused(
    file: Path, clock: VirtualClock
) -> None:
    connection = await connect(kubeconfig(file, plugin(file.parent, _COUNTING_PLUGIN), namespace="n"), clock=clock)
    assert connection.namespace == "n"
    assert await connection.token() == "token-1"
    clock.jump(59)
    assert await connection.token() == "token-1"
    clock.jump(1)
    assert await connection.token() == "token-2"
    connection.forget_token()
    assert await connection.token() == "token-3"


async def test_a_plugin_that_fails_is_named_by_its_file(file: Path) -> None:
    path = kubeconfig(file, plugin(file.parent, "raise SystemExit('log in first')"))
    with pytest.raises(ConnectionError_, match="gave no credentials; run it by hand") as refusal:
        await connect(path)
    assert str(refusal.value).startswith(path)


# --- in a pod


@pytest.fixture
def account(tmp_path: Path, pair: tuple[Path, Path]) -> Path:
    (tmp_path / "token").write_text("first\n")
    (tmp_path / "namespace").write_text("team-a")
    shutil.copy(pair[0], tmp_path / "ca.crt")
    return tmp_path


@pytest.mark.parametrize(
    ("host", "server"), [("10.0.0.1", "https://10.0.0.1:443"), ("fd00::1", "https://[fd00::1]:443")], ids=["v4", "v6"]
)
async def test_a_pods_account_is_found(account: Path, host: str, server: str) -> None:
    environment = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": "443"}
    connection = await connect(None, environment=environment, service_account=account)
    assert (connection.server, connection.namespace) == (server, "team-a")
    assert connection.ssl is not None
    assert await connection.token() == "first"


async def test_a_token_file_is_read_again_each_minute(tmp_path: Path, clock: VirtualClock) -> None:
    path = tmp_path / "token"
    path.write_text("first")
    token = TokenFile(path, clock)
    assert await token() == "first"
    path.write_text("second")
    clock.jump(59)
    assert await token() == "first"
    clock.jump(1)
    assert await token() == "second"


async def test_a_token_file_is_read_at_once_when_the_token_was_refused(tmp_path: Path, clock: VirtualClock) -> None:
    path = tmp_path / "token"
    path.write_text("first")
    token = TokenFile(path, clock)
    assert await token() == "first"
    path.write_text("second")
    token.forget()
    assert await token() == "second"


async def test_a_token_file_that_is_gone_for_a_moment_does_no_harm(tmp_path: Path, clock: VirtualClock) -> None:
    path = tmp_path / "token"
    path.write_text("first")
    token = TokenFile(path, clock)
    assert await token() == "first"
    path.unlink()
    clock.jump(61)
    assert await token() == "first"


@pytest.mark.parametrize("content", ["", "\n"], ids=["empty", "blank"])
async def test_an_empty_token_file_is_told(tmp_path: Path, clock: VirtualClock, content: str) -> None:
    (tmp_path / "token").write_text(content)
    with pytest.raises(ConnectionError_, match="the token file is empty"):
        await TokenFile(tmp_path / "token", clock)()


async def test_a_call_without_a_token_to_be_had_is_unreachable(tmp_path: Path, clock: VirtualClock) -> None:
    token = TokenFile(tmp_path / "token", clock)
    async with Client(Connection("http://127.0.0.1:1", None, token, "n"), user_agent="test", clock=clock) as client:
        with pytest.raises(Unreachable, match="cannot be read"):
            await client.get_json("/x")
