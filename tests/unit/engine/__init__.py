"""The core of the engine: columns, the cycle over them, nominations."""
