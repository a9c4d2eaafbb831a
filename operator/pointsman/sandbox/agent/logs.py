"""Reads what containers have written, also of pods that are gone: the logs outlive them."""

from pathlib import Path


def read_log(work_dir: Path, namespace: str, name: str, container: str = "", *, previous: bool = False) -> str:
    """The output of a container's newest run, or of the run before it.

    Without a container's name the pod's first by the alphabet is meant; of several pods of that name, the one that
    wrote last. Raises LookupError when there is no such log.
    """
    runs = [
        path
        for path in (work_dir / "logs").glob(f"{namespace}_{name}_*/{container or '*'}/*.log")
        if path.stem.isdecimal()
    ]
    if not runs:
        raise LookupError(f"no log of pod {namespace}/{name}{f' container {container}' if container else ''}")
    pod = max(runs, key=lambda path: path.stat().st_mtime).parents[1]
    folder = min(path.parent for path in runs if path.parents[1] == pod)
    numbers = sorted(int(path.stem) for path in runs if path.parent == folder)
    if previous and len(numbers) < 2:
        raise LookupError(f"pod {namespace}/{name} container {folder.name} has run once only")
    return (folder / f"{numbers[-2 if previous else -1]}.log").read_text(errors="replace")
