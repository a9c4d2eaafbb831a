"""What a pod's owner sees: events and the PodScheduled condition."""
