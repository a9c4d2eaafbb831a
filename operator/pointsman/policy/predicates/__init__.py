"""Rules that say whether a pod may run on a node, one per file (kube-scheduler: filter plugins)."""
