"""What would have happened if values of this run had been others?

A file has the alterations, each a tuple (number of the operation, number of its execution counted
from 0, action, content).  The actions:

    set     the operation gives the value `content`
    flip    a condition has the other truth
    always  a condition has the truth `content`, each time from this execution on
    keep    the value is kept in the slot `content`
    kept    the operation gives the value that is kept in the slot `content`
    watch   the value is reported, each time from this execution on

Only the main thread of one process is altered.  Beside the file, FILE.reached gets a line for each
alteration that happened: its number, and for a watch the number of the execution and the value.
"""

from __future__ import annotations

import _thread
import marshal
import os
import sys

from .private import BUILTINS

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_WATCHED = 1000  # reports of one watch; guessed
MAX_ITEMS = 12  # items of a container that a report has, as in the log
PLAIN = (bool, int, float, str, bytes, type(None))
OPENING: dict[type, str] = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}


def altering_functions(
    alterer: Alterer, functions: dict[str, Callable[..., Any]]
) -> dict[str, Callable[..., Any]]:
    """Return the recorder's functions, with alterations made before a value is logged."""
    alter = alterer.alter
    w, b, c, n, g, r = (functions[name] for name in "wbcngr")

    def altered_w(k: int, x: Any) -> Any:
        return w(k, alter(k, x))

    def altered_v(j: int, k: int, x: Any) -> Any:
        return w(k, alter(k, w(j, alter(j, x))))

    def altered_b(k: int, negated: bool) -> bool:
        truth: bool = b(k, not alter(k, not negated))
        return truth

    def altered_c(j: int, k: int, x: bool) -> bool:
        truth: bool = c(j, k, alter(k, alter(j, x)))
        return truth

    def altered_n(k: int, x: Any) -> Any:
        alter(k, x)
        return n(k, x)

    def altered_g(k: int, x: Any) -> Any:
        alter(k, x)
        return g(k, x)

    def altered_r(k: int, x: Any) -> Any:
        return r(k, alter(k, x))

    altered = (altered_w, altered_v, altered_b, altered_c, altered_n, altered_g, altered_r)
    return {
        **functions,
        **{function.__name__[-1]: function for function in altered},
        "p": alter,
    }


def is_chosen(reached: str, program: str, number: int) -> bool:
    """Is this the process to alter: the one with this number, counted from 0, of its program?"""
    if os.path.basename(sys.orig_argv[0]) != program:
        return False
    for before in range(1 << 16):
        try:
            os.close(os.open(f"{reached}.{before}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            continue
        return before == number
    return False


class Alterer:
    """Makes the alterations of this process, which `load` reads from a file."""

    def __init__(self, file: str) -> None:
        self._file, self._reached, self._thread = file, f"{file}.reached", _thread.get_ident()
        self._ident = _thread.get_ident  # kept: the program may replace it
        self._open, self._write, self._close = os.open, os.write, os.close
        self._counts: dict[int, int] = {}
        self._kept: dict[int, Any] = {}
        self._times: dict[int, int] = {}
        self._rows: dict[int, list[tuple[int, int, str, Any]]] = {}
        os.register_at_fork(after_in_child=self._rows.clear)

    def load(self) -> None:
        """Read what is altered, if this is the process to alter."""
        with open(self._file, "rb") as opened:
            program, process, rows = marshal.load(opened)
        if not is_chosen(self._reached, program, process):
            return
        for number, (operation, execution, action, content) in enumerate(rows):
            row = (number, execution, action, content)
            self._rows.setdefault(operation, []).append(row)

    def alter(self, k: int, x: Any) -> Any:
        """Return the value of operation `k`, altered if that is due."""
        rows = self._rows.get(k)
        if rows is None or self._ident() != self._thread:
            return x
        count = self._counts.get(k, 0)
        self._counts[k] = count + 1
        for number, execution, action, content in rows:
            if action == "watch":
                if count >= execution:
                    self._report_value(number, count, x)
            elif action == "always":
                if count >= execution and bool(x) is not content:
                    x = content
                    self._report(f"{number}\n")
            elif count == execution:
                x = self._altered(number, action, content, x)
        return x

    def _altered(self, number: int, action: str, content: Any, x: Any) -> Any:
        if action == "keep":
            self._kept[content] = x
        elif action == "kept":
            if content not in self._kept:
                return x  # so it is not reached
            x = self._kept[content]
        else:
            # A new object each time: the program may change what it gets.
            x = not x if action == "flip" else marshal.loads(content)
        self._report(f"{number}\n")
        return x

    def _report_value(self, number: int, count: int, x: Any) -> None:
        times = self._times[number] = self._times.get(number, 0) + 1
        if times <= MAX_WATCHED:
            text = reported_text(x).encode("utf-8", "surrogatepass").hex()
            self._report(f"{number} {count} {text}\n")

    def _report(self, line: str) -> None:
        fd = self._open(self._reached, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            self._write(fd, line.encode())
        finally:
            self._close(fd)


def reported_text(x: Any, is_inner: bool = False) -> str:
    """Return a value as text that is equal for equal values; of objects, their type."""
    kind = type(x)
    if kind in PLAIN:
        return repr(x)
    if kind not in OPENING:
        return f"<{kind.__name__}>"
    if is_inner or len(x) > MAX_ITEMS:
        return f"<{kind.__name__} of {len(x)}>"
    if kind is dict:
        parts = [f"{reported_text(a, True)}: {reported_text(b, True)}" for a, b in x.items()]
    else:
        parts = [reported_text(part, True) for part in x]
    if kind in (set, frozenset):
        parts.sort()
    opening = OPENING[kind]
    return f"{kind.__name__}{opening[0]}{', '.join(parts)}{opening[1]}"
