"""Do changes of files that no build and no test opens cost no run?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from whence.changes.changeset import compare_trees
from whence.changes.tree import read_tree
from whence.model import Outcome, Run
from whence.search.session import IsolateRequest, IsolateSession, Watcher, open_session
from whence.search.without_effect import find_without_effect
from whence.subject.reads import ReadLog
from whence.subject.trial import BuildAndTest, RunWay, Trial

# The manual is made only if it is older than its source, and no machine has the program for it.
MAKEFILE = """all: p manual.info configure
configure: aclocal.m4
\tautoconf-of-another-machine
p: p.sh
\tcp p.sh p && chmod +x p
manual.info: manual.texi
\tno-such-program manual.texi
"""
FILES = {
    "Makefile": MAKEFILE,
    "configure": "same\n",
    "p.sh": "#!/bin/sh\n# {0}\nx={0}\ny={1}\nexit $x\n",
    "manual.texi": "The manual of {0}.\n",
    "manual.info": "The made manual of {0}.\n",
    "po/de.po": "msgid {0}\n",
    "tests/unused.c": "int main(void) {{ return {0}; }}\n",
    "read.txt": "{0}\n",
    "aclocal.m4": "dnl {0}\n",
}


def versions(folder: Path, build: str) -> None:
    """Write good/ and bad/, which differ in every file; only `exit $x` breaks the test."""
    for version, (x, y) in {"good": (0, 1), "bad": (1, 2)}.items():
        for name, text in FILES.items():
            path = folder / version / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text if name == "Makefile" else text.format(x, y))
        os.utime(folder / version / "configure", (2e9, 2e9))
    assert build


def session(folder: Path, build: str) -> tuple[IsolateSession, set[str]]:
    versions(folder, build)
    request = IsolateRequest(
        str(folder / "good"), str(folder / "bad"), BuildAndTest("cat read.txt; ./p", build)
    )
    with open_session(request, Watcher()) as opened:
        good, bad = opened.references(covers=False)
        if good.unread is None:
            pytest.skip("this system forbids tracing")
        found = find_without_effect(opened.changes, good, bad)
        answer = opened.result(0.0)
        assert {change.file for change in answer.root} == {"p.sh"}
        assert answer.status == "isolated"
        return opened, {opened.changes.changes[c].file for c in found}


def test_what_nobody_opens_is_left_out_and_the_manual_is_not_made_again(tmp_path: Path) -> None:
    opened, files = session(tmp_path, "make")
    assert files == {"manual.texi", "manual.info", "po/de.po", "tests/unused.c", "aclocal.m4"}
    runs = opened.laboratory.known.values()
    assert Outcome.BROKEN not in {run.outcome for run in runs}


def test_what_a_build_lists_or_links_is_not_left_out(tmp_path: Path) -> None:
    _, files = session(tmp_path, "make && ls po tests >list && ln -s tests/unused.c u.c && cat u.c")
    assert files == {"manual.texi", "manual.info", "po/de.po", "aclocal.m4"}


def test_a_source_that_the_build_asks_about_is_not_left_out(tmp_path: Path) -> None:
    _, files = session(tmp_path, "make && test -e tests/unused.c && test -e po/de.po")
    assert files == {"manual.texi", "manual.info", "po/de.po", "aclocal.m4"}


def test_a_new_file_is_left_out_only_if_nobody_asked_for_it(tmp_path: Path) -> None:
    versions(tmp_path, "make")
    (tmp_path / "bad" / "more").mkdir()
    for name in ("asked", "listed", "more/unlisted", "NEWS"):  # make lists the folder where it runs
        (tmp_path / "bad" / name).write_text("new\n")
    changes = compare_trees(read_tree(tmp_path / "good"), read_tree(tmp_path / "bad"), ())
    trial = Trial(tmp_path / "trial" / "worker", changes)
    (tmp_path / "trial").mkdir()
    commands = BuildAndTest("./p; test -e asked", "make", timeout=60)
    good, bad = (
        trial.run(reverted, commands, way=RunWay.READS)
        for reverted in (changes.everything, frozenset())
    )
    if good.unread is None:
        pytest.skip("this system forbids tracing")
    files = {changes.changes[c].file for c in find_without_effect(changes, good, bad)}
    assert {"more/unlisted", "NEWS"} <= files
    assert files.isdisjoint({"asked", "listed"})


def test_nothing_is_left_out_if_a_run_was_not_watched(tmp_path: Path) -> None:
    assert ReadLog(tmp_path / "log", tmp_path).unread(tmp_path, [], ["x"]) is None
    versions(tmp_path, "make")
    changes = compare_trees(read_tree(tmp_path / "good"), read_tree(tmp_path / "bad"), ())
    assert not find_without_effect(changes, Run(Outcome.PASS), Run(Outcome.FAIL, unread={}))
