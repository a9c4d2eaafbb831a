"""One pod's folder, made and kept fresh: volumes, mounts, tokens, kubeconfig.

`bring_up_to_date` is made for being called again and again: what is immutable is not read twice, a token is renewed
only when it is time, a file is written only when its content changed.
"""

import asyncio
from dataclasses import dataclass

from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.connection import Connection
from pointsman.sandbox.agent.credentials import TokenSource, authority, kubeconfig
from pointsman.sandbox.agent.environment import PodFacts
from pointsman.sandbox.agent.podspec import Pod
from pointsman.sandbox.agent.sources import (
    ROOT_CA_CONFIG_MAP,
    Contents,
    Sources,
    config_map,
    volume_references,
)
from pointsman.sandbox.agent.volumes import files_of, mount, token_files, write_file, write_files


@dataclass(frozen=True, slots=True)
class Door:
    """The API server, to ask and to tell pods about."""

    client: Client
    connection: Connection


class PodVolumes:
    """The folder of one pod."""

    def __init__(self, pod: Pod, door: Door, clock: Clock) -> None:
        self._connection = door.connection
        self._sources = Sources(door.client, pod.metadata.namespace)
        self._tokens = TokenSource(door.client, pod, clock)
        self._mounted = False
        self._lock = asyncio.Lock()

    async def ensure(self, facts: PodFacts) -> None:
        """The folder is there when this returns. Raises ConfigError or KubeError when something is missing."""
        if not self._mounted:
            await self.bring_up_to_date(facts)

    async def bring_up_to_date(self, facts: PodFacts) -> None:
        """The folder holds what the API server holds now. Raises ConfigError or KubeError when something is missing."""
        async with self._lock:
            volumes = facts.pod.spec.volumes
            contents = self._with_authority(await self._sources.read(volume_references(volumes)))
            tokens = {wanted: await self._tokens.get(wanted) for wanted in token_files(volumes)}
            filled = [volume for volume in volumes if volume.empty_dir is None]
            files = {volume.name: files_of(volume, facts, contents, tokens) for volume in filled}
            for name, wanted in files.items():
                write_files(facts.folder.volume(name), wanted)
            if not self._mounted:
                self._set_up(facts)
                self._mounted = True

    def _set_up(self, facts: PodFacts) -> None:
        folder, spec = facts.folder, facts.pod.spec
        mount(folder, (*spec.init_containers, *spec.containers))
        folder.home.mkdir(parents=True, exist_ok=True)
        write_file(folder.kubeconfig, kubeconfig(self._connection, folder, facts.pod.metadata.namespace))
        folder.termination("").mkdir(parents=True, exist_ok=True)

    def _with_authority(self, contents: Contents) -> Contents:
        """Where nobody publishes the cluster's root certificates, the agent's own stand in."""
        reference = config_map(ROOT_CA_CONFIG_MAP)
        if reference not in contents or contents[reference] is not None:
            return contents
        return {**contents, reference: {"ca.crt": authority(self._connection)}}
