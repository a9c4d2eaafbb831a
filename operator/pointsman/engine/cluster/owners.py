"""Services and controllers: the selectors that say whose pods belong together (policy.owners_view).

A cluster may hold thousands of Services and ReplicaSets while a pod is selected by one or two, so selectors are looked
up by a label pair that they ask for instead of being tried one after the other.
"""

import logging
from collections.abc import Sequence
from typing import Final

from pointsman.kube.objects import Labels, LabelSelector, Metadata
from pointsman.kube.workload_objects import Controller, ReplicaSet, ReplicationController, Service, StatefulSet
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import NOTHING, Selector, selector_of
from pointsman.policy.selectors import SelectorError
from pointsman.policy.spread.owners import controller_of

logger = logging.getLogger(__name__)

_API_VERSIONS: Final = {
    ReplicationController.__name__: "v1",
    ReplicaSet.__name__: "apps/v1",
    StatefulSet.__name__: "apps/v1",
}

_Key = tuple[str, str, str]
"""Kind, namespace, name."""
_Pair = tuple[str, str, str]
"""Namespace, label key, label value."""


class _Selectors:
    """Selectors by the object that has them."""

    def __init__(self) -> None:
        self._written: dict[_Key, Labels | LabelSelector | None] = {}
        self._selectors: dict[_Key, Selector] = {}
        self._by_pair: dict[_Pair, dict[_Key, Selector]] = {}

    def get(self, key: _Key) -> Selector | None:
        return self._selectors.get(key)

    def put(self, key: _Key, written: Labels | LabelSelector | None) -> bool:
        """Take over a selector as it is written in the object; whether that is news."""
        if key in self._written and self._written[key] == written:
            return False
        self.discard(key)
        self._written[key] = written
        selector = self._selectors[key] = _selector(key, written)
        for pair in _pairs(key, selector):
            self._by_pair.setdefault(pair, {})[key] = selector
        return True

    def discard(self, key: _Key) -> bool:
        """Forget an object; whether it was known."""
        selector = self._selectors.pop(key, None)
        if selector is None:
            return False
        del self._written[key]
        for pair in _pairs(key, selector):
            filed = self._by_pair[pair]
            del filed[key]
            if not filed:
                del self._by_pair[pair]
        return True

    def selecting(self, pod: PodInfo) -> Sequence[Selector]:
        """The selectors of the pod's namespace that match it."""
        labels = pod.pod.metadata.labels
        pairs = ((pod.namespace, "", ""), *((pod.namespace, *label) for label in labels.items()))
        filed = (selector for pair in pairs for selector in self._by_pair.get(pair, {}).values())
        return [selector for selector in filed if selector.matches(labels)]


class Owners:
    """Services and controllers as watch events show them."""

    def __init__(self) -> None:
        self._services = _Selectors()
        self._controllers = _Selectors()

    def upsert_service(self, service: Service) -> bool:
        """Take over whom a Service selects; whether that is news. One without a selector selects nobody."""
        return self._services.put(_key(service, service.metadata), service.spec.selector)

    def remove_service(self, service: Service) -> bool:
        """Forget a Service; whether it was known."""
        return self._services.discard(_key(service, service.metadata))

    def upsert_controller(self, controller: Controller) -> bool:
        """Take over whom a controller selects; whether that is news. A selector that cannot be read selects nobody."""
        return self._controllers.put(_key(controller, controller.metadata), controller.spec.selector)

    def remove_controller(self, controller: Controller) -> bool:
        """Forget a controller; whether it was known."""
        return self._controllers.discard(_key(controller, controller.metadata))

    def services_of(self, pod: PodInfo) -> Sequence[Selector]:
        return self._services.selecting(pod)

    def controller_selector(self, pod: PodInfo) -> Selector | None:
        owner = controller_of(pod)
        if owner is None or _API_VERSIONS.get(owner.kind) != owner.api_version:
            return None
        return self._controllers.get((owner.kind, pod.namespace, owner.name))

    def controllers_selecting(self, pod: PodInfo) -> Sequence[Selector]:
        return self._controllers.selecting(pod)


def _key(owner: Service | Controller, metadata: Metadata) -> _Key:
    return (type(owner).__name__, metadata.namespace, metadata.name)


def _pairs(key: _Key, selector: Selector) -> Sequence[_Pair]:
    """Where a selector is filed: under one label that it demands, in each of the values that it accepts."""
    if selector.nothing:
        return ()
    _, namespace, _ = key
    label, values = selector.demanded() or ("", ("",))
    return [(namespace, label, value) for value in values]


def _selector(key: _Key, written: Labels | LabelSelector | None) -> Selector:
    """An owner that asks for nothing in particular owns nobody, not everybody (helper/spread.go, 1.36)."""
    try:
        selector = Selector().also(written) if isinstance(written, dict) else selector_of(written)
    except SelectorError as error:
        logger.warning("%s %s/%s: spec.selector: %s; it selects nobody", *key, error)
        return NOTHING
    return NOTHING if selector.empty else selector
