"""What the pods of these tests run: short Python programs, given as an argument, and the pods around them."""

from typing import Any

from tests.agent.conftest import Agents

POD_IP = {"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}

FOREVER = "import time; print('up', flush=True); time.sleep(1e6)"

# Writes a file, then listens on port 8080 and takes every connection.
LISTEN = """
import os, pathlib, socket, sys
pathlib.Path(sys.argv[1]).write_text('ready')
server = socket.create_server((os.environ['POD_IP'], 8080))
while True:
    server.accept()[0].close()
"""

STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, lambda *_: print('asked', flush=True))
print('up', flush=True)
while True:
    time.sleep(1)
"""

# Answers on the pod's address; /healthz fails while there is a file `sick` in the folder that STATE names.
SERVER = """
import http.server, os, pathlib
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        sick = pathlib.Path(os.environ['STATE'], 'sick').exists()
        self.send_response(503 if sick and self.path == '/healthz' else 200)
        self.end_headers()
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer((os.environ['POD_IP'], 8080), Handler).serve_forever()
"""

WHO_AM_I = """
import asyncio
from pointsman.kube.client import Client
from pointsman.kube.connection import connect
async def main():
    connection = await connect()
    async with Client(connection, user_agent='test') as client:
        review = {'apiVersion': 'authentication.k8s.io/v1', 'kind': 'SelfSubjectReview'}
        answer = await client.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', review)
    print(answer.decode().strip())
    print(connection.namespace)
asyncio.run(main())
"""

LAST_WORDS = """
import os, pathlib
pathlib.Path(os.environ['TERMINATION_MESSAGE_PATH']).write_text('no such policy')
raise SystemExit(2)
"""


def server(agents: Agents, name: str, **container: Any) -> dict[str, Any]:
    """A pod that runs SERVER with its STATE mounted at /state."""
    return agents.pod(
        name,
        "-c",
        SERVER,
        env=[POD_IP, {"name": "STATE", "value": "/state"}],
        ports=[{"name": "http", "containerPort": 8080}],
        volumeMounts=[{"name": "state", "mountPath": "/state"}],
        spec={"volumes": [{"name": "state", "emptyDir": {}}], "terminationGracePeriodSeconds": 1},
        **container,
    )


def http_probe(path: str = "/healthz", **timing: int) -> dict[str, Any]:
    """Asks the port by its name, every second."""
    return {"httpGet": {"path": path, "port": "http"}, "periodSeconds": 1, **timing}
