"""What is one attempt of an attack, and how is it carried out where it can do no harm?"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from whence.errors import UserError

# The ways in which an attempt can succeed, which are the columns of the table.
KINDS = ("traceback", "crash", "hang", "outside", "left", "wrong")
_POLL_SECONDS = 0.005


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt: `failed` names what whence did wrong, None if it did nothing wrong."""

    name: str
    failed: str | None = None
    detail: str = ""


Attack = Callable[[Path, int], Iterator[Attempt]]  # (work folder, how many attempts) -> attempts


@dataclass(frozen=True, slots=True)
class Answer:
    """What code that ran in a child returned: a value, or the message of a UserError."""

    value: Any = None
    message: str | None = None
    slug: str | None = None
    trace: str | None = None  # the traceback of any other exception
    signal: int = 0  # the signal that ended the child
    hung: bool = False

    @property
    def failed(self) -> str | None:
        """How the child failed, by one of KINDS; None if it answered or said why not."""
        if self.hung:
            return "hang"
        if self.signal:
            return "crash"
        return "traceback" if self.trace else None

    @property
    def detail(self) -> str:
        last = (self.trace or "").strip().splitlines()
        where = [line.strip() for line in last if line.strip().startswith("File")]
        return f"signal {self.signal}" if self.signal else " ".join([*last[-1:], *where[-1:]])


def in_child(work: Callable[[], Any], seconds: float = 60) -> Answer:
    """Return what `work` returns in a forked process: a crash then ends only that process."""
    read, write = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(read)
        _answer(work, write)
    os.close(write)
    deadline = time.monotonic() + seconds
    os.set_blocking(read, False)
    data, ended = b"", None
    while ended is None:
        data += _available(read)
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            ended = status
        elif time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(read)
            return Answer(hung=True)
        else:
            time.sleep(_POLL_SECONDS)
    data += _available(read)
    os.close(read)
    if os.WIFSIGNALED(ended):
        return Answer(signal=os.WTERMSIG(ended))
    try:
        answer: Answer = pickle.loads(data)  # our own child wrote it
    except (EOFError, pickle.UnpicklingError):
        return Answer(trace=f"the child ended with status {os.WEXITSTATUS(ended)}")
    return answer


def _answer(work: Callable[[], Any], write: int) -> NoReturn:
    """Run `work` and write its answer; this process ends."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    try:
        answer = Answer(work())
    except UserError as error:
        answer = Answer(message=str(error), slug=error.slug)
    except BaseException:
        answer = Answer(trace=traceback.format_exc())
    with os.fdopen(write, "wb") as out:
        out.write(pickle.dumps(answer))
    os._exit(0)


def _available(pipe: int) -> bytes:
    found = b""
    try:
        while part := os.read(pipe, 1 << 16):
            found += part
    except BlockingIOError:
        pass
    return found
