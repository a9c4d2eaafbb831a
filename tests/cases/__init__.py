"""Situations that people reported about schedulers, with what a scheduler has to make of them."""
