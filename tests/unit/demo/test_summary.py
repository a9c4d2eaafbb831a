"""The demo's last word."""

from dataclasses import replace

import pytest

from pointsman.sandbox.demo.standing import Standing
from pointsman.sandbox.demo.summary import as_json, as_text, summary

READY = Standing(
    "binpack", "binpack", ready="True", reason="EngineReady", pending=2, scheduled=183, policy="4c048617c9"
)
WAITING = Standing("gpu", "gpu", reason="Progressing")


def test_the_line_for_programs() -> None:
    done = summary([READY, WAITING], {"binpack": "4c048617c9"}, 190, 45.04)

    assert as_json(done) == (
        '{"profiles":['
        '{"name":"binpack","ready":true,"scheduled":183,"pending":2,"policyHash":"4c048617c9","loadedHash":"4c048617c9"},'
        '{"name":"gpu","ready":false,"scheduled":0,"pending":0,"policyHash":"","loadedHash":""}'
        '],"bound":190,"seconds":45.0}'
    )


@pytest.mark.parametrize(
    ("standings", "expected"),
    [
        pytest.param([READY], "1 of 1 profiles ready, 190 pods placed", id="all ready"),
        pytest.param([READY, WAITING], "1 of 2 profiles ready (not gpu), 190", id="one is not"),
        pytest.param([WAITING] * 3, "0 of 3 profiles ready (not gpu, gpu and gpu), 190", id="none is"),
    ],
)
def test_the_sentence_names_who_is_not_ready(standings: list[Standing], expected: str) -> None:
    assert expected in as_text(summary(standings, {}, 190, 45))


@pytest.mark.parametrize(
    ("loaded", "engines"), [({"binpack": "4c048617c9"}, 1), ({"binpack": "0000000000"}, 0), ({}, 0)]
)
def test_only_an_engine_that_tells_the_same_hash_agrees(loaded: dict[str, str], engines: int) -> None:
    assert f"{engines} engines run the policy" in as_text(summary([READY], loaded, 190, 45))


def test_nothing_is_well_without_profiles() -> None:
    assert not summary([], {}, 0, 0).all_ready
    assert not summary([READY, WAITING], {}, 0, 0).all_ready
    assert summary([READY, replace(READY, profile="gpu")], {}, 0, 0).all_ready
