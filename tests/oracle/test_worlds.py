"""The generator: the same arguments give the same world, and worlds are not all alike."""

from tests.oracle.profiles import variants
from tests.oracle.worlds.generate import generate

SCHEDULERS = ("oracle-0", "oracle-1")


def test_the_same_arguments_give_the_same_world() -> None:
    assert generate(1, 2, SCHEDULERS) == generate(1, 2, SCHEDULERS)


def test_other_numbers_and_seeds_give_other_worlds() -> None:
    worlds = [generate(seed, number, SCHEDULERS) for seed, number in ((1, 2), (1, 3), (2, 2))]
    assert len({str(world) for world in worlds}) == 3


def test_the_same_seed_and_epoch_give_the_same_profiles_and_the_first_is_the_stock_one() -> None:
    made = variants(1, 2)
    assert made == variants(1, 2)
    assert made != variants(1, 3)
    assert (made[0].args, made[0].weights, made[0].off, made[0].preemption) == ({}, {}, (), {})
