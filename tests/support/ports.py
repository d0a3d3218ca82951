"""Ports for servers that must be told theirs, because they are started again or named in a file."""

import random
import socket

# One per port that this process has chosen: no other test gets it until this process ends.
_held = []


def _range():
    """Ports that the kernel gives to no connection, so that nobody gets one while its server is down."""
    try:
        with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="utf-8") as file:
            first, last = map(int, file.read().split())
    except OSError:
        first, last = 32768, 60999
    return (10_000, first) if first >= 12_000 else (last + 1, 65_536)


def _hold(port):
    """Whether this process may use the port: no other test has it, and nobody listens there."""
    # Such a name is in no folder, and is gone when the process ends.
    name = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        name.bind(f"\0sau-test-port-{port}")
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("0.0.0.0", port))
    except OSError:
        name.close()
        return False
    _held.append(name)
    return True


def free_ports(count, apart=()):
    """Ports that belong to this process until it ends. With `apart`, only ports from which the ports so
    far above are free too; these are not in the answer."""
    first, last = _range()
    found = []
    for _ in range(10_000):
        if len(found) == count:
            return found
        port = random.randrange(first, last - max(apart, default=0))
        if all(_hold(port + more) for more in (0, *apart)):
            found.append(port)
    raise AssertionError("there is no free port")


def free_port():
    return free_ports(1)[0]
