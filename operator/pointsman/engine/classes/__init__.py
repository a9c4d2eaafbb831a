"""Equal pods share work: what is known of a class of pods, and decisions that start from it."""
