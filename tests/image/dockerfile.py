"""A Dockerfile as data: its stages and their instructions. It reads what ours uses, not all that Docker knows."""

import re
import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its word in capitals, and the rest of its line, continuations joined."""

    word: str
    rest: str

    @property
    def operands(self) -> list[str]:
        """Words of the rest but its flags."""
        return [word for word in shlex.split(self.rest) if not word.startswith("--")]


@dataclass(frozen=True, slots=True)
class Stage:
    """What stands between one FROM and the next; the first, without a name, is what stands before all of them."""

    base: str
    name: str
    instructions: tuple[Instruction, ...]

    def all(self, word: str) -> list[Instruction]:
        """The instructions of one kind, in order."""
        return [one for one in self.instructions if one.word == word]


def parse(text: str) -> list[Stage]:
    """The stages of a Dockerfile, the unnamed head first."""
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    lines = re.sub(r"\\\n", " ", code).splitlines()
    stages: list[tuple[str, str, list[Instruction]]] = [("", "", [])]
    for line in filter(None, map(str.strip, lines)):
        word, _, rest = line.partition(" ")
        if word.upper() == "FROM":
            base, _, name = re.split(r"\s+(as|AS)\s+", rest)
            stages.append((base, name, []))
        else:
            stages[-1][2].append(Instruction(word.upper(), rest.strip()))
    return [Stage(base, name, tuple(instructions)) for base, name, instructions in stages]
