"""Builders, clocks and checks for tests; shipped, so that users test their own rules with them."""
