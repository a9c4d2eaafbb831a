"""Measurements: figures and ratios of one run, printed; never asserted in a test."""
