"""Addresses, node shapes, image maps, last words, logs, the work directory: small things with sharp edges."""

from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from tests.unit.agent.pods import make_container, make_pod

from pointsman.sandbox.agent.addresses import NODES, AddressesExhausted, AddressPool, node_addresses, pod_addresses
from pointsman.sandbox.agent.checks import port_number, probe_url, require_served
from pointsman.sandbox.agent.images import is_mapped, parse_image
from pointsman.sandbox.agent.logs import read_log
from pointsman.sandbox.agent.podspec import HttpGet
from pointsman.sandbox.agent.shape import NodeShape, NodeTaint, numbered, parse_taint
from pointsman.sandbox.agent.sources import ConfigError
from pointsman.sandbox.agent.termination import termination_message
from pointsman.sandbox.agent.workdir import WorkDirTaken, claimed


def test_addresses_go_around_in_a_circle_and_pass_over_what_is_taken() -> None:
    pool = AddressPool(int(ip_address("127.64.0.1")), 3, start=1)
    pool.hold("127.64.0.3")

    first, second = pool.take(), pool.take()
    with pytest.raises(AddressesExhausted, match=r"all 3 addresses from 127\.64\.0\.1 on are taken"):
        pool.take()
    pool.release("127.64.0.3")

    assert (first, second, pool.take()) == ("127.64.0.2", "127.64.0.1", "127.64.0.3")


@pytest.mark.parametrize(
    ("start", "pod", "node"),
    [
        pytest.param(0, "127.64.0.1", "127.127.0.0", id="the first"),
        pytest.param(63 * 65536 - 2, "127.126.255.255", "127.127.255.254", id="the last pod"),
        pytest.param(63 * 65536 - 1, "127.64.0.1", "127.127.255.255", id="around"),
    ],
)
def test_pods_and_nodes_have_ranges_of_their_own(start: int, pod: str, node: str) -> None:
    assert (pod_addresses(start).take(), node_addresses(start).take()) == (pod, node)
    assert ip_address(node) in NODES
    assert ip_address(pod) not in NODES


def test_numbered_nodes() -> None:
    assert [shape.name for shape in numbered(NodeShape("", cpu="8"), "n-", 3)] == ["n-0", "n-1", "n-2"]


@pytest.mark.parametrize(
    ("text", "taint"),
    [
        ("dedicated=gpu:NoSchedule", NodeTaint("dedicated", "NoSchedule", "gpu")),
        ("example.com/drain:NoExecute", NodeTaint("example.com/drain", "NoExecute")),
    ],
)
def test_a_taint_is_written_as_for_kubectl(text: str, taint: NodeTaint) -> None:
    assert parse_taint(text) == taint


@pytest.mark.parametrize("text", ["", "key", "key=value", "key:Sometimes", ":NoSchedule", "=x:NoSchedule"])
def test_a_taint_that_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=f'taint "{text}": expected key=value:Effect'):
        parse_taint(text)


def test_an_image_is_followed_by_a_command_in_the_shells_words() -> None:
    assert parse_image("app:1.0=/usr/bin/python3 -m 'my app'") == ("app:1.0", ("/usr/bin/python3", "-m", "my app"))


@pytest.mark.parametrize("text", ["app", "app=", "=python", "app='"])
def test_an_image_without_a_command(text: str) -> None:
    with pytest.raises(ValueError, match=r"^image "):
        parse_image(text)


@pytest.mark.parametrize(("image", "mapped"), [("app:1", True), ("app:2", False), ("docker.io/app:1", False)])
def test_an_image_is_mapped_by_the_name_that_is_written(image: str, mapped: bool) -> None:
    containers = make_pod({"name": "a", "image": "other"}, {"name": "b", "image": image}).spec.containers

    assert is_mapped({"app:1": ("x",)}, containers) is mapped


PORTS = make_container(ports=[{"name": "http", "containerPort": 8080}])


@pytest.mark.parametrize(("port", "number"), [(80, 80), ("http", 8080), ("9090", 9090)])
def test_a_port_by_number_or_name(port: int | str, number: int) -> None:
    assert port_number(PORTS, port) == number


@pytest.mark.parametrize(
    ("probe", "url"),
    [
        pytest.param(HttpGet(path="/healthz", port="http"), "http://127.64.0.9:8080/healthz", id="the pod's address"),
        pytest.param(HttpGet(path="x?y=1", port=1, scheme="HTTPS"), "https://127.64.0.9:1/x?y=1", id="another scheme"),
        pytest.param(HttpGet(path="/", port=1, host="127.0.0.1"), "http://127.0.0.1:1/", id="a host of its own"),
    ],
)
def test_the_url_that_a_probe_asks(probe: HttpGet, url: str) -> None:
    assert probe_url(PORTS, probe, "127.64.0.9") == url


@pytest.mark.parametrize(
    ("probe", "message"),
    [
        pytest.param({"exec": {"command": ["true"]}}, "livenessProbe: only httpGet and tcpSocket are", id="exec"),
        pytest.param({"httpGet": {"port": "web"}}, 'container main has no port named "web"', id="an unknown port"),
    ],
)
def test_a_probe_that_cannot_be_asked_is_refused(probe: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        require_served(make_container(livenessProbe=probe))


@pytest.mark.parametrize(
    ("file", "log", "policy", "code", "expected"),
    [
        pytest.param("bye", "log", "File", 1, "bye", id="the file"),
        pytest.param("", "log", "File", 1, "", id="an empty file and no more"),
        pytest.param(None, "log", "FallbackToLogsOnError", 1, "log", id="the log instead"),
        pytest.param("", "log", "FallbackToLogsOnError", 1, "log", id="the log instead of an empty file"),
        pytest.param("bye", "log", "FallbackToLogsOnError", 1, "bye", id="the file first"),
        pytest.param(None, "log", "FallbackToLogsOnError", 0, "", id="not when all went well"),
        pytest.param(None, None, "FallbackToLogsOnError", 1, "", id="no log either"),
        pytest.param("x" * 5000, None, "File", 1, "x" * 4096, id="the first 4096 bytes of the file"),
        pytest.param(None, "a\n" * 100, "FallbackToLogsOnError", 1, "a\n" * 80, id="the last 80 lines of the log"),
        pytest.param(None, "y" * 3000, "FallbackToLogsOnError", 1, "y" * 2048, id="its last 2048 bytes"),
    ],
)
def test_last_words(tmp_path: Path, file: str | None, log: str | None, policy: str, code: int, expected: str) -> None:
    for name, content in (("file", file), ("log", log)):
        if content is not None:
            (tmp_path / name).write_text(content)

    assert termination_message(tmp_path / "file", tmp_path / "log", policy, code) == expected


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for run, text in {"main/9": "ninth", "main/10": "tenth", "aside/0": "aside"}.items():
        path = tmp_path / "logs/ns_web_u1" / f"{run}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_the_newest_run_is_the_one_with_the_highest_number(logs: Path) -> None:
    assert read_log(logs, "ns", "web", "main") == "tenth"
    assert read_log(logs, "ns", "web", "main", previous=True) == "ninth"
    assert read_log(logs, "ns", "web") == "aside"


@pytest.mark.parametrize(
    ("name", "container", "message"),
    [("other", "", "no log of pod ns/other"), ("web", "aside", "pod ns/web container aside has run once only")],
)
def test_a_log_that_is_not_there(logs: Path, name: str, container: str, message: str) -> None:
    with pytest.raises(LookupError, match=message):
        read_log(logs, "ns", name, container, previous=True)


def test_a_work_directory_has_one_agent_at_a_time(tmp_path: Path) -> None:
    work = tmp_path / "work"
    with claimed(work), pytest.raises(WorkDirTaken, match="in use by another node agent"), claimed(work):
        pass
    with claimed(work):
        assert work.stat().st_mode & 0o777 == 0o700
