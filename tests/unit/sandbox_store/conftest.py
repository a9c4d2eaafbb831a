"""A store with all built-in kinds on a clock that is moved by hand."""

import pytest
from tests.unit.sandbox_store.servers import new_store

from pointsman.sandbox.store.kinds import Kind
from pointsman.sandbox.store.store import Store
from pointsman.testing.clock import VirtualClock


@pytest.fixture
def store() -> Store:
    return new_store()


@pytest.fixture
def clock(store: Store) -> VirtualClock:
    assert isinstance(store.clock, VirtualClock)
    return store.clock


@pytest.fixture
def maps(store: Store) -> Kind:
    return kind(store, "", "configmaps")


@pytest.fixture
def pods(store: Store) -> Kind:
    return kind(store, "", "pods")


def kind(store: Store, group: str, plural: str) -> Kind:
    found = store.kinds.lookup(group, "v1", plural)
    assert found is not None
    return found
