"""ServiceSpreadingPriority: the fewer pods of the same Services on a node and in its zone, the better.

SelectorSpreadPriority without controllers, as it was until 1.17 (algorithmprovider/defaults/register_priorities.go,
1.16); after that the name stood for SelectorSpreadPriority itself.
"""

from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import PriorityBase, Skip
from pointsman.policy.spread.evenness import READS, Evenness, even_scores, evenness
from pointsman.policy.spread.owners import service_selector
from pointsman.policy.view import ClusterView, IntArray, Rows


class ServiceSpreadingPriority(PriorityBase[Evenness]):
    """Scores are final: the reduce step of old needed the zones of the rows."""

    reads = READS

    def __init__(self, name: str, _: Args) -> None:
        self.name = name

    def prepare(self, pod: PodInfo, view: ClusterView) -> Evenness | Skip:
        return evenness(pod, view, service_selector(pod, view.owners))

    def score(self, state: Evenness, rows: Rows) -> IntArray:
        return even_scores(state, rows)
