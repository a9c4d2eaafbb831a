"""The plain manifests of `deploy/manifests`: that they apply, and that the rights in them are the wanted ones."""
