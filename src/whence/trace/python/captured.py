"""Which printing steps wrote the text that a step reads from captured output?

`contextlib.redirect_stdout(file)` makes `print` write to a file of the program, and pytest's
`capsys` keeps what is printed.  Neither is recorded code, so the way is known by these names only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property

from whence.program.ids import Op, Step
from whence.trace.python.replayed_run import ReplayedRun

_REDIRECTS = frozenset({"redirect_stdout", "redirect_stderr"})
_READS_FILE = "getvalue"  # of a file to which output was redirected
_READS_CAPTURED = "readouterr"  # of pytest's fixtures
_MAX_PRINTS = 200  # limit on the last prints that one step reads; guessed


class CapturedOutput:
    """The output that one thread printed and that the program itself read."""

    def __init__(
        self,
        run: ReplayedRun,
        op_of: Callable[[Step], Op],
        executions: Callable[[Op], list[Step]],
    ) -> None:
        self._run, self._op_of, self._executions = run, op_of, executions

    def prints(self, call: Step) -> list[Step]:
        """Return the steps whose output a call returned, as far as its name says so."""
        name = self._callee(self._op_of(call))
        if name == _READS_FILE:
            since = self._last(_REDIRECTS, call)
        elif name == _READS_CAPTURED:
            since = self._last({_READS_CAPTURED}, call) or Step(0)
        else:
            return []
        if since is None:
            return []
        printed = self._run.prints
        return printed[bisect_left(printed, since) : bisect_left(printed, call)][-_MAX_PRINTS:]

    def is_print(self, call: Step) -> bool:
        """Did a call print something?"""
        printed = self._run.prints
        at = bisect_left(printed, call)
        return at < len(printed) and printed[at] == call

    def _last(self, names: frozenset[str] | set[str], before: Step) -> Step | None:
        """Return the last call of one of these functions before a step."""
        steps = (step for name in names for step in self._calls.get(name, ()) if step < before)
        return max(steps, default=None)

    @cached_property
    def _calls(self) -> dict[str, list[Step]]:
        """The calls of the functions that redirect or read output, by name."""
        found: dict[str, list[Step]] = {}
        for op, opcode in enumerate(self._run.program.opcode):
            name = self._callee(Op(op)) if opcode == "call" else None
            if name in _REDIRECTS or name == _READS_CAPTURED:
                found.setdefault(name or "", []).extend(self._executions(Op(op)))
        return found

    def _callee(self, op: Op) -> str | None:
        """Return the last part of the name by which a call names what it calls."""
        use = next(iter(self._run.program.uses[op]), None)
        return None if use is None or use < 0 else self._run.program.name[use]
