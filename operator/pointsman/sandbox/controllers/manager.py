"""All controllers, started and stopped together."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pointsman.kube.clock import Clock
from pointsman.kube.connection import Connection


@asynccontextmanager
async def controllers(connection: Connection, clock: Clock, rng: random.Random, ca: str) -> AsyncIterator[None]:
    """Run every controller inside the block."""
    yield
