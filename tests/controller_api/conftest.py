"""A control plane with Pointsman's manifests, and an operator on it that a test drives step by step."""

import random
import uuid
from collections.abc import AsyncIterator, Iterator

import pytest

from pointsman.kube.clock import SystemClock
from pointsman.kube.connection import connect
from pointsman.testing.clock import VirtualClock
from tests.controller_api.operator import Operator, RecordingClient
from tests.controlplane.build import Binaries
from tests.controlplane.plane import ControlPlane
from tests.controlplane.server import running
from tests.manifests.install import install


@pytest.fixture(scope="package")
def plane(controlplane_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane with everything that an administrator installs; no pod ever runs on it."""
    with running(tmp_path_factory.mktemp("controller"), controlplane_binaries) as made:
        install(made)
        yield made


@pytest.fixture(scope="package")
def operator_kubeconfig(plane: ControlPlane) -> str:
    """What the operator's own ServiceAccount may do, and no more."""
    token = plane.service_account_token("pointsman-system", "pointsman-operator")
    return str(plane.user_kubeconfig(token, "pointsman-system"))


@pytest.fixture
async def client(operator_kubeconfig: str) -> AsyncIterator[RecordingClient]:
    """The operator's client, which tells what was written."""
    async with RecordingClient(await connect(operator_kubeconfig), user_agent="pointsman-test") as made:
        yield made


@pytest.fixture
def operator(client: RecordingClient) -> Operator:
    return Operator(client, SystemClock(), random.Random(1))


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def name(plane: ControlPlane) -> Iterator[str]:
    """The name of a profile of this test's own."""
    made = f"p{uuid.uuid4().hex[:8]}"
    yield made
    plane.kubectl("delete", "sprof", made, "--ignore-not-found", "--wait=false")
