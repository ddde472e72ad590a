"""How do the compiler calls of a recorded build share a process that has loaded the instrumenter?

To load it takes longer than to compile a small source.  While a build is recorded, a server loads
it once, and forks a child for each call.  The child has the arguments, the environment, the folder
and the standard streams of the call.  A call that finds no server, or whose child dies, compiles
itself.
"""

from __future__ import annotations

import gc
import importlib
import os
import selectors
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from whence.frontend.c.compile_request import SERVER, received
from whence.frontend.c.driver import main

_BACKLOG = 128  # calls that may wait until the server has loaded; guessed
_MAX_END_SECONDS = 10.0  # limit on waiting for the end of a server; guessed

Compile = Callable[[bool, Sequence[str], Mapping[str, str]], int]


@contextmanager
def compile_server(folder: str) -> Iterator[dict[str, str]]:
    """Run a server in `folder`; yield the variables with which a build finds it."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    address = os.path.join(folder, "server")
    try:
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError:  # a path that is too long for a socket
        listener.close()
        yield {}
        return
    command = [sys.executable, "-m", "whence.frontend.c.compile_server", str(listener.fileno())]
    # Standard input ends when this process does, however it ends.
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, pass_fds=[listener.fileno()], start_new_session=True
    )
    listener.close()
    try:
        yield {SERVER: address}
    finally:
        assert server.stdin is not None
        server.stdin.close()
        try:
            server.wait(_MAX_END_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


class _Server:
    """Forks a child for each connection, and answers with the exit status of the child."""

    def __init__(self, listener: int, compile_: Compile) -> None:
        self._listener = socket.socket(fileno=listener)
        self._compile = compile_
        self._calls: dict[int, socket.socket] = {}  # by the process id of the child
        self._ended, ended = os.pipe()
        for end in (self._ended, ended):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # else no byte is written to the pipe
        signal.set_wakeup_fd(ended)
        self._selector = selectors.DefaultSelector()
        for readable in (0, self._ended, self._listener.fileno()):
            self._selector.register(readable, selectors.EVENT_READ)

    def serve(self) -> None:
        """Serve until standard input ends."""
        while True:
            ready = {key.fd for key, _ in self._selector.select()}
            if self._ended in ready:
                os.read(self._ended, 1024)
                self._answer()
            if 0 in ready:
                return
            if self._listener.fileno() in ready:
                self._accept()

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        child = os.fork()
        if child == 0:
            _compile_in_child(connection, self._compile)
        self._calls[child] = connection

    def _answer(self) -> None:
        """Send the exit status of each child that has ended; of a killed child, nothing."""
        for child in list(self._calls):
            pid, status = os.waitpid(child, os.WNOHANG)
            if pid == 0:
                continue
            connection = self._calls.pop(child)
            if os.WIFEXITED(status):
                with suppress(OSError):  # the call was killed
                    connection.sendall(bytes([os.WEXITSTATUS(status)]))
            connection.close()


def _compile_in_child(connection: socket.socket, compile_: Compile) -> None:
    """Take the place of the call at the other end of the connection; do not return."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        plus, arguments, env, folder, umask = received(connection)
        os.chdir(folder)
        os.umask(umask)
        os.environ.clear()
        os.environ.update(env)
        status = compile_(plus, arguments, os.environ)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status & 0xFF)


def _serve(listener: int) -> None:
    """Load what the calls need, then serve."""
    for name in ("compiling", "emit", "instrument", "runtime"):  # `main` imports them late
        importlib.import_module(f"whence.frontend.c.{name}")
    gc.freeze()  # a child would copy each page whose objects the collector visits
    _Server(listener, main).serve()
    os.killpg(0, signal.SIGKILL)  # this process, and the calls that have not ended


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
