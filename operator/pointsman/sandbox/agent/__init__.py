"""The node agent: registers hollow nodes and runs the pods bound to them, mapped images as real processes."""
