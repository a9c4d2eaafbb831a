"""`$(NAME)` in commands, arguments and environment values. Pure.

The rules are the kubelet's (third_party/forked/golang/expansion/expand.go, 1.36): `$(NAME)` becomes the variable's
value, a name that is not defined stays as written, `$$` is one `$`, and anything else after a `$` is left alone.
"""

import re
from collections.abc import Mapping

_REFERENCE = re.compile(r"\$(?:\$|\(([^)]*)\))", re.DOTALL)


def expand(text: str, variables: Mapping[str, str]) -> str:
    """`text` with every reference replaced once; values are not expanded again."""

    def value(match: re.Match[str]) -> str:
        name = match.group(1)
        return "$" if name is None else variables.get(name, match.group(0))

    return _REFERENCE.sub(value, text)
