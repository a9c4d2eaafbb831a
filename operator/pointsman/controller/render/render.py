"""Makes a profile's children from the templates.

Three walls keep text from a profile from becoming YAML: every expression is written as JSON by the hook below; the lint
keeps expressions at places where that is enough; and what comes out is parsed and compared with the allow-list, field
by field. Text from a profile is never a template.
"""

import json
import re
from functools import cache
from typing import Any, Final

import yaml
from jinja2 import PackageLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pointsman.api import names
from pointsman.api.spec import EngineSpec
from pointsman.controller.plan.revision import Revision
from pointsman.controller.render import allowlist, children
from pointsman.controller.render.children import Child, Fleet, Identity
from pointsman.kube.resources import DISRUPTION_BUDGETS
from pointsman.policy.document import PolicyDocument
from pointsman.policy.watches import watched_kinds

_ESCAPED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_DEFAULT_RESOURCES: Final = {
    "requests": {"cpu": "100m", "memory": "256Mi"},
    "limits": {"memory": "1Gi"},
}
"""For an engine at 5,000 nodes and 50,000 pods: about 210 MB, and twice that while it lists them."""


def yaml_json(value: object) -> str:
    """Write a value as one JSON scalar (or flow collection) that YAML reads back unchanged."""
    text = json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def render(revision: Revision, uid: str, fleet: Fleet) -> tuple[Child, ...]:
    """The children that a profile should have, in the order of writing; `uid` is the profile's.

    Raises AllowlistError when anything but the expected comes out.
    """
    context = _context(revision, uid, fleet)
    roles = children.cluster_role_bindings(revision.profile)
    made = tuple(
        _render_one(identity, context | {"binding": {"name": identity.name, "cluster_role": roles.get(identity, "")}})
        for identity in wanted(revision)
    )
    allowlist.require(made, revision, uid, fleet)
    return made


def wanted(revision: Revision) -> tuple[Identity, ...]:
    """Which children the profile should have, in the order of writing."""
    every = (*children.fixed_identities(revision.profile), children.config_map(revision.profile, revision.short_hash))
    roles, bindings = cluster_roles(revision.document), children.cluster_role_bindings(revision.profile)
    kept = [
        identity
        for identity in every
        if (identity.resource is not DISRUPTION_BUDGETS or revision.replicas > 1)
        and (identity not in bindings or bindings[identity] in roles)
    ]
    return tuple(sorted(kept, key=lambda identity: children.ORDER.index(identity.resource)))


def cluster_roles(document: PolicyDocument) -> frozenset[str]:
    """The ClusterRoles that an engine with this policy needs."""
    return frozenset({names.ENGINE_CLUSTER_ROLE, *(kind.cluster_role for kind in watched_kinds(document))})


def _render_one(identity: Identity, context: dict[str, Any]) -> Child:
    template = _environment().get_template(f"{identity.resource.kind.lower()}.yaml.j2")
    return Child(identity, yaml.load(template.render(context), Loader=yaml.CSafeLoader))


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        loader=PackageLoader("pointsman"),
        undefined=StrictUndefined,
        finalize=yaml_json,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _context(revision: Revision, uid: str, fleet: Fleet) -> dict[str, Any]:
    """All that templates may use: plain JSON values under a few names."""
    profile = revision.profile
    name = names.engine_name(profile)
    return {
        "name": name,
        "namespace": fleet.namespace,
        "labels": children.labels(profile),
        "selector": children.selector(profile),
        "owner": children.owner_reference(profile, uid),
        "replicas": revision.replicas,
        "policy": {
            "config_map": names.config_map_name(profile, revision.short_hash),
            "short_hash": revision.short_hash,
            "annotations": revision.annotations(),
            "data": {names.policy_file(profile): revision.content.decode()},
        },
        "engine": {
            "image": revision.engine.image or fleet.image,
            "expect": f"{profile}={revision.hash}",
            "lease": f"{fleet.namespace}/{name}",
            **_settings(revision.engine),
        },
    }


def _settings(engine: EngineSpec) -> dict[str, Any]:
    plain = engine.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    return {
        "log_level": engine.log_level.value,
        "priority_class_name": plain.get("priorityClassName", ""),
        "node_selector": plain.get("nodeSelector", {}),
        "tolerations": plain.get("tolerations", []),
        "resources": plain.get("resources") or _DEFAULT_RESOURCES,
    }
