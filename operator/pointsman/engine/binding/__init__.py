"""What follows a decision: the assumed pod, its binding, and what became of it."""
