"""Read the failure from an output, or from the run of a command."""

from __future__ import annotations

import subprocess
from pathlib import Path

from whence.model import Failure
from whence.subject.failure import read_failure

TRACEBACK = """\
Traceback (most recent call last):
  File "/elsewhere/test.py", line 2, in <module>
    a = core.get("2019", tz="UTC")
        ^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "{tree}/pkg/core.py", line {line}, in get
    return make(*args)
           ^^^^^^^^^^^
TypeError: make() of <Maker object at {address}> takes 3 arguments in {tree}/pkg
"""


def read(tree: Path, stderr: str = "", *, stdout: str = "", status: int = 1) -> Failure:
    return read_failure(stdout=stdout, stderr=stderr, status=status, tree=tree)


def run(tree: Path, *command: str) -> Failure:
    """Run a command in the tree; return its failure."""
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    return read(tree, done.stderr, stdout=done.stdout, status=done.returncode)
