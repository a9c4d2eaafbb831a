"""Whom pod affinity terms mean: other pods by the incoming pod's terms, the incoming pod by running pods' terms.

kube-scheduler 1.36 looks up namespaces differently in the two directions (interpodaffinity/{plugin,filtering}.go), and
so do these.
"""

from collections.abc import Mapping, Sequence

from pointsman.policy.affinity_terms import AffinityTerm
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import PodGroup
from pointsman.policy.view import CarriedTerm, ClusterView

_NO_LABELS: Mapping[str, str] = {}


def meant_pods(term: AffinityTerm, view: ClusterView) -> PodGroup:
    """The pods that a term of the incoming pod means.

    Its namespace selector is made into names of namespaces first and then still asked, with no labels at hand: a
    selector that no labels satisfy (NotIn, DoesNotExist) so means every namespace (kubernetes issue 141526).
    """
    if term.namespace_selector.matches(_NO_LABELS):
        return PodGroup(None, term.selector)
    if term.namespace_selector.nothing:
        return PodGroup(term.namespaces, term.selector)
    return PodGroup(term.namespaces | view.namespaces_matching(term.namespace_selector), term.selector)


def means(term: AffinityTerm | CarriedTerm, pod: PodInfo, namespace_labels: Mapping[str, str]) -> bool:
    """Whether a running pod's term means the incoming pod.

    Asked of every distinct term for each decision, and most are of other namespaces: those are told by a look.
    """
    namespaces = term.namespace_selector
    if pod.namespace not in term.namespaces and (namespaces.nothing or not namespaces.matches(namespace_labels)):
        return False
    return term.selector.matches(pod.pod.metadata.labels)


def meaning(terms: Sequence[CarriedTerm], pod: PodInfo, view: ClusterView) -> Sequence[CarriedTerm]:
    """Those of running pods' terms that mean the incoming pod."""
    if not terms:
        return ()
    namespace_labels = view.namespace_labels(pod.namespace) or _NO_LABELS
    return [term for term in terms if means(term, pod, namespace_labels)]


def may_mean(term: AffinityTerm, pod: PodInfo) -> bool:
    """Whether a term can mean a pod, whatever the labels of its namespace."""
    selects = pod.namespace in term.namespaces or not term.namespace_selector.nothing
    return selects and term.selector.matches(pod.pod.metadata.labels)
