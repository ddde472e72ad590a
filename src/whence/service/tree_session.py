"""How does a user go on with a cause tree another day?  Marks and progress are saved in a file.

The causes below a cause may depend on what was computed before: a cause that bears on two others
is shown below the first.  Therefore the session also keeps the order of the computations, and
the next session repeats it.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from whence.errors import UserError
from whence.model import Cause, CauseTree, Mark

_VERSION = 1


class TreeSession:
    """The marks and the unfolded causes of the cause tree of one recorded run.

    Causes are identified by key, because numbers depend on the order in which a tree is computed.
    Every method that changes the session has saved it when it returns.
    """

    def __init__(self, path: Path, run: str) -> None:
        self.path = path
        self.run = run  # a fingerprint of the recorded run
        self.marks: dict[str, Mark] = {}
        self.expanded: set[str] = set()
        self.computed: list[str] = []  # causes whose children were computed, in that order
        self.selected: str | None = None  # set by the user interface; saved with the next change
        self.is_new = True
        self.kept: Path | None = None  # where a damaged file, or one of another run, was moved to

    @classmethod
    def load(cls, path: Path, run: str) -> TreeSession:
        """Return the session of `run` that is saved in the file, or else a new one.

        A file that is damaged or of another run is kept: it gets the suffix .old.json.
        """
        session = cls(path, run)
        try:
            session._fill(json.loads(path.read_bytes()))
            session.is_new = False
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            session = cls(path, run)
            with suppress(OSError):
                session.kept = path.replace(path.with_suffix(".old.json"))
        return session

    def _fill(self, document: Any) -> None:
        """Take over the content of a file; raise an error if it is not a session of this run."""
        if (document["whence"], document["run"]) != (_VERSION, self.run):
            raise ValueError("of another run")
        self.marks = {key: Mark(mark) for key, mark in document["marks"].items()}
        self.expanded = set(_strings(document["expanded"]))
        self.computed = _strings(document["computed"])
        self.selected = next(iter(_strings([document["selected"] or ""]))) or None

    def mark(self, key: str, mark: Mark | None) -> None:
        self.marks.pop(key, None)
        if mark is not None:
            self.marks[key] = mark
        self.save()

    def expand(self, key: str, is_expanded: bool) -> None:
        (self.expanded.add if is_expanded else self.expanded.discard)(key)
        self.save()

    def note_computed(self, key: str) -> None:
        if key not in self.computed:
            self.computed.append(key)
            self.save()

    def save(self) -> None:
        """Write the file in one step: a killed process leaves the old or the new file."""
        document = {
            "whence": _VERSION,
            "run": self.run,
            "marks": {key: mark.value for key, mark in sorted(self.marks.items())},
            "expanded": sorted(self.expanded),
            "computed": self.computed,
            "selected": self.selected,
        }
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _replace(self.path, json.dumps(document, indent=1).encode() + b"\n")
        except OSError as error:
            raise UserError(
                f"{self.path} cannot be written: {error.strerror or error}.\n"
                "Your marks are lost when you quit, unless the file can be written by then.",
                slug="cannot-write",
            ) from None


def _strings(found: Iterable[object]) -> list[str]:
    strings = [each for each in found if isinstance(each, str)]
    if strings != list(found):
        raise ValueError("not all are strings")
    return strings


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


class BrowsableTree(CauseTree, Protocol):
    """A cause tree that also knows where the user has the source files."""

    def source_path(self, file: str, /) -> Path | None:
        """Return where the user has a source file, or None if that is unknown."""


class SavedTree:
    """A cause tree whose marks are saved in a session.

    A cause that was marked in an earlier session has its mark as soon as it is computed.
    """

    def __init__(self, tree: CauseTree, session: TreeSession, sources: Path | None = None) -> None:
        """`sources` is the directory with the user's source files, if it is known."""
        self._tree = tree
        self.session = session
        self._sources = sources
        self._restore((0,))

    def cause(self, number: int, /) -> Cause:
        return self._tree.cause(number)

    def children(self, number: int, /) -> tuple[int, ...]:
        """Return the causes below a cause; none if the cause, or one above it, is benign."""
        if self._is_pruned(number):
            return ()
        found = self._tree.children(number)
        self._restore(found)
        return found

    def mark(self, number: int, mark: Mark | None, /) -> None:
        self._tree.mark(number, mark)
        self.session.mark(self.cause(number).key, mark)

    @property
    def marks(self) -> dict[int, Mark]:
        return self._tree.marks

    def source(self, file: str, /) -> list[str]:
        return self._tree.source(file)

    def source_path(self, file: str, /) -> Path | None:
        return None if self._sources is None else self._sources / file

    def cancel(self) -> None:
        self._tree.cancel()

    def _restore(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            mark = self.session.marks.get(self.cause(number).key)
            if mark is not None:
                self._tree.mark(number, mark)

    def _is_pruned(self, number: int) -> bool:
        above: int | None = number
        while above is not None:
            cause = self.cause(above)
            if self.session.marks.get(cause.key) is Mark.BENIGN:
                return True
            above = cause.parent
        return False
