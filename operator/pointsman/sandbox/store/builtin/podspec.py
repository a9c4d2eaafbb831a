"""Defaults of pod specs, in pods and in templates: kubernetes 1.36, pkg/apis/core/v1/defaults.go."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from pointsman.sandbox.store.builtin.fill import each, fill, within
from pointsman.sandbox.store.kinds import Object

_SPEC: Final = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
}
_CONTAINER: Final = {
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
    "resources": {},
}
_PROBE: Final = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_HTTP: Final = {"path": "/", "scheme": "HTTP"}
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")
_WITH_MODE: Final = ("secret", "configMap", "projected", "downwardAPI")
_TOKEN_SECONDS: Final = 3600


def default_pod_spec(spec: Object) -> Object:
    """A pod spec with defaults."""
    spec = fill(spec, _SPEC)
    for key in _CONTAINERS:
        spec = within(spec, key, partial(each, change=_container))
    if spec.get("hostNetwork"):
        for key in _CONTAINERS:
            spec = within(spec, key, partial(each, change=_host_ports))
    return within(spec, "volumes", partial(each, change=_volume))


def _container(container: Object) -> Object:
    container = fill(container, {**_CONTAINER, "imagePullPolicy": _pull_policy(container.get("image", ""))})
    container = within(container, "resources", _resources)
    container = within(container, "ports", partial(each, change=partial(fill, defaults={"protocol": "TCP"})))
    container = within(container, "env", partial(each, change=_env))
    for probe in _PROBES:
        container = within(container, probe, _probe)
    return container


def _pull_policy(image: str) -> str:
    tag = image.rpartition("/")[2].partition("@")
    latest = not tag[1] and tag[0].partition(":")[2] in ("", "latest")
    return "Always" if latest else "IfNotPresent"


def _resources(resources: Object) -> Object:
    """What is limited and not requested is requested to the limit."""
    limits: Mapping[str, Any] = resources.get("limits") or {}
    requests = resources.get("requests") or {}
    if limits.keys() <= requests.keys():
        return resources
    return {**resources, "requests": {**requests, **{key: limits[key] for key in limits if key not in requests}}}


def _host_ports(container: Object) -> Object:
    def host_port(port: Object) -> Object:
        return fill(port, {"hostPort": port.get("containerPort")})

    return within(container, "ports", partial(each, change=host_port))


def _env(variable: Object) -> Object:
    def source(value: Object) -> Object:
        return within(value, "fieldRef", partial(fill, defaults={"apiVersion": "v1"}))

    return within(variable, "valueFrom", source)


def _probe(probe: Object) -> Object:
    probe = within(fill(probe, _PROBE), "httpGet", partial(fill, defaults=_HTTP))
    return within(probe, "grpc", partial(fill, defaults={"service": ""}))


def _volume(volume: Object) -> Object:
    if volume.keys() <= {"name"}:
        return {**volume, "emptyDir": {}}
    for key in _WITH_MODE:
        volume = within(volume, key, partial(fill, defaults={"defaultMode": 0o644}))
    volume = within(volume, "hostPath", partial(fill, defaults={"type": ""}))
    return within(volume, "projected", partial(within, key="sources", change=partial(each, change=_source)))


def _source(source: Object) -> Object:
    source = within(source, "serviceAccountToken", partial(fill, defaults={"expirationSeconds": _TOKEN_SECONDS}))

    def items(value: Object) -> Object:
        return within(value, "items", partial(each, change=_downward))

    return within(source, "downwardAPI", items)


def _downward(item: Object) -> Object:
    return within(item, "fieldRef", partial(fill, defaults={"apiVersion": "v1"}))
