"""The allow-list of images, mirrored from the administrator's ConfigMap."""

from collections.abc import Callable, Sequence

import msgspec

from pointsman.api.names import IMAGES_KEY
from pointsman.controller.plan.images import AllowedImages
from pointsman.kube.objects import Metadata
from pointsman.kube.reflector import EventType, WatchEvent


class ImagesConfigMap(msgspec.Struct, frozen=True, kw_only=True):
    """The ConfigMap; only its one key is read."""

    metadata: Metadata
    data: dict[str, str] = {}


class ImageBook:
    """The allow-list of the moment, at first `nothing`. `wake_all` is called when it changes."""

    def __init__(self, nothing: AllowedImages, wake_all: Callable[[], None]) -> None:
        self._nothing = nothing
        self._wake_all = wake_all
        self.images = nothing

    def on_events(self, events: Sequence[WatchEvent[ImagesConfigMap]]) -> None:
        """Take in what a reflector saw of that one ConfigMap."""
        last = events[-1]
        text = "" if last.type is EventType.DELETED else last.object.data.get(IMAGES_KEY, "")
        images = self._nothing.with_list(text)
        if images != self.images:
            self.images = images
            self._wake_all()
