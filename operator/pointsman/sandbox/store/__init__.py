"""The sandbox's memory: objects, their versions and who watches them. No HTTP; the server on top speaks it."""
