"""The allow-list of images, mirrored from the administrator's ConfigMap."""

from collections.abc import Callable, Sequence

import msgspec

from pointsman.api.names import IMAGES_KEY
from pointsman.controller.images import AllowedImages, read_list
from pointsman.kube.objects import Metadata
from pointsman.kube.reflector import EventType, WatchEvent


class ImagesConfigMap(msgspec.Struct, frozen=True, kw_only=True):
    """The ConfigMap; only its one key is read."""

    metadata: Metadata
    data: dict[str, str] = {}


class ImageBook:
    """The allow-list of the moment. `wake_all` is called when it changes. No ConfigMap allows nothing."""

    def __init__(self, own: str, wake_all: Callable[[], None], *, anything: bool = False) -> None:
        self._own = own
        self._anything = anything
        self._wake_all = wake_all
        self.images = AllowedImages(own, anything=anything)

    def on_events(self, events: Sequence[WatchEvent[ImagesConfigMap]]) -> None:
        """Take in what a reflector saw of that one ConfigMap."""
        last = events[-1]
        text = "" if last.type is EventType.DELETED else last.object.data.get(IMAGES_KEY, "")
        images = read_list(self._own, text, anything=self._anything)
        if images != self.images:
            self.images = images
            self._wake_all()
