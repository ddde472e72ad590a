"""Which failure does the output of a run show?

There is one reader for each way of failing, tried in order from the most specific.  The first
reader that recognises its failure returns it.  Two invariants hold for every reader:

1. The signature has no line numbers, addresses, values or paths of the tree.  It stays the same if
   the variant is in another folder and unrelated lines move.
2. The message and the place are for people and keep all of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from whence.errors import UserError
from whence.model import Failure
from whence.subject.output_text import MAX_LINE, last_line, without_colours
from whence.subject.readers.languages import from_go, from_java, from_node, from_rust
from whence.subject.readers.native import from_c_assert, from_sanitizer, from_signal
from whence.subject.readers.python import from_pytest, from_traceback, from_unittest

_Reader = Callable[[str, Path], "Failure | None"]
_PYTHON: tuple[_Reader, ...] = (from_pytest, from_unittest, from_traceback)
_OTHERS: tuple[_Reader, ...] = (
    *(from_c_assert, from_sanitizer),
    *(from_rust, from_go, from_java, from_node),
)


def read_failure(
    *, stdout: str, stderr: str, status: int, tree: Path, timed_out: bool = False
) -> Failure:
    """Return the failure of a run that ended with `status`.

    The status is that of a shell (128+n for signal n), or -n for signal n.
    """
    if timed_out:
        return Failure("timeout", "the test did not end in time", "timeout")
    # Standard error comes last: an uncaught exception is printed there.
    text = f"{without_colours(stdout)}\n{without_colours(stderr)}"
    number = _signal_number(status)
    # If a signal killed an interpreter, the exceptions that it printed were caught.
    for reader in _OTHERS if number else _PYTHON + _OTHERS:
        if found := reader(text, tree):
            return found
    if number:
        return from_signal(number, text, tree)
    last = _usage_error(stderr) or last_line(stderr) or last_line(stdout)
    message = f"exit status {status}" + (f": {last}" if last else "")
    return Failure("exit", message, f"exit status {status}")


def _usage_error(stderr: str) -> str:
    """Return pytest's message if it found no test: the last line only lists where it looked."""
    found = re.findall(r"(?m)^(ERROR: .+)\n\(no match in any of ", stderr[-MAX_LINE:])
    return str(found[-1]) if found else ""


def _signal_number(status: int) -> int:
    """Return the signal that ended the run, or 0."""
    if status < 0:
        return -status
    return status - 128 if 128 < status <= 128 + 64 else 0


def same_failure(a: Failure, b: Failure, how: str) -> bool:
    """Is `b` the same failure as `a`?

    `how` is "exact" (equal signatures), "any", or a regular expression that `b` must match.
    """
    if how == "any":
        return True
    if how == "exact":
        return a.signature == b.signature
    return bool(re.search(how, b.message) or re.search(how, b.signature))


def check_same_failure(how: str) -> None:
    """Raise a UserError if `how` is not valid for `same_failure`."""
    try:
        re.compile(how)
    except re.error as error:
        raise UserError(
            f"{how!r} is not a valid regular expression: {error}.\n"
            'Give "exact", "any", or a regular expression that the message of the failure matches.',
            slug="bad-same-failure",
        ) from error
