"""Which policy an engine has loaded, asked of the engine itself: its page /configz, at its pod's address."""

import asyncio
from typing import Final

import aiohttp
import msgspec

from pointsman.api.names import ENGINE_PORT, FLEET_NAMESPACE
from pointsman.kube.client import Client
from pointsman.kube.errors import KubeError
from pointsman.kube.resources import PODS
from pointsman.policy.document import short_hash
from pointsman.sandbox.demo.standing import Standing

_SECONDS: Final = 5.0


class _Loaded(msgspec.Struct):
    profile: str
    hash: str


class _Page(msgspec.Struct):
    policies: list[_Loaded]


async def loaded_hash(client: Client, standing: Standing) -> str:
    """Short hash of the policy that the profile's leading engine runs; empty when there is none or it does not say."""
    if not standing.leader:
        return ""
    try:
        pod = await client.get_json(PODS.path(FLEET_NAMESPACE, standing.leader))
        address = str(pod.get("status", {}).get("podIP", ""))
        page = msgspec.json.decode(await _read(f"http://{address}:{ENGINE_PORT}/configz"), type=_Page)
    except (KubeError, aiohttp.ClientError, TimeoutError, msgspec.DecodeError):
        return ""
    return next((short_hash(one.hash) for one in page.policies if one.profile == standing.profile), "")


async def _read(url: str) -> bytes:
    timeout = aiohttp.ClientTimeout(total=_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout) as session, session.get(url) as answer:
        answer.raise_for_status()
        return await answer.read()


async def loaded_hashes(client: Client, standings: list[Standing]) -> dict[str, str]:
    """The same for several profiles, by name."""
    found = await asyncio.gather(*(loaded_hash(client, one) for one in standings))
    return {one.profile: short for one, short in zip(standings, found, strict=True)}
