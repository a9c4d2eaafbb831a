"""The `pointsman` command: one group, whose subcommands are imported only when they are used.

An engine must not carry kopf, nor the operator NumPy, because one wheel holds both; so a subcommand is a module name
here and its help line stands beside it. Each module has the click command in `command`.
"""

from importlib import import_module
from importlib.metadata import version
from typing import Final, NamedTuple

import click


class _Subcommand(NamedTuple):
    module: str
    help: str


SUBCOMMANDS: Final[dict[str, _Subcommand]] = {
    "demo": _Subcommand("pointsman.cli.demo", "Show all of it at work on this machine, without a cluster."),
    "engine": _Subcommand("pointsman.cli.engine", "Run a scheduler for one or more compiled policies."),
    "load": _Subcommand("pointsman.cli.load", "Create test pods at a steady rate."),
    "node-agent": _Subcommand(
        "pointsman.cli.node_agent", "Play nodes on any cluster: hollow pods and local processes."
    ),
    "operator": _Subcommand("pointsman.cli.operator", "Run the operator, in a cluster or from a workstation."),
    "sandbox": _Subcommand("pointsman.cli.sandbox", "Run a small Kubernetes on this machine, to try things out."),
    "validate": _Subcommand("pointsman.cli.validate", "Check SchedulerProfiles in files, without a cluster."),
}


class _LazyGroup(click.Group):
    """Lists subcommands without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        found = SUBCOMMANDS.get(cmd_name)
        if found is None:
            return None
        command: click.Command = import_module(found.module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        with formatter.section("Commands"):
            formatter.write_dl([(name, subcommand.help) for name, subcommand in SUBCOMMANDS.items()])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120})
@click.version_option(version("pointsman"), prog_name="pointsman")
def main() -> None:
    """Pointsman runs custom Kubernetes schedulers, each described by a SchedulerProfile."""
