"""Which pod is tried next: the scheduling queue of one policy and what moves pods in it."""
