"""VolumeBindingArgs: how long to wait for the volume controller (apis/config, 1.36)."""

from typing import Annotated, Never

from pydantic import BeforeValidator, Field

from pointsman.policy.args import Args


def _gated(_: object) -> Never:
    raise ValueError(
        "must not be set: it belongs to StorageCapacityScoring, which is off in Kubernetes 1.36; remove it"
    )


class VolumeBindingArgs(Args):
    """Args of VolumeBinding."""

    bind_timeout_seconds: Annotated[int, Field(ge=0, le=2**31 - 1)] = 600
    shape: Annotated[None, BeforeValidator(_gated)] = None
