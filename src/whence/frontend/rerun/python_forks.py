"""How is a Python test run again with values altered, without starting its interpreter anew?

A fork server starts with the recorder and with the modules from outside of the tree, and forks for
each rerun.  Forks are used only if one without alterations is judged as a fresh process is, and its
log has the same events.
"""

from __future__ import annotations

import logging
import marshal
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from whence.frontend.python.forked_reruns import server_with_imports
from whence.frontend.python.record import hooked, set_forked
from whence.frontend.recorded_run import MODULES
from whence.frontend.test_execution import fixed_addresses
from whence.subject.command import Ended
from whence.subject.forks.client import Server, ServerLost
from whence.subject.forks.preimports import ImportReport
from whence.subject.forks.program import PythonCommand, read_program
from whence.subject.layouts import run_variables
from whence.subject.trial import BuildAndTest, judge

_log = logging.getLogger(__name__)
_MAX_SMALL = 2**40  # a larger number in a log may be the address of an object; guessed
REACHED = "alterations.reached"  # beside the file of alterations: what happened of them


class ForkedAlterations:
    """Runs one test with values altered, in forks; it holds the server.

    `folder` is new.  `restore` brings the tree back to what its build left.
    """

    def __init__(
        self, tree: Path, commands: BuildAndTest, variables: dict[str, str], folder: Path,
        restore: Callable[[], None],
    ) -> None:  # fmt: skip
        self._tree, self._commands, self._restore = tree, commands, restore
        self._variables = variables | run_variables(commands.layout)
        self.folder = folder
        self._server: Server | None = None

    @property
    def is_ready(self) -> bool:
        """Can reruns be forks?"""
        return self._server is not None

    def start(self, fresh: Ended, events: Sequence[object]) -> None:
        """Start the server; `fresh` and `events` are of a run without alterations."""
        try:
            self._server = self._usable(fresh, events)
        except ServerLost as error:
            _log.debug("altered runs are not forked: %s", error)

    def run(self, rows: bytes, seconds: float | None) -> Ended | None:
        """Run the test in a fork with alterations; None if the server is lost."""
        assert self._server is not None
        try:
            return self._forked(self._server, rows, seconds)
        except ServerLost as error:
            _log.debug("altered runs are no longer forked: %s", error)
            self.close()
            return None

    def close(self) -> None:
        """End the server; reruns are fresh processes from now on."""
        if self._server is not None:
            self._server.close()
        self._server = None

    def _usable(self, fresh: Ended, events: Sequence[object]) -> Server | None:
        command = self._commands.test.replace("{tree}", shlex.quote(str(self._tree)))
        plain = read_program(command, self._tree, self._variables)
        if plain is None or plain.kind == "text" or fresh.timed_out:
            return None
        self.folder.mkdir()
        out, file = self.folder / "trace", self.folder / "alterations"
        hook = hooked(self.folder, self._tree, out, self._variables, alterations=file)
        set_forked(hook, True)
        recorded = read_program(
            hook.command(command), self._tree, hook.environment(self._variables)
        )
        report = self._imports(plain)
        if report is None or recorded is None:
            return None
        with fixed_addresses():
            server = server_with_imports(lambda: self._new_server(recorded), report, self._tree)
        if server is None:
            return None
        # The server has read its settings.  Processes that the test starts are no fork servers.
        set_forked(hook, False)
        ended = self._forked(server, marshal.dumps(("", 0, [])), None)
        # The output of pytest has the seconds that the test took, so it is judged.
        is_alike = self._judged(ended) == self._judged(fresh)
        if is_alike and comparable_events(out) == events:
            return server
        server.close()
        _log.debug("altered runs are not forked: the test runs differently in a fork")
        return None

    def _judged(self, ended: Ended) -> tuple[object, ...]:
        run = judge(ended, self._commands, self._tree)
        return ended.status, ended.timed_out, run.outcome, run.failure

    def _forked(self, server: Server, rows: bytes, seconds: float | None) -> Ended:
        self._restore()
        out = self.folder / "trace"
        shutil.rmtree(out, ignore_errors=True)
        (out / MODULES).mkdir(parents=True)
        for file in self.folder.glob(f"{REACHED}*"):
            file.unlink()
        (self.folder / "alterations").write_bytes(rows)
        limit = seconds or self._commands.timeout or self._commands.asked_timeout
        return server.run(limit, None)

    def _imports(self, program: PythonCommand) -> ImportReport | None:
        """Return which modules the test imports, if it ends its interpreter regularly."""
        server = self._new_server(program)
        try:
            self._restore()
            return server.learn(self._commands.timeout or self._commands.asked_timeout, None)
        finally:
            server.close()

    def _new_server(self, program: PythonCommand) -> Server:
        return Server(program, self._tree, self._commands.memory, self.folder / "streams")


def comparable_events(trace: Path) -> list[Any]:
    """Return the events of a recorded run, but for addresses: a fork has others."""
    return [_events(file) for file in sorted(trace.glob("[0-9]*/*.log"))]


def _events(log: Path) -> list[Any]:
    found: list[Any] = []
    with log.open("rb") as file:
        while size := file.read(8):
            found.append(_no_address(marshal.loads(file.read(int.from_bytes(size, "little")))))
    return found


def _no_address(value: Any) -> Any:
    if isinstance(value, int):
        return None if value > _MAX_SMALL else value
    return [*map(_no_address, value)] if isinstance(value, tuple | list) else value
