"""An engine as a process: policy files, leadership, pages, start and end."""
