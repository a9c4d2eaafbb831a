"""One scheduling decision, pure: prepare, filter, score, select, and the words for a pod that fits nowhere."""
