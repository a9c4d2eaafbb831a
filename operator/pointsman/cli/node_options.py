"""The options that describe hollow nodes, for every command that plays some: what they are, and how they are read."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from pointsman.kube.quantity import parse
from pointsman.sandbox.agent.images import parse_image
from pointsman.sandbox.agent.shape import NodeShape, numbered, parse_taint

T = TypeVar("T")

_Command = Callable[..., None]


def node_options(stem: str, *, count: int) -> Callable[[_Command], _Command]:
    """Add the options; each but --nodes and --image is named `--<stem>…`. The command gets `shapes` and `images`."""

    def add(command: _Command) -> _Command:
        @functools.wraps(command)
        def with_shapes(**given: Any) -> None:
            command(shapes=_shapes(given), images=dict(given.pop("images")), **given)

        decorated: _Command = with_shapes
        for option in reversed(_options(stem, count)):
            decorated = option(decorated)
        return decorated

    return add


def _options(stem: str, count: int) -> list[Callable[[_Command], _Command]]:
    prefix = f"--{stem or 'name-'}prefix"
    return [
        _option("--nodes", "nodes", click.IntRange(0, 10_000), count, "How many hollow nodes."),
        _option(prefix, "prefix", str, "hollow-", "Nodes are called PREFIX0, PREFIX1, …"),
        _option(f"--{stem}cpu", "cpu", _quantity, "4", "CPUs of each node."),
        _option(f"--{stem}memory", "memory", _quantity, "32Gi", "Memory of each node."),
        _option(f"--{stem}pods", "pods", click.IntRange(0), 110, "Pods that each node takes."),
        _repeatable(f"--{stem}label", "labels", "KEY=VALUE", _pair, "A label of each node."),
        _repeatable(f"--{stem}taint", "taints", "KEY=VALUE:EFFECT", parse_taint, "A taint of each node."),
        _repeatable(
            f"--{stem}extended",
            "extended",
            "RESOURCE=QUANTITY",
            _extended,
            "An extended resource of each node, such as nvidia.com/gpu=8.",
        ),
        _repeatable(
            "--image",
            "images",
            "IMAGE=COMMAND",
            parse_image,
            "Run pods of this image as processes; the command stands for its entrypoint.",
        ),
    ]


def _option(flag: str, name: str, kind: Any, default: Any, text: str) -> Callable[[_Command], _Command]:
    if kind is _quantity:
        return click.option(
            flag, name, callback=_quantity, metavar="QUANTITY", default=default, show_default=True, help=text
        )
    return click.option(flag, name, type=kind, default=default, show_default=True, help=text)


def _repeatable(
    flag: str, name: str, metavar: str, read: Callable[[str], object], text: str
) -> Callable[[_Command], _Command]:
    return click.option(flag, name, metavar=metavar, callback=_reading(read), multiple=True, help=text)


def _shapes(given: dict[str, Any]) -> tuple[NodeShape, ...]:
    """Take what describes nodes out of a command's arguments."""
    shape = NodeShape(
        "",
        cpu=given.pop("cpu"),
        memory=given.pop("memory"),
        pods=given.pop("pods"),
        labels=dict(given.pop("labels")),
        taints=given.pop("taints"),
        extended=dict(given.pop("extended")),
    )
    return numbered(shape, given.pop("prefix"), given.pop("nodes"))


def _reading(read: Callable[[str], T]) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], tuple[T, ...]]:
    """A callback for a repeatable option whose values are read by a function that raises ValueError with the reason."""

    def read_all(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[T, ...]:
        try:
            return tuple(map(read, values))
        except ValueError as fault:
            raise click.BadParameter(str(fault), param=parameter) from None

    return read_all


def _quantity(_: click.Context, parameter: click.Parameter, text: str) -> str:
    """A callback for an option that is a quantity: checked, and left as it is written."""
    try:
        parse(text)
    except ValueError as fault:
        raise click.BadParameter(str(fault), param=parameter) from None
    return text


def _pair(text: str) -> tuple[str, str]:
    """`key=value`. Raises ValueError."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise ValueError(f'"{text}": expected KEY=VALUE')
    return key, value


def _extended(text: str) -> tuple[str, str]:
    """`resource=quantity`. Raises ValueError."""
    name, amount = _pair(text)
    parse(amount)
    return name, amount
