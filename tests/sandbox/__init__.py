"""The sandbox beside a real control plane: what differs is a fault of the sandbox, or stands in its documentation."""
