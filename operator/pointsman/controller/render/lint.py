"""Rules for the templates, checked by a test on every one of them.

The quoting hook of `render` writes a value as one JSON scalar. That is safe exactly where the whole YAML value stands
in the braces: inside quotes, beside other text or in a block of text a value could still close what it stands in.
"""

import re
from collections.abc import Iterator
from typing import Final

_EXPRESSION: Final = re.compile(r"\{\{.*?\}\}")
_STATEMENT: Final = re.compile(r"\{%.*?%\}")
_OWN_LINE: Final = re.compile(r"\s*\{%-?\s*(if|elif|else|endif|for|endfor)\b[^%]*%\}\s*")
_BLOCK_OF_TEXT: Final = re.compile(r"[|>][-+0-9]*\s*$")
_BEFORE: Final = (": ", "- ", "[", ", ")
_AFTER: Final = (",", "]", "}")


def lint(template: str) -> Iterator[str]:
    """Yield what is wrong with a template, each fault with its line number; nothing for a right one."""
    for number, line in enumerate(template.splitlines(), 1):
        for fault in _faults(line):
            yield f"line {number}: {fault}: {line.strip()}"


def _faults(line: str) -> Iterator[str]:
    bare = _EXPRESSION.sub("", line)
    if _STATEMENT.search(line) and not _OWN_LINE.fullmatch(line):
        yield "a statement needs a line of its own, and may only be if or for"
    if "{{" in bare or "}}" in bare:
        yield "an expression must begin and end on one line"
    if _BLOCK_OF_TEXT.search(bare):
        yield "a block of text is not quoted by the hook"
    if line != bare and ('"' in bare or "'" in bare):
        yield "an expression must not share its line with quotes"
    for match in _EXPRESSION.finditer(line):
        before, after = line[: match.start()], line[match.end() :].rstrip()
        if not before.endswith(_BEFORE) or (after and not after.startswith(_AFTER)):
            yield "an expression must be a whole value"
