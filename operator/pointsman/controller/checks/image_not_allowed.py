"""Engines run images from the allow-list only."""

from pointsman.api.messages import quote
from pointsman.api.reasons import Reason
from pointsman.controller.checks.finding import Effect, Finding, Inputs


def check(inputs: Inputs) -> Finding | None:
    """Refuse an image that an administrator has not allowed."""
    candidate, world = inputs.profile.candidate, inputs.world
    if candidate is None or world.images.allows(candidate.engine.image or world.fleet.image):
        return None
    message = (
        f"spec.engine.image: {quote(candidate.engine.image)} is not on the list of allowed images; "
        f"an administrator can add it to ConfigMap {world.images.source}"
    )
    return Finding(Reason.IMAGE_NOT_ALLOWED, message, Effect.KEEP)
