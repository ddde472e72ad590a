"""What did the user say of a cause tree, so that it can be gone on with another day?

What a cause has below it may depend on what was computed before: a cause that bears on two
others is shown below the first.  So the order is kept, too, and gone through again.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from whence.errors import UserError
from whence.model import Cause, CauseTree, Mark

_VERSION = 1


class TreeSession:
    """Marks, and what is unfolded, of the cause tree of one recorded run.

    They go by the keys of causes: numbers depend on the order in which a tree is walked.  What a
    method changes is in the file when it returns.
    """

    def __init__(self, path: Path, run: str) -> None:
        self.path = path
        self.run = run  # a fingerprint of the recorded run
        self.marks: dict[str, Mark] = {}
        self.expanded: set[str] = set()
        self.computed: list[str] = []  # causes whose children were asked for, in that order
        self.selected: str | None = None  # to set; it is saved with the next change
        self.is_new = True
        self.kept: Path | None = None  # where the file of another run went, or a damaged one

    @classmethod
    def load(cls, path: Path, run: str) -> TreeSession:
        """Return the session of `run` that is saved there, or else a new one.

        A file that is of another run or damaged is not lost: it gets the suffix .old.json.
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
        """Take what a file says, which may be anything."""
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
        """Write it all; whenever we are killed, the file is the old one or the new one."""
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
                "What you mark is lost when you quit, unless it can be written by then.",
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


class SavedTree:
    """A cause tree whose marks are kept in a session.

    A cause that was marked in an earlier session has its mark from the moment it appears.
    """

    def __init__(self, tree: CauseTree, session: TreeSession, sources: Path | None = None) -> None:
        """`sources` is where the user has the source files, if they have them."""
        self._tree = tree
        self.session = session
        self._sources = sources
        self._restore((0,))

    def cause(self, number: int, /) -> Cause:
        return self._tree.cause(number)

    def children(self, number: int, /) -> tuple[int, ...]:
        """The causes below one; none, and nothing is computed, if it or one above is benign."""
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
        """Where the user has that file, if that is known."""
        if self._sources is not None:
            return self._sources / file
        find = getattr(self._tree, "source_path", None)
        return find(file) if find else None

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
