"""Whether a pod's tolerations tolerate a taint (api/core/v1/toleration.go, 1.36).

The operators Gt and Lt belong to the feature gate TaintTolerationComparisonOperators, which is off in 1.36: they match
nothing, like any unknown operator.
"""

from collections.abc import Iterable

from pointsman.kube.objects import Toleration
from pointsman.policy.view import TaintKey


def tolerated(taint: TaintKey, tolerations: Iterable[Toleration]) -> bool:
    """Whether at least one toleration matches the taint."""
    return any(_matches(toleration, taint) for toleration in tolerations)


def _matches(toleration: Toleration, taint: TaintKey) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in ("", "Equal"):  # an empty key is no wildcard for the value
        return toleration.value == taint.value
    return toleration.operator == "Exists"
