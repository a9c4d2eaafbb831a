"""The node agent's parts, one by one."""
