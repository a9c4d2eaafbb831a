"""A path that a container was told becomes the pod's own, once, and nothing else does."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.agent.pods import FOLDER

from pointsman.sandbox.agent.paths import PodFolder, pod_folder, rewrite

MOUNTS = ("/etc/pointsman/policy", "/tmp", "/data/")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(
            "/etc/pointsman/policy", "/scratch/pods/ns_web_u1/etc/pointsman/policy", id="the mount path itself"
        ),
        pytest.param("/tmp/a b/c", "/scratch/pods/ns_web_u1/tmp/a b/c", id="a path below it"),
        pytest.param("/data/x", "/scratch/pods/ns_web_u1/data/x", id="a mount path that ends with a slash"),
        pytest.param("/data", "/scratch/pods/ns_web_u1/data", id="the same without the slash"),
        pytest.param("/tmpfs/x", "/tmpfs/x", id="a longer name is another folder"),
        pytest.param("/etc/pointsman", "/etc/pointsman", id="a folder above it"),
        pytest.param("--policy=/tmp/x", "--policy=/tmp/x", id="a path in the middle of a value"),
        pytest.param("tmp/x", "tmp/x", id="a relative path"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_only_what_begins_with_a_mount_path_is_rewritten(value: str, expected: str) -> None:
    assert rewrite(value, MOUNTS, FOLDER) == expected


def test_the_root_as_mount_path_claims_nothing() -> None:
    assert rewrite("/etc/passwd", ("/",), FOLDER) == "/etc/passwd"


def test_a_work_directory_below_a_mount_path_is_put_before_a_value_once() -> None:
    assert rewrite("/tmp/x", ("/tmp",), PodFolder(Path("/tmp/agent"), Path("/tmp/logs"))) == "/tmp/agent/tmp/x"


segments = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1).filter(
    lambda segment: segment not in {".", ".."}
)
paths = st.lists(segments, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))


@given(mounts=st.lists(paths, max_size=4), value=st.one_of(paths, st.text()))
def test_a_value_changes_only_by_the_folder_before_it(mounts: list[str], value: str) -> None:
    below = any(value == mount or value.startswith(mount + "/") for mount in mounts)

    assert rewrite(value, mounts, FOLDER) == (f"{FOLDER.root}{value}" if below else value)


@given(mount=paths, rest=paths)
def test_a_rewritten_path_lies_where_its_mount_was_made(mount: str, rest: str) -> None:
    assert rewrite(mount + rest, [mount], FOLDER) == f"{FOLDER.mount(mount)}{rest}"


@given(path=st.text(st.sampled_from("a./"), max_size=12))
def test_no_mount_path_leads_out_of_the_folder(path: str) -> None:
    assert FOLDER.mount(path).is_relative_to(FOLDER.root)
    assert ".." not in FOLDER.mount(path).parts


def test_two_pods_of_one_name_have_folders_of_their_own() -> None:
    first, second = (pod_folder(Path("/scratch"), "ns", "web", uid) for uid in ("u1", "u2"))

    assert first.root != second.root
    assert first.log("main", 0) != second.log("main", 0)
