"""Which front ends are there, which of them fit a program, and who records for each?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path, PurePath
from typing import Protocol

from whence.frontend.c import record as c
from whence.frontend.c.cache import c_source_hash
from whence.frontend.python import record as python
from whence.frontend.recorded_run import RecordedRun
from whence.subject.trial import BuildAndTest

FRONTENDS = ("c", "python")
_C = (".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx", ".c++", ".C", ".inc")
_LANGUAGES = {**dict.fromkeys(_C, "c"), ".py": "python", ".pyw": "python"}


class Record(Protocol):
    """Run the test of a tree so that it is recorded into an empty folder."""

    def __call__(
        self, tree: Path, recipe: BuildAndTest, out: Path, *, max_trace: int, twice: bool = False
    ) -> RecordedRun: ...


RECORDERS: dict[str, Record] = {"c": c.record, "python": python.record}


def own_sources() -> bytes:
    """A hash of the sources of all front ends: another whence records in another way."""
    digest = blake2b(c_source_hash(), digest_size=32)
    for path in sorted(Path(python.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def fitting(changed: Iterable[str], present: Iterable[str]) -> list[str]:
    """The front ends that may explain a change of these files, the likeliest first.

    What was changed most is explained first; a language that was not changed at all may still be
    that of the program which a changed data file makes fail.
    """
    changes = Counter(map(_language, changed))
    files = Counter(map(_language, present))
    found = [frontend for frontend in FRONTENDS if files[frontend]]
    return sorted(found, key=lambda frontend: (-changes[frontend], -files[frontend]))


def _language(file: str) -> str | None:
    return _LANGUAGES.get(PurePath(file).suffix)
