"""What a test holds of Helm: a program of one major version and folders of its own."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

HELM_SECONDS = 120
KUBERNETES = "1.36.3"  # assumed where no cluster is asked


class HelmError(AssertionError):
    """Helm ended with an error; the message has its arguments and what it said."""


@dataclass(frozen=True, slots=True)
class Helm:
    """Helm of one major version. Everything that it keeps goes into `folder`; nothing of the user's is read."""

    major: int
    program: Path
    folder: Path

    def __call__(
        self, *args: str, kubeconfig: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run Helm, with a cluster where `kubeconfig` names one. Raises HelmError if `check` is set."""
        done = subprocess.run(
            [str(self.program), *args],
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(self.folder),
                "KUBECONFIG": str(kubeconfig or self.folder / "no.kubeconfig"),
            },
            capture_output=True,
            text=True,
            timeout=HELM_SECONDS,
            check=False,
        )
        if check and done.returncode != 0:
            said = f"{done.stdout}{done.stderr}"
            raise HelmError(f"helm {self.major}: {' '.join(args)}: exit code {done.returncode}\n{said}")
        return done

    def template(self, chart: Path, *args: str, namespace: str = "pointsman-system") -> str:
        """The text that a release named `pointsman` would apply."""
        release = ("template", "pointsman", str(chart), "--namespace", namespace, "--kube-version", KUBERNETES)
        return self(*release, *args).stdout

    def objects(self, chart: Path, *args: str, namespace: str = "pointsman-system") -> list[dict[str, Any]]:
        """The objects that a release named `pointsman` would apply."""
        return [one for one in yaml.safe_load_all(self.template(chart, *args, namespace=namespace)) if one]
