"""Rules that score feasible nodes, one per file (kube-scheduler: score plugins)."""
