"""Plugins and settings that every test may use."""

from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.controlplane.plugin", "tests.helm.plugin"]

# Nothing here is a test of speed: a busy machine must not fail one.
settings.register_profile("pointsman", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pointsman")
