"""Tests of the demo's parts that need no cluster."""
