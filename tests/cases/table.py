"""Situations that people reported about schedulers, by number, and where each was told.

The numbers are those of the project's collection of cases. The situations themselves are written from scratch; a source
is where the thing happened. Cases about extenders, watch connections and the operator are not decisions and are not
in this table.
"""

from typing import Final, NamedTuple


class Case(NamedTuple):
    """One situation. `open_question`: the collection did not know the answer; the real kube-scheduler gave it."""

    title: str
    source: str
    open_question: bool = False


CASES: Final[dict[str, Case]] = {
    "C01": Case(
        "Sidecar (restartable init) requests add to app containers; init order matters",
        "kubernetes/kubernetes#127868 (fix PR #127878), kubernetes-sigs/karpenter#479, kubernetes/kubernetes#131379",
    ),
    "C02": Case(
        "A finished init container still counts",
        "kubernetes/kubernetes#124282",
    ),
    "C03": Case(
        "Init peak must also be used in scoring",
        "kubernetes/kubernetes#89092, #90177 (fix PR #89222)",
    ),
    "C04": Case(
        "Pod overhead is part of the request",
        "kai-scheduler/KAI-Scheduler#373, kubernetes/kubernetes#99577",
    ),
    "C07": Case(
        "Zero-request pod on an overcommitted node; pod-count limit still holds",
        "kubernetes/kubernetes#17453, PR #116408",
    ),
    "C09": Case(
        "CPU overflow when converting to milli-units",
        "kubernetes/kubernetes#128684",
    ),
    "C13": Case(
        "Exponent, sign and suffix grammar",
        "DataDog/integrations-core#17280, squaredup/plugins#107, kubernetes-client/python#756",
        open_question=True,
    ),
    "C15": Case(
        "Extended resource absent from the node / ignored because an extender owns it",
        "kubernetes/kubernetes PR #60332; config topolvm/topolvm:deploy/scheduler-config/scheduler-config.yaml",
    ),
    "C16": Case(
        "Ephemeral storage",
        "kubernetes/kubernetes#63190",
    ),
    "C17": Case(
        "Finished pods are free, terminating pods are not",
        "kubernetes/kubernetes#9601, #96515, #22398, neondatabase/autoscaling#1335",
    ),
    "C18": Case(
        "Best-effort pods in scoring",
        "kubernetes/kubernetes#129138 (PR #130260), #105220, #122131, PR #102925",
    ),
    "C19": Case(
        "Extended resource in scoring only when the pod asks for it",
        "kubernetes/kubernetes PR #103169 (issue #102154), PR #101946",
    ),
    "C20": Case(
        "Untolerated taints count by default",
        "kubernetes/kubernetes#116118, #107464, #80921; zimmertr/Kubernetes-Manifests#498",
    ),
    "C21": Case(
        "Cordoned/draining node blocks spreading",
        "kubernetes/kubernetes#106127",
    ),
    "C22": Case(
        "Topology key missing on nodes",
        "kubernetes/kubernetes#95808, #91152, #97687",
    ),
    "C23": Case(
        "Missing versus empty labelSelector",
        "kubernetes/website#43406, kubernetes/community#7580",
        open_question=True,
    ),
    "C24": Case(
        "Rollouts and matchLabelKeys",
        "kubernetes/kubernetes#98215",
    ),
    "C25": Case(
        "Incoming pod does not match its own selector; other namespaces; terminating pods",
        "kubernetes docs (topology spread, conventions); kubernetes/kubernetes#96542 (thread about a pod set "
        "not honouring a constraint)",
        open_question=True,
    ),
    "C27": Case(
        "Whole zone tainted, with and without minDomains",
        "kubernetes/enhancements#6211 (KEP-5980)",
    ),
    "C28": Case(
        "First pod of a group, several terms",
        "kubernetes/kubernetes#62232 (fix PR #62591)",
    ),
    "C31": Case(
        "Anti-affinity is symmetric",
        "kubernetes/kubernetes#126632, #35317",
    ),
    "C33": Case(
        "Assumed but not yet bound pods count",
        "kubernetes/kubernetes#138546, #109367, #76772",
    ),
    "C36": Case(
        "Empty toleration key with an effect",
        "kubernetes/website#47929 / PR #47930, eraser-dev/eraser#532",
    ),
    "C37": Case(
        "Numeric toleration operators",
        "kubernetes source api/core/v1/toleration.go; docs text quoted in mostlygeek/llama-swap#1114",
    ),
    "C38": Case(
        "tolerationSeconds does not matter for placement",
        "kubernetes/kubernetes#92170, #117520, #112930, #63420",
    ),
    "C39": Case(
        "spec.unschedulable and the matching toleration",
        "kubernetes/autoscaler#7728, wbuchwalter/Kubernetes-acs-engine-autoscaler#91",
    ),
    "C40": Case(
        "Terms are ORed, matchFields and matchExpressions mixed",
        "kubernetes/kubernetes PR #116465",
    ),
    "C41": Case(
        "Operator table",
        "kubernetes/website#33323, #39256, PR #39742",
    ),
    "C43": Case(
        "DaemonSet pods pinned by matchFields",
        "kubernetes/kubernetes#71466, #93934, #140984, #141227",
    ),
    "C45": Case(
        "hostIP / protocol tuple",
        "kubernetes/kubernetes#5874, #39228, #51950, #66568",
    ),
    "C48": Case(
        "Nominated room is reserved before the API echoes it",
        "kubernetes/kubernetes#72124, PR #55933",
    ),
    "C51": Case(
        "Only minimal victims, most important reprieved first",
        "kubernetes source default_preemption.go; kubernetes/community PR #1228",
    ),
    "C52": Case(
        "Extender answers preemption with no victims",
        "kubernetes/kubernetes#101548 (PR #101560), topolvm/topolvm#544",
    ),
    "C54": Case(
        "nodeName preset bypasses scheduling (and WaitForFirstConsumer)",
        "openebs/openebs#2915, rancher/local-path-provisioner#383, rancher/k3k#727, openebs/lvm-localpv#379",
    ),
    "C55": Case(
        "CSI attach limit with unbound claims",
        "kubernetes/kubernetes#73724, #80286, #95911; volcano-sh/volcano#4579",
        open_question=True,
    ),
    "C57": Case(
        "PV nodeAffinity conflict plus full node",
        "aws/karpenter-provider-aws#2971, pravega/zookeeper-operator#311, aerospike/aerospike-kubernetes-operator#80",
    ),
    "C58": Case(
        "ReadWriteOncePod",
        "kubernetes/kubernetes#103132, PR #114051; volcano-sh/volcano#5774",
    ),
    "C59": Case(
        "ReadWriteOnce is NOT a scheduling constraint",
        "kubernetes/kubernetes#103305",
    ),
    "C60": Case(
        "Missing, deleting or unbound Immediate claims",
        "kubernetes/kubernetes#121436 (claims bound, pod not); general PVC semantics",
        open_question=True,
    ),
    "C79": Case(
        "'*' in disabled and multiPoint",
        "aws-samples/custom-scheduler-eks:deploy/manifests/custom-scheduler/"
        "amazon-eks-1.29-custom-scheduler.yaml; kubernetes-sigs/scheduler-plugins:manifests/"
        "capacityscheduling/scheduler-config.yaml; kubernetes/kubernetes PR #105611",
        open_question=True,
    ),
    "C82": Case(
        "Policy with removed, unknown or duplicated predicates",
        "kubernetes/kubernetes#99306 (PR #99671), kubernetes/kops#10927; file kubernetes/kops:upup/models/"
        "cloudup/resources/addons/scheduler.addons.k8s.io/v1.7.0.yaml",
    ),
    "C85": Case(
        "percentageOfNodesToScore",
        "kubernetes/kubernetes PR #72140; kubernetes/website PR #17389; schedule_one.go",
    ),
    "C86": Case(
        "Managed resource names",
        "kubernetes/kubernetes validation.go; Project-HAMi/HAMi templates; intel/platform-aware-scheduling "
        "(telemetry/scheduling)",
        open_question=True,
    ),
    "C88": Case(
        "Missing RBAC rule for one resource type",
        "jupyterhub/zero-to-jupyterhub-k8s#1773; storageos/cluster-operator PR #203; kvaps/kube-linstor#34; "
        "kubernetes/website#14056; kubernetes/kubernetes#57263, #77131",
    ),
    "C89": Case(
        "Two schedulers race for the last slot",
        "kubernetes/kubernetes#72043, #60469; kubernetes-sigs/scheduler-plugins PR #382; kubernetes-retired/"
        "kube-batch#868; volcano-sh/volcano#2700",
    ),
    "C91": Case(
        "Pods ask for a scheduler nobody runs",
        "kubernetes/kubernetes#77131; gocrane/crane-scheduler#5; kubernetes-sigs/scheduler-plugins#571",
    ),
    "C93": Case(
        "Copy-pasted selectors overlap",
        "kubernetes/website:content/en/examples/admin/sched/my-scheduler.yaml; aws-samples/"
        "custom-scheduler-eks:deploy/manifests/custom-scheduler/amazon-eks-1.29-custom-scheduler.yaml",
    ),
    "C94": Case(
        "Autoscaler contract",
        "kubernetes/kubernetes#71070, PR #89111; kubernetes/autoscaler#5106; neondatabase/autoscaling#64",
    ),
    "C95": Case(
        "Unschedulable pods at the head of the queue",
        "kubernetes/kubernetes#71486, #86373, #56721, PR #87616",
    ),
    "C96": Case(
        "Pod changed while unschedulable",
        "kubernetes/kubernetes PR #127427, PR #122234",
    ),
    "C97": Case(
        "Lost wake-up in a tiny cluster",
        "kubernetes/kubernetes PR #119784, #72122, PR #120334",
    ),
    "C99": Case(
        "Pod deleted while binding",
        "kubernetes/kubernetes PR #91412",
    ),
    "C100": Case(
        "409 already assigned",
        "keptn/lifecycle-toolkit#2881; aws/karpenter-provider-aws#984; kubernetes/kubernetes#31709",
    ),
    "C101": Case(
        "Node removed and re-added under the same name",
        "kubernetes/kubernetes#63262, PR #93938, #56261",
    ),
    "C102": Case(
        "Events for unknown nodes and late pod events",
        "kubernetes/kubernetes#31968, #33772, #89552, #56057",
    ),
    "C103": Case(
        "Missed pod deletion",
        "kubernetes/kubernetes#55587, #42063, PR #106102, #66568",
    ),
    "C104": Case(
        "Start-up before caches are filled",
        "kubernetes/kubernetes#45220",
    ),
    "C105": Case(
        "Failed bind leaves the pod stuck",
        "kubernetes/kubernetes#49314, #37232",
    ),
}
