"""Who may do what, asked of a real API server by SubjectAccessReview: the whole table, what is not in it is refused."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.controlplane.plane import ControlPlane
from tests.controlplane.wait import eventually
from tests.manifests.install import OPERATOR

ENGINE = "system:serviceaccount:pointsman-engines:engine-a"
VOLUMES_ENGINE = "system:serviceaccount:pointsman-engines:engine-b"
PREEMPTING_ENGINE = "system:serviceaccount:pointsman-engines:engine-c"
GROUPS = {
    "schedulerprofiles": "pointsman.dev",
    "deployments": "apps",
    "replicasets": "apps",
    "statefulsets": "apps",
    "storageclasses": "storage.k8s.io",
    "csinodes": "storage.k8s.io",
    "csidrivers": "storage.k8s.io",
    "csistoragecapacities": "storage.k8s.io",
    "volumeattachments": "storage.k8s.io",
    "poddisruptionbudgets": "policy",
    "leases": "coordination.k8s.io",
    "events": "events.k8s.io",
    "roles": "rbac.authorization.k8s.io",
    "rolebindings": "rbac.authorization.k8s.io",
    "clusterroles": "rbac.authorization.k8s.io",
    "clusterrolebindings": "rbac.authorization.k8s.io",
    "validatingadmissionpolicies": "admissionregistration.k8s.io",
}

READ_PROFILES = {f"{verb} schedulerprofiles" for verb in ("get", "list", "watch")}
WRITE_PROFILES = {f"{verb} schedulerprofiles" for verb in ("create", "update", "patch", "delete")}
SEE_PROFILES = READ_PROFILES | {"get schedulerprofiles/status", "get schedulerprofiles/scale"}
REPORT = {"patch schedulerprofiles/status", "update schedulerprofiles/status"}
SCALE = {"patch schedulerprofiles/scale", "update schedulerprofiles/scale"}
SCHEDULE = {"create pods/binding in tenant", "patch pods/status in tenant", "create events in tenant"}
SEE_CLUSTER = {"list pods", "watch pods", "list nodes", "watch nodes", "list namespaces"}
SEE_OWNERS = {
    f"{verb} {kind}"
    for verb in ("get", "list", "watch")
    for kind in ("services", "replicationcontrollers", "replicasets", "statefulsets")
}
SEE_CLAIMS = {f"{verb} persistentvolumeclaims" for verb in ("list", "watch")}
SEE_BUDGETS = {f"{verb} poddisruptionbudgets" for verb in ("list", "watch")}
SEE_VOLUMES = SEE_CLAIMS | {
    f"{verb} {kind}"
    for verb in ("list", "watch")
    for kind in (
        *("persistentvolumes", "storageclasses", "csinodes", "csidrivers", "csistoragecapacities"),
        "volumeattachments",
    )
}
BIND_VOLUMES = {"patch persistentvolumes", "patch persistentvolumeclaims in tenant"}
FLEET = {
    f"{verb} {kind} in pointsman-engines"
    for verb in ("create", "patch", "delete")
    for kind in ("configmaps", "deployments", "leases", "serviceaccounts", "roles", "rolebindings")
}
BIND = {f"bind clusterroles:pointsman-engine{suffix}" for suffix in ("", "-volumes", "-preemption")}
NEVER = {
    "get secrets in pointsman-engines",
    "list secrets",
    "create pods in pointsman-engines",
    "create pods/exec in pointsman-engines",
    "create serviceaccounts/token in pointsman-engines",
    "bind clusterroles:cluster-admin",
    "escalate clusterroles:pointsman-engine",
    "patch clusterroles:pointsman-engine",
    "impersonate users",
    "patch nodes",
    "delete persistentvolumes",
    "delete persistentvolumeclaims in tenant",
    "patch services in tenant",
    "patch poddisruptionbudgets in tenant",
    "delete pods in tenant",
    "create deployments in tenant",
    "patch configmaps:pointsman-images in pointsman-system",
    "create validatingadmissionpolicies",
    "delete validatingadmissionpolicies:pointsman-engine-bindings",
}
OTHERS = {
    "create clusterrolebindings",
    "delete clusterrolebindings",
    "list replicasets in pointsman-engines",
    "create events in default",
    "create leases in pointsman-system",
    "patch leases:pointsman-operator in pointsman-system",
    "patch leases:another in pointsman-system",
    "get configmaps:pointsman-images in pointsman-system",
    "get configmaps:another in pointsman-system",
    "get leases in pointsman-engines",
}
QUESTIONS = sorted(
    SEE_PROFILES
    | WRITE_PROFILES
    | REPORT
    | SCALE
    | SCHEDULE
    | SEE_CLUSTER
    | SEE_OWNERS
    | SEE_VOLUMES
    | SEE_BUDGETS
    | BIND_VOLUMES
    | FLEET
    | BIND
    | NEVER
    | OTHERS
)


@dataclass(frozen=True, slots=True)
class Persona:
    """Somebody, and everything of QUESTIONS that they may do."""

    user: str
    allowed: set[str]
    cluster_role: str = ""
    namespace: str = ""  # where the role is bound; empty for the whole cluster


# What `edit` of a namespace gives on its own: nothing of it is about profiles or the fleet.
TENANT_EDIT = {
    "delete pods in tenant",
    "create deployments in tenant",
    "create events in tenant",
    "patch services in tenant",
    "patch poddisruptionbudgets in tenant",
    "patch persistentvolumeclaims in tenant",
    "delete persistentvolumeclaims in tenant",
}

PERSONAS = {
    "nobody": Persona("nobody", set()),
    "a viewer of a tenant namespace": Persona("tenant-viewer", set(), "view", "tenant"),
    "an editor of a tenant namespace": Persona("tenant-editor", TENANT_EDIT, "edit", "tenant"),
    "an administrator of a tenant namespace": Persona("tenant-admin", TENANT_EDIT, "admin", "tenant"),
    "a viewer of the cluster": Persona(
        "viewer",
        SEE_PROFILES
        | SEE_OWNERS
        | SEE_CLAIMS
        | SEE_BUDGETS
        | {"list pods", "watch pods", "list namespaces", "list replicasets in pointsman-engines"}
        | {f"get configmaps:{name} in pointsman-system" for name in ("pointsman-images", "another")},
        "view",
    ),
    "an administrator of profiles": Persona("owner", SEE_PROFILES | WRITE_PROFILES | SCALE, "pointsman-admin"),
    "an engine": Persona(
        ENGINE,
        SEE_CLUSTER | SEE_OWNERS | SCHEDULE | {"create events in default", "list replicasets in pointsman-engines"},
        "pointsman-engine",
    ),
    "what volumes add to an engine": Persona(VOLUMES_ENGINE, SEE_VOLUMES | BIND_VOLUMES, "pointsman-engine-volumes"),
    "what preemption adds to an engine": Persona(
        PREEMPTING_ENGINE, SEE_BUDGETS | {"delete pods in tenant"}, "pointsman-engine-preemption"
    ),
    "the operator": Persona(
        OPERATOR,
        (SEE_PROFILES - {"get schedulerprofiles/scale"})
        | REPORT
        | SEE_CLUSTER
        | FLEET
        | BIND
        | OTHERS - {"patch leases:another in pointsman-system", "get configmaps:another in pointsman-system"},
    ),
}


def attributes(question: str) -> dict[str, str]:
    """`VERB RESOURCE[/SUBRESOURCE][:NAME][ in NAMESPACE]` as the resource attributes of an access review."""
    what, _, namespace = question.partition(" in ")
    verb, _, target = what.partition(" ")
    target, _, name = target.partition(":")
    resource, _, subresource = target.partition("/")
    given = {"verb": verb, "resource": resource, "group": GROUPS.get(resource, "")}
    return given | {"subresource": subresource, "name": name, "namespace": namespace}


def groups(user: str) -> list[str]:
    """The groups that the API server gives to a user of that name."""
    if not user.startswith("system:serviceaccount:"):
        return ["system:authenticated"]
    return ["system:serviceaccounts", f"system:serviceaccounts:{user.split(':')[2]}", "system:authenticated"]


def allowed(plane: ControlPlane, user: str) -> set[str]:
    """Those of QUESTIONS to which the API server says yes."""
    reviews = [
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {"user": user, "groups": groups(user), "resourceAttributes": attributes(question)},
        }
        for question in QUESTIONS
    ]
    sent = json.dumps({"apiVersion": "v1", "kind": "List", "items": reviews})
    answers = plane.kubectl("create", "-f", "-", "-o", r"jsonpath={.status.allowed}{'\n'}", input=sent).stdout.split()
    return {question for question, answer in zip(QUESTIONS, answers, strict=True) if answer == "true"}


@pytest.fixture(scope="module")
def people(installed: ControlPlane) -> Iterator[ControlPlane]:
    """The control plane with the personas bound to their roles."""
    installed.kubectl("create", "namespace", "tenant")
    for number, persona in enumerate(PERSONAS.values()):
        if persona.cluster_role:
            kind = "RoleBinding" if persona.namespace else "ClusterRoleBinding"
            installed.apply(
                {
                    "apiVersion": "rbac.authorization.k8s.io/v1",
                    "kind": kind,
                    "metadata": {"name": f"persona-{number}"}
                    | ({"namespace": persona.namespace} if persona.namespace else {}),
                    "roleRef": {
                        "apiGroup": "rbac.authorization.k8s.io",
                        "kind": "ClusterRole",
                        "name": persona.cluster_role,
                    },
                    "subjects": [subject(persona.user)],
                }
            )
    yield installed
    installed.kubectl("delete", "namespace", "tenant", "--wait=false")


def subject(user: str) -> dict[str, str]:
    if user.startswith("system:serviceaccount:"):
        _, _, namespace, name = user.split(":")
        return {"kind": "ServiceAccount", "namespace": namespace, "name": name}
    return {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": user}


@pytest.mark.parametrize("persona", PERSONAS.values(), ids=PERSONAS.keys())
def test_may_do_exactly_what_the_table_says(people: ControlPlane, persona: Persona) -> None:
    def as_the_table_says() -> bool:
        assert allowed(people, persona.user) == persona.allowed
        return True

    # The API server and its controllers take a moment for new bindings and for the aggregation of built-in roles.
    eventually(as_the_table_says, what=f"exactly the rights of {persona.user}")
