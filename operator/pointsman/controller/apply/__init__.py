"""Writes: makes the cluster what a plan says, and tells drift from what is as it should be."""
