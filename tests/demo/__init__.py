"""Tests of the demo as a whole: a process that starts a small cluster, and leaves nothing behind."""
