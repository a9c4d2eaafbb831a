"""The kinds of text and number that a profile's fields hold, each with its bounds.

The CRD's schema and the models say the same: a pattern that stands here stands there, and a test compares them. Every
free text is closed (no newline, no quote, no brace), so that nothing a user writes can become structure elsewhere.
Patterns are matched whole; Rust's and Go's `$` both mean the end of the text.
"""

from typing import Annotated, Any, Final, TypeVar

from pydantic import BeforeValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

DNS_LABEL: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
_DOMAIN: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
DNS_SUBDOMAIN: Final = rf"^{_DOMAIN}$"
RULE_NAME: Final = r"^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$"
ENTRY_NAME: Final = r"^(\*|[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)$"
LABEL_KEY: Final = rf"^({_DOMAIN}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?$"
LABEL_VALUE: Final = r"^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$"
IMAGE: Final = r"^([A-Za-z0-9][-A-Za-z0-9._:/@+]*)?$"
QUANTITY: Final = r"^([0-9]+([.][0-9]*)?|[.][0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]{1,2})?$"

PATTERN_WORDS: Final[dict[str, str]] = {
    DNS_LABEL: "a lower-case DNS label (a-z, 0-9 and -, beginning and ending with a letter or digit)",
    DNS_SUBDOMAIN: "a lower-case DNS name (labels of a-z, 0-9 and -, joined by dots)",
    RULE_NAME: "a rule name (A-Z, a-z, 0-9 and -, beginning and ending with a letter or digit)",
    ENTRY_NAME: 'a rule name (A-Z, a-z, 0-9 and -, beginning and ending with a letter or digit) or "*"',
    LABEL_KEY: "a label key ([prefix/]name)",
    LABEL_VALUE: "a label value (A-Z, a-z, 0-9, -, _ and ., beginning and ending with a letter or digit)",
    IMAGE: "an image reference",
    QUANTITY: "a quantity such as 100m, 2 or 1Gi, not negative",
}

MAX_PROFILE_NAME: Final = 39
"""The longest name made from a profile's is its pod's: `engine-` (7), the profile, `-` and the ReplicaSet's hash (at
most 10), `-` and the pod's suffix (5): 24 characters more, and a pod's host name and label values end at 63."""

MAX_SECONDS: Final = 3600
MAX_TOLERATION_SECONDS: Final = 31_536_000  # a year
MAX_WEIGHT: Final = 1_000_000
MAX_REPLICAS: Final = 9
MAX_CANDIDATE_NODES: Final = 1_000_000
MAX_ENTRIES: Final = 64
MAX_TERMS: Final = 16


def _quantity_text(value: Any) -> Any:
    """A quantity may be written as a whole number: `cpu: 2`."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _not_null(value: Any) -> Any:
    if value is None:
        raise PydanticCustomError("null", "must not be null; leave it out")
    return value


T = TypeVar("T")
Maybe = Annotated[T | None, BeforeValidator(_not_null)]
"""A field that may be left out. Null is not the same to the API server, nor here."""

Listed = Annotated[tuple[T, ...], Field(strict=False)]
"""A list in JSON, a tuple here; its items stay strict."""

ProfileName = Annotated[str, StringConstraints(pattern=DNS_LABEL, min_length=1, max_length=MAX_PROFILE_NAME)]
SchedulerName = Annotated[str, StringConstraints(pattern=DNS_LABEL, min_length=1, max_length=63)]
RuleName = Annotated[str, StringConstraints(pattern=RULE_NAME, min_length=1, max_length=63)]
EntryName = Annotated[str, StringConstraints(pattern=ENTRY_NAME, min_length=1, max_length=63)]
LabelKey = Annotated[str, StringConstraints(pattern=LABEL_KEY, min_length=1, max_length=317)]
LabelValue = Annotated[str, StringConstraints(pattern=LABEL_VALUE, max_length=63)]
Image = Annotated[str, StringConstraints(pattern=IMAGE, max_length=512)]
PriorityClassName = Annotated[str, StringConstraints(pattern=DNS_SUBDOMAIN, min_length=1, max_length=253)]
Quantity = Annotated[
    str, StringConstraints(pattern=QUANTITY, min_length=1, max_length=32), BeforeValidator(_quantity_text)
]
Labels = Annotated[dict[LabelKey, LabelValue], Field(max_length=MAX_TERMS)]
Weight = Annotated[int, Field(ge=1, le=MAX_WEIGHT)]
Seconds = Annotated[int, Field(ge=1, le=MAX_SECONDS)]
Percentage = Annotated[int, Field(ge=0, le=100)]
CandidateNodes = Annotated[int, Field(ge=0, le=MAX_CANDIDATE_NODES)]
Replicas = Annotated[int, Field(ge=0, le=MAX_REPLICAS)]
