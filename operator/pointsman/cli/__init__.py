"""The command line: `pointsman operator|engine|validate|load|node-agent`."""
