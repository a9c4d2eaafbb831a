"""What is refused, in which order, what it does to the children, and what a user reads."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.unit.controller.scene import (
    BROKEN,
    Scene,
    conditions,
    foreign,
    live,
    message,
    ready,
    scene,
    sibling,
)

from pointsman.controller.render.children import Identity, Ownership
from pointsman.kube.resources import CONFIG_MAPS, DEPLOYMENTS, ROLES

NEW = scene()
HASH = NEW.revision.short_hash
DEPLOYMENT = Identity(DEPLOYMENTS, "engine-binpack")
ROLE = Identity(ROLES, "engine-binpack")
OLDER = sibling("alpha", "2025-01-01T00:00:00Z")
YOUNGER = sibling("zulu", "2027-01-01T00:00:00Z")
SAME_SECOND_BEFORE = sibling("alpha", "2026-01-01T00:00:00Z")
SAME_SECOND_AFTER = sibling("zulu", "2026-01-01T00:00:00Z")
STAYS = f"; policy {HASH} (generation 1) stays in force"


def broken(before: Scene) -> Scene:
    return before.edited(**{key: value for key, value in BROKEN.items() if key != "schedulerName"})


def taken_by_somebody(before: Scene, identity: Identity = DEPLOYMENT) -> Scene:
    placed = before.applied()
    child = placed.world.find(identity)
    assert child is not None
    return before.with_children(foreign(child))


def of_an_earlier_profile(before: Scene) -> Scene:
    return before.with_children(
        *(replace(child, ownership=Ownership.STALE) for child in before.applied().world.children)
    )


def suspended(before: Scene) -> Scene:
    return replace(before, spec={**before.spec, "suspend": True}, generation=before.generation + 1)


ALL_AT_ONCE = suspended(broken(taken_by_somebody(NEW))).around(siblings=(OLDER,))

CASES: list[tuple[str, Callable[[], Scene], tuple[str, str, str], str]] = [
    (
        "a spec that does not compile, with a policy in force",
        lambda: broken(NEW.well()),
        ("False", "PolicyInvalid", "Stalled"),
        "spec.priorities[NodeResourcesFit].weight: 0 must be at least 1" + STAYS,
    ),
    (
        "a spec that does not compile, the first one",
        lambda: scene(priorities=BROKEN["priorities"]),
        ("False", "PolicyInvalid", "Stalled"),
        "spec.priorities[NodeResourcesFit].weight: 0 must be at least 1; no policy is in force",
    ),
    (
        "an image that is not allowed",
        lambda: NEW.well().edited(engine={"image": "evil.example/engine"}),
        ("False", "ImageNotAllowed", "Stalled"),
        'spec.engine.image: "evil.example/engine" is not on the list of allowed images; an administrator can add it to '
        "ConfigMap pointsman-system/pointsman-images" + STAYS,
    ),
    (
        "a schedulerName that an older profile has",
        lambda: NEW.around(siblings=(YOUNGER, OLDER)),
        ("False", "SchedulerNameTaken", "Stalled"),
        'spec.schedulerName: "binpack" is served by the older SchedulerProfile alpha; delete one of the two',
    ),
    (
        "a schedulerName that a profile of the same second has, and comes first by name",
        lambda: NEW.around(siblings=(SAME_SECOND_BEFORE,)),
        ("False", "SchedulerNameTaken", "Stalled"),
        'spec.schedulerName: "binpack" is served by the older SchedulerProfile alpha; delete one of the two',
    ),
    (
        "an object of a child's name that is somebody else's",
        lambda: taken_by_somebody(NEW),
        ("False", "NameConflict", "Stalled"),
        (
            "Deployment engine-binpack exists and does not belong to this profile (label pointsman.dev/profile and "
            "controller reference); it is left alone: delete it, or use another name for the profile; "
            "no policy is in force"
        ),
    ),
    (
        "children of an earlier profile of this name",
        lambda: of_an_earlier_profile(NEW).with_children(*NEW.applied().world.children[1:]),
        ("Unknown", "Progressing", "Reconciling"),
        "waiting for ServiceAccount engine-binpack to be gone" + STAYS,
    ),
    (
        "a suspended profile that is well",
        lambda: suspended(NEW.well()),
        ("True", "Suspended", ""),
        (
            "suspended: nothing is changed; 1/1 engines ready, leader engine-binpack-6c9f7d5b4-x2k8p, "
            f"policy {HASH} in force"
        ),
    ),
    (
        "a suspended profile that was refused keeps its Ready",
        lambda: suspended(broken(NEW.well()).settled()),
        ("False", "Suspended", ""),
        (
            "suspended: nothing is changed; 1/1 engines ready, leader engine-binpack-6c9f7d5b4-x2k8p, "
            f"policy {HASH} in force"
        ),
    ),
    (
        "a profile that is suspended from birth",
        lambda: scene(suspend=True),
        ("Unknown", "Suspended", ""),
        "suspended: nothing is changed; no engine runs",
    ),
]


@pytest.mark.parametrize(("make", "verdict", "words"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_refusal_and_its_words(make: Callable[[], Scene], verdict: tuple[str, str, str], words: str) -> None:
    decided = make().decide()
    assert ready(decided) == verdict
    assert message(decided) == words
    assert decided.status.observed_generation == make().generation


def test_checks_are_asked_in_order() -> None:
    found = [ready(ALL_AT_ONCE.decide())[1]]
    awake = replace(ALL_AT_ONCE, spec={**ALL_AT_ONCE.spec, "suspend": False})
    found.append(ready(awake.decide())[1])
    alone = awake.around(siblings=())
    found.append(ready(alone.decide())[1])
    mended = replace(alone, spec={"schedulerName": "binpack", "engine": {"image": "evil.example/engine"}})
    found.append(ready(mended.decide())[1])
    found.append(ready(replace(mended, spec={"schedulerName": "binpack"}).decide())[1])
    assert found == ["Suspended", "SchedulerNameTaken", "PolicyInvalid", "ImageNotAllowed", "NameConflict"]


@pytest.mark.parametrize("sibling", [YOUNGER, SAME_SECOND_AFTER], ids=["younger", "same second, later name"])
def test_a_younger_profile_does_not_take_a_schedulername(sibling: object) -> None:
    assert ready(NEW.well().around(siblings=(sibling,)).decide())[0] == "True"


def test_a_spec_that_does_not_compile_says_so_on_every_condition_but_available() -> None:
    there = conditions(broken(NEW.well()).decide())
    assert {kind: (condition.status, condition.reason) for kind, condition in there.items()} == {
        "Ready": ("False", "PolicyInvalid"),
        "Stalled": ("True", "PolicyInvalid"),
        "PolicyValid": ("False", "PolicyInvalid"),
        "Available": ("True", "EngineReady"),
    }


def test_a_refused_generation_changes_nothing_not_even_replicas() -> None:
    before = NEW.well()
    refused = before.edited(replicas=3, priorities=BROKEN["priorities"], engine={"nodeSelector": {"pool": "gpu"}})
    assert refused.decide().objects == before.decide().objects
    assert refused.decide().deletions == ()
    assert refused.decide().status.image == before.status.image
    assert refused.decide().status.policy == before.status.policy
    assert refused.decide().status.replicas_summary == "1/1"


def test_what_was_applied_is_healed_also_when_the_operator_starts_anew_with_a_broken_spec() -> None:
    before = scene(replicas=2, engine={"nodeSelector": {"pool": "gpu"}, "logLevel": "Debug"}).well()
    refused = replace(before, spec={"schedulerName": "binpack", "priorities": BROKEN["priorities"]}, generation=2)
    without_deployment = refused.around(
        children=tuple(child for child in refused.world.children if child.identity.resource is not DEPLOYMENTS)
    )
    assert without_deployment.decide().objects == before.decide().objects


def test_a_refused_generation_heals_nothing_when_the_policy_in_force_is_lost() -> None:
    refused = broken(NEW.well())
    lost = refused.around(
        children=tuple(child for child in refused.world.children if child.identity.resource is not CONFIG_MAPS)
    )
    decided = lost.decide()
    assert (decided.objects, decided.deletions) == ((), ())
    assert message(decided).endswith("; no policy is in force")


def test_an_image_that_is_allowed_no_longer_stays_but_is_not_written_again() -> None:
    allowed = replace(NEW.world.images).with_list("example.com/engine:1")
    before = scene(engine={"image": "example.com/engine:1"}).around(images=allowed).well()
    after = before.around(images=NEW.world.images)
    assert ready(after.decide())[1] == "ImageNotAllowed"
    assert (after.decide().objects, after.decide().deletions) == ((), ())


@pytest.mark.parametrize("identity", [DEPLOYMENT, ROLE], ids=str)
def test_nothing_is_made_beside_an_object_that_is_not_ours(identity: Identity) -> None:
    decided = taken_by_somebody(NEW, identity).decide()
    assert (decided.objects, decided.deletions) == ((), ())


def test_a_suspended_profile_is_left_as_it_is() -> None:
    decided = (
        suspended(NEW.well())
        .with_children(*(live(child) for child in NEW.edited(replicas=2).decide().objects))
        .decide()
    )
    assert (decided.objects, decided.deletions) == ((), ())


def test_the_younger_profile_of_two_loses_its_children_the_rights_last() -> None:
    decided = scene(replicas=2).well().around(siblings=(OLDER,)).decide()
    assert decided.objects == ()
    assert [child.identity.resource.kind for child in decided.deletions] == [
        "Deployment",
        "PodDisruptionBudget",
        "ConfigMap",
        *["ClusterRoleBinding"] * 3,
        "RoleBinding",
        "Role",
        "Lease",
        "ServiceAccount",
    ]


def test_many_problems_stay_one_readable_line() -> None:
    bad = [{"name": f"Nowhere{number}"} for number in range(8)]
    words = message(scene(predicates=bad).decide())
    assert words.startswith("spec.predicates[Nowhere0]")
    assert words.endswith("; and 3 more; no policy is in force")


def test_a_long_list_of_problems_does_not_hide_what_stays_in_force() -> None:
    long = [{"name": f"{'N' * 60}{number}"} for number in range(5)]
    words = message(NEW.well().edited(predicates=long).decide())
    assert len(words.encode()) <= 1024
    assert words.endswith("…" + STAYS)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (lambda: NEW, lambda seen: seen, 1),
        (NEW.well, lambda seen: seen, 0),
        (NEW.well, lambda seen: seen.rolled_out(ready=0), 1),
        (lambda: broken(NEW.well()).settled(), lambda seen: seen, 0),
        (lambda: broken(NEW.well()).settled(), lambda seen: seen.edited(predicates=[{"name": "Nowhere"}]), 1),
        (NEW.well, lambda seen: seen.reported(scheduled=7), 0),
    ],
    ids=["new", "nothing", "worse", "still broken", "broken otherwise", "only numbers"],
)
def test_an_event_is_told_when_the_verdict_changes(
    before: Callable[[], Scene], after: Callable[[Scene], Scene], told: int
) -> None:
    assert len(after(before()).decide().events) == told
