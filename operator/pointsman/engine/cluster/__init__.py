"""The cluster as columns: nodes are rows of NumPy arrays, pods add to the row they run on."""
