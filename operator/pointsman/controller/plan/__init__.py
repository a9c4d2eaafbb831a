"""Decides, pure: from what is there to what should be, and what the status says."""
