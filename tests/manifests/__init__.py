"""The plain manifests of `deploy/kustomize/base`: that they apply, and that their rights are the wanted ones."""
