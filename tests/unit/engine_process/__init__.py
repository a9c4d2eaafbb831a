"""The engine around its decisions: queue, binder, conditions, leadership, reports, process."""
