"""The CRD on the shared control plane, and a quick way to ask what it thinks of an object."""

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.controlplane.plane import ControlPlane
from tests.controlplane.wait import eventually
from tests.crd.schema import FILE

COLLECTION = "/apis/pointsman.dev/v1alpha1/schedulerprofiles"


@dataclass(frozen=True, slots=True)
class Judge:
    """Asks the API server about profiles without storing them; unknown fields are errors."""

    plane: ControlPlane
    context: ssl.SSLContext

    def create(self, spec: Any, name: str = "judged") -> tuple[int, dict[str, Any]]:
        """HTTP status and answer of creating a profile with that spec."""
        body = {"apiVersion": "pointsman.dev/v1alpha1", "kind": "SchedulerProfile", "metadata": {"name": name}}
        return self.post({**body, "spec": spec})

    def post(self, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """HTTP status and answer of creating this object."""
        request = urllib.request.Request(
            f"{self.plane.url}{COLLECTION}?dryRun=All&fieldValidation=Strict",
            data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.plane.token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=30) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)


@pytest.fixture(scope="session")
def profiles(control_plane: ControlPlane) -> ControlPlane:
    """The control plane, with the CRD served."""
    control_plane.apply(FILE.read_text())

    def published() -> bool:
        return control_plane.kubectl("explain", "sprof.spec", check=False).returncode == 0

    eventually(published, what="the API server to publish the CRD's schema")
    return control_plane


@pytest.fixture(scope="session")
def judge(profiles: ControlPlane) -> Judge:
    return Judge(profiles, ssl.create_default_context(cafile=profiles.ca))
