"""A program that a fork server runs, to compare its forks with fresh processes."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from pathlib import Path

from whence.subject.command import Ended, run_command
from whence.subject.forks.client import Server
from whence.subject.forks.preimports import Touched, preimportable
from whence.subject.forks.program import read_program

PYTHON = shlex.quote(sys.executable)
TEST = f"{PYTHON} test.py"

HELPER = """
import collections.abc, dataclasses, enum, json, pickle, re, subprocess, threading
import xml.dom.minidom, logging.handlers, unittest.mock
count = 0
@dataclasses.dataclass
class Point:
    x: int
def up():
    global count
    count += 1
    return count
"""


class ServedProgram:
    """A server for `python test.py`, which has imported all modules that the helper imports."""

    def __init__(self, folder: Path, command: str, memory: int | None = None) -> None:
        self.tree = folder / "tree"
        self.tree.mkdir()
        (self.tree / "helper.py").write_text(HELPER)
        self.write("import helper")
        self.command, self.memory = command, memory
        self.env = os.environ | {"WHENCE_TREE": str(self.tree)}
        program = read_program(command, self.tree, self.env)
        assert program is not None
        self.server = Server(program, self.tree, memory, folder / "scratch")
        report = self.server.learn(None, None)
        assert report is not None
        imports = preimportable(report, Touched(self.tree, frozenset(), frozenset()))
        assert {"helper", "xml.dom.minidom", "unittest.mock"} <= set(imports)
        assert self.server.preimport(imports, report.loads) == ()

    def write(self, text: str) -> None:
        (self.tree / "test.py").write_text(text, encoding="latin-1")

    def both(self, timeout: float | None = None) -> tuple[Ended, Ended]:
        forked = self.server.run(timeout, None)
        self.clear_up()
        fresh = run_command(
            self.command,
            cwd=self.tree,
            env=self.env,
            timeout=timeout,
            memory=self.memory,
        )
        self.clear_up()
        return forked, fresh

    def clear_up(self) -> None:
        for name in ("left", "other.py"):
            (self.tree / name).unlink(missing_ok=True)
        shutil.rmtree(self.tree / "__pycache__", ignore_errors=True)


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until_gone(process: int) -> None:
    deadline = time.monotonic() + 5
    while is_alive(process):
        assert time.monotonic() < deadline
        time.sleep(0.01)
