"""Which images are programs on this machine: the map from an image to the command that stands for its entrypoint.

Names are compared as they are written: a pod must say exactly what the map says.
"""

import shlex
from collections.abc import Iterable, Mapping
from typing import Protocol

ImageMap = Mapping[str, tuple[str, ...]]


class HasImage(Protocol):
    """A container, as far as its image goes."""

    @property
    def image(self) -> str: ...


def parse_image(text: str) -> tuple[str, tuple[str, ...]]:
    """One `image=command with arguments`, split like a shell does. Raises ValueError."""
    image, equals, command = text.partition("=")
    try:
        words = tuple(shlex.split(command))
    except ValueError as fault:
        raise ValueError(f'image "{text}": the command cannot be split into words: {fault}') from None
    if not image or not equals or not words:
        raise ValueError(f'image "{text}": expected IMAGE=COMMAND, for example app:1.0="/usr/bin/python3 -m app"')
    return image, words


def is_mapped(images: ImageMap, containers: Iterable[HasImage]) -> bool:
    """Whether any of a pod's containers is a program here, so that the pod needs a folder and processes."""
    return any(container.image in images for container in containers)
