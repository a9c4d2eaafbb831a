"""`pointsman validate`: every problem of every profile in every file, on lines that name file, object and field."""

from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from click.testing import CliRunner, Result
from tests.crd.specs import ACCEPTED, HOSTILE, REFUSED, Case

from pointsman.cli.validate import command

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))


def profile(name: str = "a", spec: str = "", scheduler: str = "a") -> str:
    """A profile; `spec` adds fields."""
    more = f", {spec}" if spec else ""
    head = f"apiVersion: pointsman.dev/v1alpha1\nkind: SchedulerProfile\nmetadata: {{name: {name}}}\n"
    return head + f"spec: {{schedulerName: {scheduler}{more}}}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def validate(*args: str, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(command, args, input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def verdicts(result: Result) -> list[str]:
    """The lines that are no notes."""
    return [line for line in result.output.splitlines() if ": note: " not in line]


def checked(text: str, folder: Path) -> tuple[int, list[str]]:
    """Exit code and lines for a file of that text, without notes and the file's name."""
    (folder / "f").write_text(text)
    result = validate("-f", "f")
    assert all(line.startswith("f: ") for line in result.output.splitlines())
    return result.exit_code, [line.removeprefix("f: ") for line in verdicts(result)]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_valid(path: Path) -> None:
    result = validate("-f", str(path))
    assert result.exit_code == 0, result.output


def test_a_good_profile_is_ok(folder: Path) -> None:
    assert checked(profile(), folder) == (0, ["SchedulerProfile/a: ok"])


def test_a_problem_names_file_object_and_field(folder: Path) -> None:
    spec = "priorities: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAlocated}}}]"
    assert checked(profile(spec=spec), folder) == (
        1,
        [
            (
                "SchedulerProfile/a: spec.priorities[NodeResourcesFit].args.scoringStrategy.type:"
                ' "MostAlocated" is not one of LeastAllocated, MostAllocated, RequestedToCapacityRatio'
            )
        ],
    )


def test_notes_do_not_make_a_profile_bad(folder: Path) -> None:
    (folder / "f").write_text(profile(spec='base: None, priorities: [{name: "*", state: Disabled}]'))
    result = validate("-f", "f")
    lines = result.output.splitlines()
    assert "f: SchedulerProfile/a: note: spec.priorities[*]: has no effect, since base is None" in lines
    assert (result.exit_code, lines[-1]) == (0, "f: SchedulerProfile/a: ok")


def test_several_documents_and_files_are_all_checked(folder: Path) -> None:
    (folder / "one").write_text(f"{profile('a')}---\n{profile('b', scheduler='b')}---\n")
    (folder / "two").write_text(profile("c", scheduler="c", spec="replicas: 10"))
    result = validate("-f", "one", "two")
    assert verdicts(result) == [
        "one: SchedulerProfile/a: ok",
        "one: SchedulerProfile/b: ok",
        "two: SchedulerProfile/c: spec.replicas: 10 must be at most 9",
    ]
    assert result.exit_code == 1


def test_standard_input_is_read_for_a_dash() -> None:
    result = validate("-f", "-", stdin=profile())
    assert (result.exit_code, verdicts(result)) == (0, ["-: SchedulerProfile/a: ok"])


def test_a_list_is_taken_apart_and_other_kinds_are_left_alone(folder: Path) -> None:
    items = [yaml.safe_load(profile("a")), {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}]
    text = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items})
    assert checked(text, folder) == (0, ["SchedulerProfile/a: ok"])


def test_json_is_read_too(folder: Path) -> None:
    assert checked('{"kind": "SchedulerProfile"}', folder)[0] == 1


def test_two_profiles_with_one_scheduler_name_are_told_apart(folder: Path) -> None:
    assert checked(f"{profile('a')}---\n{profile('b')}", folder) == (
        1,
        [
            "SchedulerProfile/a: ok",
            'SchedulerProfile/b: spec.schedulerName: "a" is served by SchedulerProfile/a in f already',
        ],
    )


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("", ["holds no SchedulerProfile"], id="empty"),
        pytest.param("kind: Pod", ["holds no SchedulerProfile"], id="another kind"),
        pytest.param("a: [", ["line 1, column 5: expected the node content, but found '<stream end>'"], id="not YAML"),
        pytest.param("a: 1\nb: 2\na: 3", ["line 3, column 1: key 'a' stands twice"], id="a key twice"),
        pytest.param("- a", ["document 1: is not an object"], id="not an object"),
        pytest.param("a: 1\n---\nb", ["document 2: is not an object"], id="second document"),
        pytest.param("a: !!python/name:os.system", None, id="a tag that would run code"),
        pytest.param("[" * 5000, None, id="nested without end"),
        pytest.param("a: \x07", None, id="a control character"),
    ],
)
def test_a_file_that_holds_no_profile_is_a_problem(text: str, lines: list[str] | None, folder: Path) -> None:
    code, found = checked(text, folder)
    assert code == 1
    assert len(found) == 1
    assert lines is None or found == lines


def test_a_file_that_is_missing_or_not_text_is_a_problem(folder: Path) -> None:
    (folder / "binary").write_bytes(b"\xff\xfe")
    result = validate("-f", "missing", "-f", "binary")
    assert result.output.splitlines() == ["missing: No such file or directory", "binary: is not UTF-8 text"]
    assert result.exit_code == 1


def test_no_file_is_a_usage_error() -> None:
    result = validate()
    assert result.exit_code == 2
    assert "no file: give -f FILE" in result.output


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("spec: {schedulerName: a}", "metadata.name: must be set", id="no name"),
        pytest.param("metadata: {name: a}", "spec: must be set", id="no spec"),
        pytest.param("metadata: {name: a}\nspec: []", "spec: is not an object", id="a list for a spec"),
        pytest.param("metadata: {name: a}\nspecs: {}", "specs: unknown field, did you mean spec?", id="a slip"),
        pytest.param("metadata: a", "metadata.name: must be set", id="text for metadata"),
        pytest.param(
            f"metadata: {{name: {'a' * 40}}}",
            f'metadata.name: "{"a" * 40}" must not be longer than 39 characters',
            id="a name too long for its children",
        ),
        pytest.param("metadata: {name: a.b}", 'metadata.name: "a.b" is not a lower-case DNS label', id="a dotted name"),
        pytest.param("metadata: {name: 5}", "metadata.name: 5 is not a string", id="a number for a name"),
    ],
)
def test_what_is_wrong_outside_the_spec_is_told(text: str, line: str, folder: Path) -> None:
    code, found = checked(f"apiVersion: pointsman.dev/v1alpha1\nkind: SchedulerProfile\n{text}", folder)
    assert code == 1
    assert [message for message in found if line in message]


def test_another_version_is_not_ours(folder: Path) -> None:
    code, found = checked(profile().replace("v1alpha1", "v2"), folder)
    assert code == 1
    assert found == ['SchedulerProfile/a: apiVersion: "pointsman.dev/v2" is not pointsman.dev/v1alpha1']


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_what_the_api_server_refuses_is_a_problem(case: Case, folder: Path) -> None:
    body = {**yaml.safe_load(profile()), "spec": case.spec}
    code, found = checked(yaml.safe_dump(body), folder)
    assert code == 1
    assert f"SchedulerProfile/a: {case.offline}" in found


@pytest.mark.parametrize("name", [name for name in ACCEPTED if name != "nodes and pods that say nothing"])
def test_what_the_api_server_takes_is_ok(name: str, folder: Path) -> None:
    body = {**yaml.safe_load(profile()), "spec": ACCEPTED[name]}
    code, found = checked(yaml.safe_dump(body), folder)
    assert code == 0, found


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_name_makes_one_printable_line(text: str, folder: Path) -> None:
    body = {**yaml.safe_load(profile()), "metadata": {"name": text}}
    code, found = checked(yaml.safe_dump(body), folder)
    assert code == 1
    assert all(line.isprintable() for line in found)


def test_dates_are_text_as_for_kubectl(folder: Path) -> None:
    text = dedent("""
        apiVersion: pointsman.dev/v1alpha1
        kind: SchedulerProfile
        metadata: {name: a}
        spec: {schedulerName: 2026-01-01}
    """)
    code, _ = checked(text, folder)
    assert code == 0
