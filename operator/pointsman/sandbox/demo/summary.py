"""What a demo came to: a last word for people, and one line of JSON for programs."""

from collections.abc import Mapping, Sequence

import msgspec

from pointsman.sandbox.demo.standing import Standing


class ProfileSummary(msgspec.Struct, frozen=True, rename="camel"):
    """One profile. Hashes are short ones: what status says, and what the engine itself says that it loaded."""

    name: str
    ready: bool
    scheduled: int
    pending: int
    policy_hash: str
    loaded_hash: str


class Summary(msgspec.Struct, frozen=True):
    """The whole demo. `bound` counts pods that have a node, `seconds` how long pods were made."""

    profiles: tuple[ProfileSummary, ...]
    bound: int
    seconds: float

    @property
    def all_ready(self) -> bool:
        return bool(self.profiles) and all(profile.ready for profile in self.profiles)


def summary(standings: Sequence[Standing], loaded: Mapping[str, str], bound: int, seconds: float) -> Summary:
    """Sum up. `loaded` maps a profile's name to the hash that its engine told."""
    profiles = tuple(
        ProfileSummary(one.profile, one.is_ready, one.scheduled, one.pending, one.policy, loaded.get(one.profile, ""))
        for one in standings
    )
    return Summary(profiles, bound, round(seconds, 1))


def as_json(done: Summary) -> str:
    """One line."""
    return msgspec.json.encode(done).decode()


def as_text(done: Summary) -> str:
    """A sentence or two."""
    waiting = [profile.name for profile in done.profiles if not profile.ready]
    ready = len(done.profiles) - len(waiting)
    agree = sum(profile.loaded_hash == profile.policy_hash != "" for profile in done.profiles)
    return (
        f"{ready} of {len(done.profiles)} profiles ready{f' (not {_and(waiting)})' if waiting else ''}, "
        f"{done.bound} pods placed in {done.seconds:g} s, "
        f"{agree} engines run the policy that their profile's status names"
    )


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
