"""Names and formats that more than one process relies on: labels, annotations, paths, exit codes.

They stand in one place because the operator writes what the engine reads and the other way round; a second spelling
would be a silent fault. What may be configured (the fleet namespace) is a default here and an argument elsewhere.
"""

from typing import Final

GROUP: Final = "pointsman.dev"
VERSION: Final = "v1alpha1"
API_VERSION: Final = f"{GROUP}/{VERSION}"
KIND: Final = "SchedulerProfile"
PLURAL: Final = "schedulerprofiles"

OPERATOR_NAMESPACE: Final = "pointsman-system"
FLEET_NAMESPACE: Final = "pointsman-engines"
OPERATOR_LEASE: Final = "pointsman-operator"
FIELD_MANAGER: Final = "pointsman"
OPERATOR_REPORTING_CONTROLLER: Final = "pointsman.dev/operator"

PROFILE_LABEL: Final = "pointsman.dev/profile"
NAME_LABEL: Final = "app.kubernetes.io/name"
INSTANCE_LABEL: Final = "app.kubernetes.io/instance"
COMPONENT_LABEL: Final = "app.kubernetes.io/component"
MANAGED_BY_LABEL: Final = "app.kubernetes.io/managed-by"
MANAGED_BY: Final = "pointsman"

REPORT_ANNOTATION: Final = "pointsman.dev/report"
WANTED_POLICY_ANNOTATION: Final = "pointsman.dev/wanted-policy"
POLICY_ANNOTATION: Final = "pointsman.dev/policy"  # on the Deployment's pod template: the short hash it mounts
GENERATION_ANNOTATION: Final = "pointsman.dev/generation"  # on the policy ConfigMap: the profile's generation

IMAGES_CONFIG_MAP: Final = "pointsman-images"  # in the operator's namespace
IMAGES_KEY: Final = "images"

ENGINE_CLUSTER_ROLE: Final = "pointsman-engine"
ENGINE_VOLUMES_CLUSTER_ROLE: Final = "pointsman-engine-volumes"
ENGINE_PREEMPTION_CLUSTER_ROLE: Final = "pointsman-engine-preemption"

POLICY_DIRECTORY: Final = "/etc/pointsman/policy"
POLICY_API_VERSION: Final = "pointsman.dev/policy-v1"
ENGINE_PORT: Final = 8080
SHORT_HASH_LENGTH: Final = 10

DEFAULT_SCHEDULER: Final = "default-scheduler"

EXIT_ENDED: Final = 0  # asked to end, or the profile is gone
EXIT_FAULT: Final = 1  # a fault, or another holder has the Lease
EXIT_POLICY: Final = 2  # the policy cannot be loaded

LEASE_DURATION_SECONDS: Final = 15
LEASE_DEADLINE_SECONDS: Final = 10
LEASE_RENEW_SECONDS: Final = 2
REPORT_INTERVAL_SECONDS: Final = 10
REPORT_MAX_BYTES: Final = 16 * 1024


def engine_name(profile: str) -> str:
    """Name of a profile's ServiceAccount, Lease, Role, RoleBinding, Deployment and PodDisruptionBudget."""
    return f"engine-{profile}"


def config_map_name(profile: str, short_hash: str) -> str:
    """Name of the immutable ConfigMap that carries one version of a profile's policy."""
    return f"engine-{profile}-{short_hash}"


def engine_binding_name(profile: str, cluster_role: str = ENGINE_CLUSTER_ROLE) -> str:
    """Name of the ClusterRoleBinding that gives one of the engines' ClusterRoles to a profile's engine."""
    return f"{cluster_role.replace('-', ':', 1)}:{profile}"


def policy_file(profile: str) -> str:
    """Key in the ConfigMap, and file name in the mounted directory, of a profile's policy document."""
    return f"{profile}.json"
