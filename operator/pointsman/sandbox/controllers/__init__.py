"""What makes a cluster's objects come alive. Each controller is a client like any other: it only talks HTTP."""
