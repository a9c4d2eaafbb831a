"""A container's command line and environment, as its process gets them. Pure.

Nothing of the agent's own environment is handed on. Variables are resolved and `$(NAME)` expanded the kubelet's way
(kubelet_pods.go `makeEnvironmentVariables`, 1.36) and only then, once, mount paths are rewritten.

Beside what the pod asks for, a process gets PATH (the folder of the image's own program first), HOME in the pod's
folder, HOSTNAME, LANG, PYTHONUNBUFFERED, TERMINATION_MESSAGE_PATH (a file; the fixed path of a real pod is out of
reach) and, if the pod mounts a service account's token, KUBECONFIG.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pointsman.sandbox.agent.expand import expand
from pointsman.sandbox.agent.images import ImageMap
from pointsman.sandbox.agent.paths import SERVICE_ACCOUNT_PATH, PodFolder, rewrite
from pointsman.sandbox.agent.podspec import Container, EnvVar, Pod
from pointsman.sandbox.agent.sources import ConfigError, Contents, Reference, config_map, pick, secret

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_SUBSCRIPT = re.compile(r"^metadata\.(labels|annotations)\['(.+)'\]$")


@dataclass(frozen=True, slots=True)
class PodFacts:
    """A pod and what its node adds to it."""

    pod: Pod
    address: str
    host_address: str
    folder: PodFolder


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What a process is started with."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    directory: str


def command_line(facts: PodFacts, container: Container, images: ImageMap, contents: Contents) -> CommandLine:
    """The process of a container whose image is mapped. Raises ConfigError for what is missing or not served."""
    mounts = [mount.mount_path for mount in container.volume_mounts]
    variables = variables_of(facts, container, contents)
    prefix = images[container.image]

    def finish(text: str) -> str:
        return rewrite(text, mounts, facts.folder)

    words = [finish(expand(word, variables)) for word in container.command] or list(prefix)
    arguments = [finish(expand(word, variables)) for word in container.args]
    environment = {
        **_base(facts, container, prefix),
        **{name: finish(value) for name, value in variables.items()},
    }
    directory = finish(container.working_dir) if container.working_dir else str(facts.folder.root)
    return CommandLine((*words, *arguments), environment, directory)


def variables_of(facts: PodFacts, container: Container, contents: Contents) -> dict[str, str]:
    """The variables that the pod asks for, resolved and expanded, not rewritten. Later ones win. Raises ConfigError."""
    variables: dict[str, str] = {}
    for source in container.env_from:
        for selector, make in ((source.config_map_ref, config_map), (source.secret_ref, secret)):
            if selector is not None:
                content = _whole(contents, make(selector.name), selector.optional)
                variables |= {source.prefix + key: _text(value, key) for key, value in content.items()}
    for variable in container.env:
        value = _value(facts, variable, variables, contents)
        if value is not None:
            variables[variable.name] = value
    return variables


def field_value(facts: PodFacts, path: str) -> str:
    """A field of the pod by its downward API path. Raises ConfigError for one that is not served."""
    pod = facts.pod
    subscript = _SUBSCRIPT.match(path)
    if subscript is not None:
        fields = pod.metadata.labels if subscript.group(1) == "labels" else pod.metadata.annotations
        return fields.get(subscript.group(2), "")
    values = {
        "metadata.name": pod.metadata.name,
        "metadata.namespace": pod.metadata.namespace,
        "metadata.uid": pod.metadata.uid,
        "metadata.labels": _lines(pod.metadata.labels),
        "metadata.annotations": _lines(pod.metadata.annotations),
        "spec.nodeName": pod.spec.node_name,
        "spec.serviceAccountName": pod.spec.service_account_name,
        "status.podIP": facts.address,
        "status.podIPs": facts.address,
        "status.hostIP": facts.host_address,
        "status.hostIPs": facts.host_address,
    }
    if path not in values:
        raise ConfigError(f'field "{path}" is not served by the node agent')
    return values[path]


def _value(facts: PodFacts, variable: EnvVar, before: Mapping[str, str], contents: Contents) -> str | None:
    source = variable.value_from
    if source is None:
        return expand(variable.value, before)
    if source.field_ref is not None:
        return field_value(facts, source.field_ref.field_path)
    for selector, make in ((source.config_map_key_ref, config_map), (source.secret_key_ref, secret)):
        if selector is not None:
            found = pick(contents, make(selector.name), selector.key, selector.optional)
            return None if found is None else _text(found, variable.name)
    raise ConfigError(f"env {variable.name}: this kind of valueFrom is not served by the node agent")


def _whole(contents: Contents, reference: Reference, optional: bool) -> Mapping[str, bytes]:
    content = contents.get(reference)
    if content is None and not optional:
        raise ConfigError(f'{reference.kind.lower()} "{reference.name}" not found')
    return content or {}


def _text(value: bytes, name: str) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        raise ConfigError(f"env {name}: the value is not text") from None
    if "\0" in text:
        raise ConfigError(f"env {name}: the value holds a zero byte")
    return text


def _lines(fields: Mapping[str, str]) -> str:
    return "\n".join(f'{key}="{_quoted(value)}"' for key, value in sorted(fields.items()))


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _base(facts: PodFacts, container: Container, prefix: Sequence[str]) -> dict[str, str]:
    own = posixpath.dirname(prefix[0])
    base = {
        "PATH": f"{own}:{_PATH}" if own else _PATH,
        "HOME": str(facts.folder.home),
        "HOSTNAME": facts.pod.metadata.name,
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "TERMINATION_MESSAGE_PATH": str(facts.folder.termination(container.name)),
    }
    mounts = {posixpath.normpath(mount.mount_path) for mount in container.volume_mounts}
    return base | ({"KUBECONFIG": str(facts.folder.kubeconfig)} if SERVICE_ACCOUNT_PATH in mounts else {})
