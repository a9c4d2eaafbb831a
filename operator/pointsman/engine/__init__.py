"""The scheduler: one process that runs one or more policies over one shared view of the cluster."""
