"""A real terminal in which a program runs."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
import time
from contextlib import suppress
from pathlib import Path

import whence

ROOTS = (Path(whence.__file__).parents[1], Path(__file__).parents[2])


class Terminal:
    """Runs some Python in a terminal of 100 columns and 30 rows."""

    def __init__(self, script: str, **environment: str) -> None:
        self._ours, self._theirs = pty.openpty()
        fcntl.ioctl(self._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.settings = termios.tcgetattr(self._theirs)
        paths = os.pathsep.join(map(str, ROOTS))
        self.process = subprocess.Popen(
            [sys.executable, "-c", script],
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            env={"PATH": os.environ["PATH"], "TERM": "xterm-256color", "PYTHONPATH": paths}
            | environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # then Ctrl-C is a signal
        )
        self._printed = b""
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._theirs)

    def _read(self) -> None:
        with suppress(OSError):  # the other end is closed
            while True:
                self._printed += os.read(self._ours, 65536)
        os.close(self._ours)

    @property
    def printed(self) -> str:
        return self._printed.decode("utf-8", "replace")

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + 90
        while text not in self.printed:
            assert time.monotonic() < deadline, (text, self.printed)
            time.sleep(0.01)

    def check_left_as_found(self) -> None:
        """Check that the program ends normally, and that the terminal is as before."""
        self.wait_for("bye")
        assert self.process.wait(90) == 0, self.printed
        assert termios.tcgetattr(self._theirs) == self.settings
        assert self.printed.rindex("\x1b[?1049l") > self.printed.rindex("\x1b[?1049h")
        assert "Traceback" not in self.printed
