"""`pointsman validate`: the operator's own checks on files, without a cluster.

What the API server's schema says is checked as well, unknown fields included, which a server would drop silently. Not
checked is what only a cluster knows: the list of allowed images, names that other profiles have taken.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import click
from pydantic import BaseModel, ValidationError

from pointsman.api.fields import ProfileName
from pointsman.api.messages import describe, quote, unknown_field
from pointsman.api.names import API_VERSION, KIND
from pointsman.api.spec import ProfileSpec, SpecError, parse_spec
from pointsman.cli.documents import DocumentError, read_documents
from pointsman.policy.compile import compile_spec
from pointsman.policy.errors import PolicyError

_FIELDS: Final = ("apiVersion", "kind", "metadata", "spec", "status")


class _Metadata(BaseModel):
    name: ProfileName


@dataclass(frozen=True, slots=True)
class Finding:
    """What there is to say of one profile."""

    title: str
    scheduler_name: str = ""
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def check(body: Mapping[str, Any]) -> Finding:
    """Check one SchedulerProfile as it stands in a manifest."""
    problems = [f"{field}: {unknown_field(str(field), _FIELDS)}" for field in body if field not in _FIELDS]
    if body.get("apiVersion") != API_VERSION:
        problems.append(f"apiVersion: {quote(body.get('apiVersion'))} is not {API_VERSION}")
    name, found = _read_name(body.get("metadata"))
    problems += found
    title = f"{KIND}/{name if not found else quote(name)}"
    spec = body.get("spec")
    if not isinstance(spec, Mapping):
        return Finding(title, problems=(*problems, "spec: must be set" if spec is None else "spec: is not an object"))
    parsed: ProfileSpec | None = None
    notes: tuple[str, ...] = ()
    try:
        parsed = parse_spec(spec)
        notes = compile_spec(name, parsed).notes
    except SpecError as error:
        problems += [f"{path}: {message}" for path, message in error.problems]
    except PolicyError as error:
        problems += map(str, error.problems)
    return Finding(title, parsed.scheduler_name if parsed else "", tuple(problems), notes)


def _read_name(metadata: Any) -> tuple[str, list[str]]:
    """The profile's name and what is wrong with it."""
    given = metadata if isinstance(metadata, Mapping) else {}
    try:
        return _Metadata.model_validate(given).name, []
    except ValidationError as error:
        found = [f"{path}: {message}" for path, message in describe(error, _Metadata, given, "metadata")]
        return str(given.get("name", "")), found


def check_files(filenames: Iterable[str]) -> tuple[list[str], bool]:
    """Lines to print, and whether all is well."""
    lines: list[str] = []
    fine = True
    takers: dict[str, str] = {}
    for filename in filenames:
        try:
            bodies = list(read_documents(filename))
        except DocumentError as error:
            lines.append(f"{filename}: {error}")
            fine = False
            continue
        profiles = [check(body) for body in bodies if body.get("kind") == KIND]
        if not profiles:
            lines.append(f"{filename}: holds no {KIND}")
            fine = False
        for finding in profiles:
            problems = list(finding.problems) + _taken(finding, filename, takers)
            lines += [f"{filename}: {finding.title}: {problem}" for problem in problems]
            lines += [f"{filename}: {finding.title}: note: {note}" for note in finding.notes]
            lines += [] if problems else [f"{filename}: {finding.title}: ok"]
            fine = fine and not problems
    return lines, fine


def _taken(finding: Finding, filename: str, takers: dict[str, str]) -> list[str]:
    """Of two profiles with one schedulerName the operator runs the older; in files the first stands for it."""
    if not finding.scheduler_name:
        return []
    this = f"{finding.title} in {filename}"
    first = takers.setdefault(finding.scheduler_name, this)
    if first is this:
        return []
    return [f"spec.schedulerName: {quote(finding.scheduler_name)} is served by {first} already"]


@click.command(short_help="Check SchedulerProfiles in files, without a cluster.")
@click.option("-f", "--filename", "options", multiple=True, metavar="FILE", help='YAML or JSON; "-" is standard input.')
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.pass_context
def command(ctx: click.Context, options: tuple[str, ...], files: tuple[str, ...]) -> None:
    """Check the SchedulerProfiles in FILEs (also -f FILE) as the operator would, without a cluster.

    Prints every problem with the path of its field, and ok for a profile without any. The exit code is 1 when there is
    a problem.
    """
    filenames = (*options, *files)
    if not filenames:
        raise click.UsageError("no file: give -f FILE, or -f - for standard input")
    lines, fine = check_files(filenames)
    for line in lines:
        click.echo(line)
    ctx.exit(0 if fine else 1)
