"""InterPodAffinityArgs: how much running pods' terms weigh for the incoming pod.

Defaults are those of pkg/scheduler/apis/config/v1/defaults.go, checks those of apis/config/validation, 1.36.
"""

from typing import Annotated

from pydantic import Field

from pointsman.policy.args import Args


class InterPodAffinityArgs(Args):
    """Args of InterPodAffinity; they concern its priority."""

    hard_pod_affinity_weight: Annotated[int, Field(ge=0, le=100)] = 1  # of running pods' required affinity; 0: none
    ignore_preferred_terms_of_existing_pods: bool = False  # for pods without preferred terms of their own
