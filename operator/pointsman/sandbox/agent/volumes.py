"""A pod's volumes as files: what belongs into each, and keeping the folder so.

Served are configMap, secret, projected, downwardAPI and emptyDir. A file is replaced in one step, so a reader sees
its old or its new content and never half of it; a volume's files are not exchanged all at once, as the kubelet does
it. Modes and sizes are not honoured: all files are the agent's user's own, and only that user's.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pointsman.sandbox.agent.environment import PodFacts, field_value
from pointsman.sandbox.agent.paths import PodFolder
from pointsman.sandbox.agent.podspec import (
    ConfigMapFiles,
    Container,
    DownwardFiles,
    KeyPath,
    ProjectedSource,
    SecretFiles,
    TokenFile,
    Volume,
)
from pointsman.sandbox.agent.sources import ConfigError, Contents, Reference, config_map, pick, secret

Files = dict[str, bytes]  # relative path in the volume -> content
Tokens = Mapping[TokenFile, bytes]


def token_files(volumes: Iterable[Volume]) -> Iterator[TokenFile]:
    """The tokens that the volumes hold."""
    for volume in volumes:
        for source in volume.projected.sources if volume.projected is not None else ():
            if source.service_account_token is not None:
                yield source.service_account_token


def files_of(volume: Volume, facts: PodFacts, contents: Contents, tokens: Tokens) -> Files:
    """What a volume that is no emptyDir must hold. Raises ConfigError for what is missing or not served."""
    if volume.projected is not None:
        files: Files = {}
        for source in volume.projected.sources:
            files |= _projected(volume, source, facts, contents, tokens)
        return files
    if volume.config_map is not None:
        return _config_map(volume.config_map, contents)
    if volume.secret is not None:
        return _secret(volume.secret, volume.secret.secret_name, contents)
    if volume.downward_api is not None:
        return _downward(volume.downward_api, facts)
    raise _not_served(volume)


def write_files(directory: Path, files: Files) -> None:
    """Makes the folder hold these files and no others; a link in it, another volume's mount, is let be."""
    directory.mkdir(parents=True, exist_ok=True)
    wanted = {_inside(directory, path): content for path, content in files.items()}
    for present in [path for path in directory.rglob("*") if path.is_file() and not path.is_symlink()]:
        if present not in wanted:
            present.unlink()
    for path, content in wanted.items():
        write_file(path, content)


def write_file(target: Path, content: bytes) -> None:
    """Replaces a file in one step, unless it has that content already."""
    if target.is_file() and target.read_bytes() == content:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    fresh.replace(target)


def mount(folder: PodFolder, containers: Iterable[Container]) -> None:
    """Makes the volumes appear under their mount paths. Raises ConfigError when two claim one path.

    The outer of two nested mounts comes first, so that the inner one is made inside it.
    """
    targets: dict[Path, Path] = {}
    for container in containers:
        for wanted in container.volume_mounts:
            place = folder.mount(wanted.mount_path)
            target = _inside(folder.volume(wanted.name), wanted.sub_path)
            if targets.setdefault(place, target) != target:
                raise ConfigError(
                    f"two volumes are mounted at {wanted.mount_path}: the pod's containers share a folder"
                )
    for place, target in sorted(targets.items()):
        place.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            target.mkdir(parents=True)
        if not place.is_symlink():
            place.symlink_to(target)


def _projected(volume: Volume, source: ProjectedSource, facts: PodFacts, contents: Contents, tokens: Tokens) -> Files:
    if source.config_map is not None:
        return _config_map(source.config_map, contents)
    if source.secret is not None:
        return _secret(source.secret, source.secret.name, contents)
    if source.downward_api is not None:
        return _downward(source.downward_api, facts)
    if source.service_account_token is not None:
        return {source.service_account_token.path: tokens[source.service_account_token]}
    raise _not_served(volume)


def _config_map(files: ConfigMapFiles, contents: Contents) -> Files:
    return _keys(config_map(files.name), files.items, files.optional, contents)


def _secret(files: SecretFiles, name: str, contents: Contents) -> Files:
    return _keys(secret(name), files.items, files.optional, contents)


def _keys(reference: Reference, items: Iterable[KeyPath], optional: bool, contents: Contents) -> Files:
    content = contents.get(reference)
    if content is None and not optional:
        raise ConfigError(f'{reference.kind.lower()} "{reference.name}" not found')
    chosen = list(items)
    if not chosen:
        return dict(content or {})
    picked = {item.path: pick(contents, reference, item.key, optional) for item in chosen}
    return {path: value for path, value in picked.items() if value is not None}


def _downward(files: DownwardFiles, facts: PodFacts) -> Files:
    result: Files = {}
    for item in files.items:
        if item.field_ref is None:
            raise ConfigError(f"downwardAPI file {item.path}: only fieldRef is served by the node agent")
        result[item.path] = field_value(facts, item.field_ref.field_path).encode()
    return result


def _inside(directory: Path, path: str) -> Path:
    if path.startswith("/") or ".." in path.split("/"):
        raise ConfigError(f'"{path}" leads out of its volume')
    return directory / path


def _not_served(volume: Volume) -> ConfigError:
    served = "configMap, secret, projected, downwardAPI, emptyDir"
    return ConfigError(f"volume {volume.name}: only {served} are served by the node agent")
