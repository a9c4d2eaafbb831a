"""C13: which texts are quantities. The API server of Kubernetes 1.36.3 takes the same ones, and means the same."""

import asyncio

import msgspec
import pytest

from pointsman.kube.errors import KubeError
from pointsman.kube.objects import Pod
from pointsman.kube.quantity import QuantityError, parse, to_milli
from pointsman.kube.resources import PODS
from pointsman.testing.builders import pod
from tests.cases.coverage import about
from tests.cases.stock import Stock, pod_manifest

VALID = (
    *("1e3", "1E3", "12e-1", "129e6", "1E", "1k", "1Ki", "1M", "1Mi", "1.5", ".5", "5.", "+2", "128974848000m"),
    *("100n", "100u"),
)
INVALID = ("", "1 Gi", "1K", "1mi", "1gi", "1e", "0x10", "1_000", "NaN", "Inf", "1Mi2", "--1")
REWRITTEN = {" 1": "1", "e3": "0"}  # what the collection takes for invalid, and the API server does not


@about("C13")
@pytest.mark.parametrize("text", VALID)
def test_a_quantity_means_what_the_api_server_takes_it_for(stock: Stock, text: str) -> None:
    assert to_milli(taken(stock, text)) == to_milli(text), "cpu is kept in millicores, rounded up"


@about("C13")
@pytest.mark.parametrize("text", INVALID)
def test_neither_side_takes_anything_else(stock: Stock, text: str) -> None:
    with pytest.raises(KubeError):
        taken(stock, text)
    with pytest.raises(QuantityError):
        parse(text)


@about("C13")
@pytest.mark.parametrize(("text", "amount"), REWRITTEN.items())
def test_what_only_the_api_server_takes_it_writes_in_a_form_that_we_take(stock: Stock, text: str, amount: str) -> None:
    assert taken(stock, text) == amount
    with pytest.raises(QuantityError):
        parse(text)


def taken(stock: Stock, text: str) -> str | float:
    """The API server's word for a request of so much cpu."""
    manifest = pod_manifest(pod("p").container(cpu=text))
    call = stock.server.client.request(
        "POST", PODS.path("default"), query={"dryRun": "All"}, body=msgspec.json.encode(manifest)
    )
    answer = asyncio.run_coroutine_threadsafe(call, stock.loop).result(20)
    return msgspec.json.decode(answer, type=Pod).spec.containers[0].resources.requests["cpu"]
