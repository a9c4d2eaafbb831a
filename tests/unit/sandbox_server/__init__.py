"""The sandbox's server and controllers, without sockets and with a clock that is moved by hand."""
