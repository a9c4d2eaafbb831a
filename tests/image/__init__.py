"""The container image: what its recipe says, what the wheel in it carries, and that its processes end when asked."""
