"""How is a Python program run again without starting its interpreter and its imports anew?

A fork server starts once with the modules from outside of the tree, and forks for each run: the
program gets the arguments and the standard input of the run.  Forks are used only after one run
ended in a fork as in a fresh process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from whence.subject.command import Ended
from whence.subject.forks.client import Server, ServerLost
from whence.subject.forks.preimports import ImportReport, Touched, preimportable
from whence.subject.forks.program import PythonCommand

_log = logging.getLogger(__name__)
_PAYS_AFTER = 3  # fresh runs after which a server is started: it costs about as many; estimated
_MAX_ATTEMPTS = 10  # limit on server starts while modules that cannot be imported early are dropped


@dataclass(frozen=True)
class PlainRun:
    """One run of a program, before it starts."""

    program: PythonCommand
    stdin: Path
    timeout: float | None
    prepare: Callable[[], None]  # puts the files of the run into the tree


class ForkedReruns:
    """Runs one program in forks; it holds the server, and whether the program can be forked."""

    def __init__(self, tree: Path, memory: int | None, scratch: Path) -> None:
        self._tree, self._memory, self._scratch = tree, memory, scratch
        self._server: Server | None = None
        self._program: PythonCommand | None = None  # whose server it is; its arguments do not count
        self._fresh = 0  # runs of the program in fresh processes
        self._is_refused = False
        self.forked = 0  # runs that were forks

    def run(self, run: PlainRun) -> Ended | None:
        """Run the program in a fork; None if there is no server for it."""
        if self._server is None or not self._is_same(run.program):
            return None
        run.prepare()
        try:
            ended = self._forked(self._server, run)
        except ServerLost as error:
            self._refuse(str(error))
            return None
        self.forked += 1
        return ended

    def ran_fresh(self, run: PlainRun, ended: Ended) -> None:
        """Note how a fresh process ended; start a server if that pays."""
        if self._is_refused or ended.timed_out or self._server is not None:
            return
        self._fresh = self._fresh + 1 if self._is_same(run.program) else 1
        self._program = run.program
        if self._fresh < _PAYS_AFTER:
            return
        try:
            self._start(run, ended)
        except ServerLost as error:
            self._refuse(str(error))

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self._server = None

    def _is_same(self, program: PythonCommand) -> bool:
        known = self._program
        return known is not None and known.but_arguments == program.but_arguments

    def _refuse(self, why: str) -> None:
        self.close()
        self._is_refused = True
        _log.debug("plain runs are not forked: %s", why)

    def _forked(self, server: Server, run: PlainRun) -> Ended:
        return server.run(run.timeout, None, arguments=run.program.arguments, stdin=run.stdin)

    def _start(self, run: PlainRun, fresh: Ended) -> None:
        """Start a server, and use it if a fork ends as the fresh process did."""
        report = self._imports(run)
        if report is None:
            self._refuse("the program does not end its interpreter regularly")
            return
        server = server_with_imports(lambda: self._new_server(run), report, self._tree)
        if server is not None:
            run.prepare()
            ended = self._forked(server, run)
            if end_of(ended) == end_of(fresh):
                self._server = server
                return
            server.close()
        self._refuse("it ends differently in a fork")

    def _imports(self, run: PlainRun) -> ImportReport | None:
        server = self._new_server(run)
        try:
            run.prepare()
            return server.learn(run.timeout, None, arguments=run.program.arguments, stdin=run.stdin)
        finally:
            server.close()

    def _new_server(self, run: PlainRun) -> Server:
        return Server(run.program, self._tree, self._memory, self._scratch)


def server_with_imports(
    start: Callable[[], Server], report: ImportReport, tree: Path
) -> Server | None:
    """Return a server that has imported what can be imported early; None if there is none.

    A module of the program itself may read an argument when it is imported, so it is not.
    """
    inside = f"{tree}/"
    unfit = [name for name, (_, file) in report.found.items() if file.startswith(inside)]
    touched = Touched(tree, frozenset(), frozenset())
    for _ in range(_MAX_ATTEMPTS):
        server = start()
        failed = server.preimport(preimportable(report, touched, unfit), report.loads)
        if not failed:
            return server
        server.close()
        unfit.append(failed[0])
    return None


def end_of(ended: Ended) -> tuple[object, ...]:
    """Return what must be the same if a program ends in a fork as in a fresh process."""
    return ended.status, ended.stdout, ended.stderr, ended.timed_out
