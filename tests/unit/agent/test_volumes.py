"""Volumes as files: their content, their place, and that a reader never sees half of one."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.agent.pods import facts, make_container, make_pod, make_volume

from pointsman.sandbox.agent.paths import PodFolder
from pointsman.sandbox.agent.podspec import TokenFile
from pointsman.sandbox.agent.sources import ConfigError, Contents, config_map, secret
from pointsman.sandbox.agent.volumes import files_of, mount, token_files, write_files

CONTENTS: Contents = {
    config_map("settings"): {"a": b"1", "b": b"2"},
    config_map("gone"): None,
    secret("login"): {"password": b"s3cret"},
}
TOKEN = TokenFile(path="token", expiration_seconds=3607)
POD = make_pod(metadata={"labels": {"app": "web"}})

API_ACCESS = {
    "projected": {
        "sources": [
            {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
            {"configMap": {"name": "settings", "items": [{"key": "a", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
        ]
    }
}


@pytest.mark.parametrize(
    ("volume", "expected"),
    [
        pytest.param({"configMap": {"name": "settings"}}, {"a": b"1", "b": b"2"}, id="a ConfigMap"),
        pytest.param(
            {"configMap": {"name": "settings", "items": [{"key": "b", "path": "sub/b.txt"}]}},
            {"sub/b.txt": b"2"},
            id="chosen keys under other names",
        ),
        pytest.param({"configMap": {"name": "gone", "optional": True}}, {}, id="a missing one that may be missing"),
        pytest.param({"secret": {"secretName": "login"}}, {"password": b"s3cret"}, id="a Secret"),
        pytest.param(API_ACCESS, {"token": b"jwt", "ca.crt": b"1", "namespace": b"ns"}, id="a service account"),
        pytest.param(
            {"downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
            {"labels": b'app="web"'},
            id="fields of the pod",
        ),
    ],
)
def test_what_a_volume_holds(volume: dict[str, Any], expected: dict[str, bytes]) -> None:
    assert files_of(make_volume(**volume), facts(POD), CONTENTS, {TOKEN: b"jwt"}) == expected


@pytest.mark.parametrize(
    ("volume", "message"),
    [
        pytest.param({"configMap": {"name": "gone"}}, 'configmap "gone" not found', id="no such object"),
        pytest.param(
            {"configMap": {"name": "settings", "items": [{"key": "z", "path": "z"}]}},
            'couldn\'t find key z in ConfigMap "settings"',
            id="no such key",
        ),
        pytest.param(
            {"hostPath": {"path": "/"}},
            "volume files: only configMap, secret, projected, downwardAPI, emptyDir are served by the node agent",
            id="a kind that is not served",
        ),
    ],
)
def test_a_volume_that_cannot_be_had(volume: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        files_of(make_volume(**volume), facts(POD), CONTENTS, {})

    assert str(caught.value) == message


def test_the_tokens_that_volumes_need() -> None:
    assert list(token_files([make_volume(**API_ACCESS), make_volume(emptyDir={})])) == [TOKEN]


def test_files_are_written_for_the_owner_alone_and_vanish_when_no_longer_wanted(tmp_path: Path) -> None:
    write_files(tmp_path, {"a": b"1", "sub/b": b"2"})
    write_files(tmp_path, {"a": b"3"})

    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"a"}
    assert (tmp_path / "a").read_bytes() == b"3"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_a_new_content_is_a_new_file_and_the_same_content_is_not(tmp_path: Path) -> None:
    write_files(tmp_path, {"a": b"1", "b": b"1"})
    with (tmp_path / "a").open("rb") as reader, (tmp_path / "b").open("rb") as other:
        write_files(tmp_path, {"a": b"2", "b": b"1"})

        assert reader.read() == b"1"  # an open file keeps what it had
        assert (tmp_path / "b").stat().st_ino == Path(f"/proc/self/fd/{other.fileno()}").stat().st_ino


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x"])
def test_no_file_leads_out_of_its_volume(tmp_path: Path, path: str) -> None:
    with pytest.raises(ConfigError, match="leads out of its volume"):
        write_files(tmp_path / "volume", {path: b"1"})

    assert list(tmp_path.rglob("x")) == []


@pytest.fixture
def folder(tmp_path: Path) -> PodFolder:
    return PodFolder(tmp_path / "pod", tmp_path / "logs")


def test_volumes_appear_under_their_mount_paths_and_inside_each_other(folder: PodFolder) -> None:
    write_files(folder.volume("settings"), {"a": b"1"})
    mounts = [
        {"name": "settings", "mountPath": "/data/settings"},
        {"name": "data", "mountPath": "/data"},
        {"name": "settings", "mountPath": "/one", "subPath": "a"},
    ]

    mount(folder, [make_container(volumeMounts=mounts)])
    mount(folder, [make_container(volumeMounts=mounts)])

    assert (folder.root / "data/settings/a").read_bytes() == b"1"
    assert (folder.root / "one").read_bytes() == b"1"
    assert (folder.volume("data") / "settings").is_symlink()


def test_containers_that_mount_other_volumes_at_one_path_are_refused(folder: PodFolder) -> None:
    first, second = (make_container(volumeMounts=[{"name": name, "mountPath": "/tmp"}]) for name in "ab")

    with pytest.raises(ConfigError, match="two volumes are mounted at /tmp"):
        mount(folder, [first, second])
