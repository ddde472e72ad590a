"""How does a call of the compiler let the server of its build compile?

This module imports only what is cheap, because whence-cc imports it.
"""

from __future__ import annotations

import _socket  # `socket` takes longer to load than all of whence-cc
import marshal
import os
import struct
from collections.abc import Mapping, Sequence

SERVER = "WHENCE_COMPILE_SERVER"  # the socket of the server, in the environment of a build
STREAMS = struct.Struct("3i")  # standard input, output and error, as file descriptors


def ask_server(plus: bool, arguments: Sequence[str], env: Mapping[str, str]) -> int | None:
    """Let the server of this build compile; return the exit status, or None if it cannot."""
    address = env.get(SERVER)
    if not address:
        return None
    others = {name: value for name, value in env.items() if name != SERVER}
    umask = os.umask(0o077)
    os.umask(umask)
    try:
        call = marshal.dumps((plus, list(arguments), others, os.getcwd(), umask))
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.connect(address)
        rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, STREAMS.pack(0, 1, 2))
        sent = connection.sendmsg([call], [rights])
        connection.sendall(call[sent:])
        connection.shutdown(_socket.SHUT_WR)
        status = connection.recv(1)
    except OSError:
        return None  # no server any more, or a closed standard stream
    return status[0] if status else None


def received(connection: _socket.socket) -> tuple[bool, list[str], dict[str, str], str, int]:
    """Read a request, and make its standard streams those of this process.

    Return whether it is C++, the arguments, the environment, the folder and the umask.
    """
    first, rights, *_ = connection.recvmsg(1 << 16, _socket.CMSG_SPACE(STREAMS.size))
    for stream, given in enumerate(STREAMS.unpack(rights[0][2])):
        os.dup2(given, stream)
        os.close(given)
    parts = [first]
    while part := connection.recv(1 << 16):
        parts.append(part)
    connection.close()
    request: tuple[bool, list[str], dict[str, str], str, int] = marshal.loads(b"".join(parts))
    return request
