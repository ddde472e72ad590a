"""How do we use a fork server?  Start it, let it import modules and run the program, end it."""

from __future__ import annotations

import ast
import contextlib
import os
import select
import shlex
import signal
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from whence.subject.command import Ended, await_end, content
from whence.subject.forks.preimports import ImportReport
from whence.subject.forks.program import PythonCommand
from whence.subject.guardian import guard, release
from whence.subject.orphans import TREE, adopt, end_orphans, spare, unspare

_SERVER = Path(__file__).with_name("server.py")
_MAX_WAIT = 60.0  # limit in seconds on waiting for an answer of the server; guessed


class ServerLost(Exception):
    """The server has ended or does not answer; it cannot be used any more."""


class Server:
    """Runs one program in the current state of the tree.  `scratch` is for temporary files."""

    def __init__(
        self, program: PythonCommand, tree: Path, memory: int | None, scratch: Path
    ) -> None:
        scratch.mkdir(parents=True, exist_ok=True)
        self._scratch = scratch
        self.own_seconds = 0.0  # of the last program, from its first line to its end
        request_end, requests = os.pipe()
        answers, answer_end = os.pipe()
        limit = "" if memory is None else f"ulimit -v {memory // 1024} || exit 125; "
        words = (*program.interpreter, str(_SERVER), str(request_end), str(answer_end))
        # Use files, as for any test: the interpreter sets up its streams for the kind of file.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            self.process = subprocess.Popen(
                ["/bin/sh", "-c", f"{limit}exec {shlex.join(words)}"],
                cwd=tree,
                env=dict(program.env),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                pass_fds=(request_end, answer_end),
                start_new_session=True,
            )
        os.close(request_end)
        os.close(answer_end)
        adopt(os.getpid())
        spare(self.process.pid)
        self.tree = program.env.get(TREE)
        self._program = program
        self._answers, self._requests = answers, os.fdopen(requests, "wb")
        self._unread = b""
        self.close = weakref.finalize(self, _end, self.process, self._requests, answers)
        self._ask(_description(program, tree))

    def learn(
        self, timeout: float | None, stop: threading.Event | None, *,
        arguments: Sequence[str] | None = None, stdin: Path | None = None,
    ) -> ImportReport | None:  # fmt: skip
        """Run the program once and report its imports; None if it does not end regularly."""
        report = self._scratch / "report"
        report.unlink(missing_ok=True)
        self.run(timeout, stop, report=str(report), arguments=arguments, stdin=stdin)
        return ImportReport(**ast.literal_eval(report.read_text())) if report.exists() else None

    def preimport(self, names: Sequence[str], loads: Mapping[str, list[str]]) -> tuple[str, ...]:
        """Import modules; return (), or the module that cannot be imported early and the reason.

        After a failure the server cannot be used any more.
        """
        self._ask({"imports": list(names), "loads": {name: loads[name] for name in names}})
        answer = self.answer(_MAX_WAIT)
        if answer is None:
            raise ServerLost("the imports of the fork server do not end")
        return tuple(answer[1:])

    def run(
        self, timeout: float | None, stop: threading.Event | None, *, report: str = "",
        arguments: Sequence[str] | None = None, stdin: Path | None = None,
    ) -> Ended:  # fmt: skip
        """Run the program to its end, then kill the processes that it left running.

        `arguments` replace those of the program; `stdin` is a file, and empty without one.
        """
        started = time.monotonic()
        with (
            tempfile.NamedTemporaryFile(dir=self._scratch) as out,
            tempfile.NamedTemporaryFile(dir=self._scratch) as err,
        ):
            request: dict[str, object] = {"out": out.name, "err": err.name, "report": report}
            if arguments is not None:
                request |= _words(replace(self._program, arguments=tuple(arguments)))
            if stdin is not None:
                request["stdin"] = str(stdin)
            self._ask(request)
            running = _Running(self)
            try:
                timed_out, flooded = await_end(
                    running.has_ended, out.file, err.file, timeout=timeout, stop=stop
                )
            finally:
                status = running.end()
            self.own_seconds = running.ended - running.started
            return Ended(
                128 - status if status < 0 else status,
                content(out.file),
                content(err.file),
                time.monotonic() - started,
                timed_out,
                flooded,
            )

    def _ask(self, request: Mapping[str, object]) -> None:
        try:
            self._requests.write(ascii(request).encode() + b"\n")
            self._requests.flush()
        except OSError as error:
            raise ServerLost(str(error)) from None

    def answer(self, seconds: float) -> Any:
        """Return the next answer of the server; None if there is none within `seconds`."""
        while b"\n" not in self._unread:
            if not _can_read(self._answers, seconds):
                return None
            more = os.read(self._answers, 2**16)
            if not more:
                raise ServerLost("the fork server has ended")
            self._unread += more
        line, _, self._unread = self._unread.partition(b"\n")
        return ast.literal_eval(line.decode())


class _Running:
    """A program that the server is running."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._process: int | None = None
        self._status: int | None = None
        self.started = self.ended = time.monotonic()

    def has_ended(self, seconds: float) -> bool:
        while self._status is None and self._receive(seconds):
            pass
        return self._status is not None

    def end(self) -> int:
        """End the program with all its processes, if it has not ended yet; return its status."""
        try:
            while self._process is None and self._status is None:  # it may be forking just now
                self._must(self._receive(_MAX_WAIT))
        finally:
            if self._process is not None:
                _kill(self._process)
                end_orphans(self._server.tree, self._process)
                release(self._process)
        self._must(self.has_ended(_MAX_WAIT))
        assert self._status is not None
        return self._status

    def _receive(self, seconds: float) -> bool:
        """Process one answer of the server; False if there is none yet."""
        answer = self._server.answer(seconds)
        if answer is None:
            return False
        if answer[0] == "started":
            _, self._process, self.started = answer
            guard(answer[1], self._server.tree)
        else:
            _, self._status, self.ended = answer
        return True

    def _must(self, received: bool) -> None:
        if not received:
            raise ServerLost("the fork server does not answer")


def _can_read(source: int, seconds: float) -> bool:
    """Is there something to read within this time?  Unlike `select`, for any number of files."""
    poll = select.poll()
    poll.register(source, select.POLLIN)
    return bool(poll.poll(1000 * seconds))


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes], requests: IO[bytes], answers: int) -> None:
    _kill(process.pid)
    process.wait()
    unspare(process.pid)
    os.close(answers)
    with contextlib.suppress(OSError):  # closing flushes an unsent request, which fails now
        requests.close()


def _description(program: PythonCommand, tree: Path) -> dict[str, object]:
    """Return the description of a program that a server needs."""
    where = {
        "script": os.path.dirname(os.path.realpath(tree / program.target)),
        "module": str(tree),
        "text": "",
    }
    return {
        "tree": str(tree),
        "kind": program.kind,
        "target": program.target,
        "path": where[program.kind],
        **_words(program),
    }


def _words(program: PythonCommand) -> dict[str, object]:
    """Return the words of a command as its interpreter gives them to the program."""
    first = {"script": program.target, "module": "-m", "text": "-c"}
    return {
        "argv": [first[program.kind], *program.arguments],
        "orig_argv": [*program.interpreter[1:], *program.after_interpreter],
    }
