"""Reasons not to roll a profile out, one check per file, evaluated in the order of `registry.CHECKS`."""
