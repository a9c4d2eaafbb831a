"""Binds waiting pods to nodes in turn and writes the event of each: nothing but HTTP, and nothing of Pointsman.

    python tests/bench/side_by_side/raw_client.py KUBECONFIG SCHEDULER_NAME

It lists nodes and waiting pods once and works through them with as many connections as the engine uses. It ends when
all are bound.
"""

import asyncio
import datetime
import json
import ssl
import sys
from pathlib import Path
from typing import Any

import aiohttp
import uvloop

AT_ONCE = 64
WRITERS = 8


async def _send(session: aiohttp.ClientSession, path: str, body: dict[str, Any]) -> None:
    async with session.post(path, data=json.dumps(body), headers={"Content-Type": "application/json"}) as answer:
        await answer.read()
        answer.raise_for_status()


def _binding(pod: dict[str, Any], node: str) -> dict[str, Any]:
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    metadata = {name: pod["metadata"][name] for name in ("name", "namespace", "uid")}
    return {"apiVersion": "v1", "kind": "Binding", "metadata": metadata, "target": target}


def _event(pod: dict[str, Any], node: str, scheduler: str, number: int) -> dict[str, Any]:
    metadata = pod["metadata"]
    now = datetime.datetime.now(datetime.UTC).isoformat().replace("+00:00", "Z")
    regarding = {"apiVersion": "v1", "kind": "Pod", **{key: metadata[key] for key in ("name", "namespace", "uid")}}
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": f"{metadata['name']}.{number:x}", "namespace": metadata["namespace"]},
        "eventTime": now,
        "reportingController": scheduler,
        "reportingInstance": f"{scheduler}-raw",
        "action": "Binding",
        "reason": "Scheduled",
        "regarding": regarding,
        "note": f"Successfully assigned {metadata['namespace']}/{metadata['name']} to {node}",
        "type": "Normal",
    }


async def main(config: dict[str, Any], scheduler: str) -> None:
    """Bind all that waits."""
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    connector = aiohttp.TCPConnector(
        limit=AT_ONCE + WRITERS, ssl=ssl.create_default_context(cafile=cluster["certificate-authority"])
    )
    headers = {"Authorization": f"Bearer {user['token']}"}
    async with aiohttp.ClientSession(cluster["server"], connector=connector, headers=headers) as session:
        async with session.get("/api/v1/nodes") as answer:
            nodes = [node["metadata"]["name"] for node in (await answer.json())["items"]]
        async with session.get("/api/v1/pods?fieldSelector=spec.nodeName%3D") as answer:
            pods = iter([pod for pod in (await answer.json())["items"] if pod["spec"]["schedulerName"] == scheduler])
        bound: asyncio.Queue[tuple[int, dict[str, Any], str] | None] = asyncio.Queue()
        numbered = enumerate(pods)

        async def bind() -> None:
            for number, pod in numbered:
                node, metadata = nodes[number % len(nodes)], pod["metadata"]
                path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/binding"
                await _send(session, path, _binding(pod, node))
                bound.put_nowait((number, pod, node))

        async def tell() -> None:
            while (told := await bound.get()) is not None:
                number, pod, node = told
                path = f"/apis/events.k8s.io/v1/namespaces/{pod['metadata']['namespace']}/events"
                await _send(session, path, _event(pod, node, scheduler, number))

        tellers = [asyncio.create_task(tell()) for _ in range(WRITERS)]
        await asyncio.gather(*(bind() for _ in range(AT_ONCE)))
        for _ in tellers:
            bound.put_nowait(None)
        await asyncio.gather(*tellers)


if __name__ == "__main__":
    uvloop.run(main(json.loads(Path(sys.argv[1]).read_text()), sys.argv[2]))
