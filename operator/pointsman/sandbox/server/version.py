"""The version of Kubernetes whose behaviour the sandbox follows."""

from typing import Final

VERSION: Final = {
    "major": "1",
    "minor": "36",
    "gitVersion": "v1.36.3",
    "gitCommit": "pointsman-sandbox",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "none",
    "compiler": "none",
    "platform": "sandbox",
}
