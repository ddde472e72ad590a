"""Causes are described in the words of the source, with the values that are the point.

Each program in `readable` fails, and says at its end what a reader wants to find in its causes
(`//? why: …`) and what it must not contain (`//! why: …`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.causes.explaining import built, causes, whole_tree
from whence.causes.tree import CauseSearch

READABLE = Path(__file__).parent / "readable"
_CLAIM = re.compile(r"^//([?!]) why: (.*)$", re.MULTILINE)
# What no report of any program contains: code of the C library, raw bits of a double.
_NEVER = re.compile(r"code without a line|__ctype_b_loc|= -?\d{16,}|\(void \*")


def failing_version(text: str) -> str:
    """Return the program that fails; a line of the good version is in a comment `//- …`."""
    return re.sub(r"  //- .*$", "", text, flags=re.MULTILINE)


def report(tree: CauseSearch) -> Iterator[str]:
    """Yield every sentence and every value that the causes of a tree have."""
    yield tree.failure.words
    for cause in causes(tree):
        yield cause.because
        for values in (cause.predicate.values, *(s.values for s in cause.statements)):
            yield ", ".join(f"{name} = {value}" for name, value in values.items())
        yield f"`{cause.predicate.text}` was {cause.predicate.outcome}"


PROGRAMS = sorted(p.name for p in READABLE.iterdir() if _CLAIM.search(p.read_text()))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_causes_say_what_is_the_point(name: str, tmp_path: Path) -> None:
    text = (READABLE / name).read_text()
    tree = whole_tree(built(failing_version(text), tmp_path, Path(name).suffix).run())
    found = "\n".join(report(tree))
    claims = _CLAIM.findall(text)
    missing = [words for kind, words in claims if kind == "?" and words not in found]
    unwanted = [words for kind, words in claims if kind == "!" and words in found]
    assert not missing, f"missing: {missing}\n{found}"
    assert not unwanted, f"unwanted: {unwanted}\n{found}"
    assert not _NEVER.search(found), found
