"""SelectorSpreadPriority: the fewer pods of the same Services and controller on a node and in its zone, the better.

selectorspread/selector_spread.go, 1.22. What kube-scheduler has in its place since is PodTopologySpread's defaults.
"""

from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import PriorityBase, Skip
from pointsman.policy.spread.evenness import READS, Evenness, even_scores, evenness
from pointsman.policy.spread.owners import default_selector
from pointsman.policy.view import ClusterView, IntArray, Rows


class SelectorSpreadPriority(PriorityBase[Evenness]):
    """Scores are final: the reduce step of old needed the zones of the rows."""

    reads = READS

    def __init__(self, name: str, _: Args) -> None:
        self.name = name

    def prepare(self, pod: PodInfo, view: ClusterView) -> Evenness | Skip:
        return evenness(pod, view, default_selector(pod, view.owners))

    def score(self, state: Evenness, rows: Rows) -> IntArray:
        return even_scores(state, rows)
