"""Names and labels as the API server takes them; messages from apimachinery 1.36, pkg/util/validation."""

import re
from typing import Final

_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_QUALIFIED: Final = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_PATH_PARTS: Final = ("/", "%")

MAX_LABEL: Final = 63
MAX_SUBDOMAIN: Final = 253


def subdomain_faults(name: str) -> list[str]:
    """What keeps a text from being a DNS subdomain, the form of most names."""
    faults = [f"must be no more than {MAX_SUBDOMAIN} characters"] if len(name) > MAX_SUBDOMAIN else []
    if not _SUBDOMAIN.fullmatch(name):
        faults.append(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
            "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
        )
    return faults


def label_faults(name: str) -> list[str]:
    """What keeps a text from being a DNS label, the form of namespace names."""
    faults = [f"must be no more than {MAX_LABEL} characters"] if len(name) > MAX_LABEL else []
    if _SUBDOMAIN.fullmatch(name) and "." in name:
        faults.append("must not contain dots")
    elif not _LABEL.fullmatch(name):
        faults.append(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and "
            "end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
        )
    return faults


def path_faults(name: str) -> list[str]:
    """What keeps a text from being part of a URL's path, the form of RBAC names."""
    if name in (".", ".."):
        return [f"may not be '{name}'"]
    return [f"may not contain '{part}'" for part in _PATH_PARTS if part in name]


def label_key_faults(key: str) -> list[str]:
    """What is wrong with a label's or annotation's key."""
    prefix, slash, name = key.rpartition("/")
    faults = []
    if slash:
        if "/" in prefix:
            return [
                "a qualified name "
                + _QUALIFIED_RULE
                + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            ]
        faults = (
            ["prefix part must be non-empty"] if not prefix else [f"prefix part {f}" for f in subdomain_faults(prefix)]
        )
    if not name:
        return [*faults, "name part must be non-empty", "name part " + _QUALIFIED_RULE]
    if len(name) > MAX_LABEL:
        faults.append(f"name part must be no more than {MAX_LABEL} bytes")
    if not _QUALIFIED.fullmatch(name):
        faults.append("name part " + _QUALIFIED_RULE)
    return faults


def label_value_faults(value: str) -> list[str]:
    """What is wrong with a label's value."""
    faults = [f"must be no more than {MAX_LABEL} bytes"] if len(value) > MAX_LABEL else []
    if value and not _QUALIFIED.fullmatch(value):
        faults.append(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
            "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
            "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
        )
    return faults


_QUALIFIED_RULE: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
