"""Whether an engine is well and whether it is ready, in words that the kubelet's events repeat.

An API server that does not answer is no fault of the engine: it keeps its caches and goes on when the server is back,
and restarting it would only lose them. What a restart can mend is a loop that no longer turns, or a watch that neither
brings anything nor knows that it failed.
"""

from collections.abc import Iterator

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.intake.watches import Watches
from pointsman.engine.loop import DecisionLoop
from pointsman.engine.process.identity import Identity
from pointsman.engine.process.leadership import Leadership
from pointsman.engine.report.metrics import Reading

MAX_STILL_SECONDS = 30.0  # the loop turns at least once a second
MAX_SILENT_SECONDS = 180.0  # a reflector gives a silent watch up after 70 s and says why


def troubles(loop: DecisionLoop, watches: Watches, now: float) -> list[str]:
    """What only a restart mends. `now` in monotonic seconds."""
    found = []
    if now - loop.last_turn > MAX_STILL_SECONDS:
        found.append(f"the decision loop has not turned for {now - loop.last_turn:.0f} s")
    for plural, reflector in watches.items():
        silent = now - reflector.last_contact
        if silent > MAX_SILENT_SECONDS and not reflector.last_error:
            found.append(f"the watch of {plural} has been silent for {silent:.0f} s")
    return found


def readings(
    cluster: Cluster, watches: Watches, leadership: Leadership, who: Identity, now: float
) -> Iterator[Reading]:
    """The gauges that are not any policy's own."""
    yield Reading("scheduler_cache_size", ("nodes",), cluster.node_count)
    yield Reading("scheduler_cache_size", ("pods",), int(cluster.pod_count().sum()))
    yield Reading("leader_election_master_status", (who.lease_name,), float(leadership.holding))
    for plural, reflector in watches.items():
        yield Reading("pointsman_watch_age_seconds", (plural,), now - reflector.last_contact)
