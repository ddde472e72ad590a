"""Is a step of a build left out only if it would do nothing new?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.changes.changeset import compare_trees
from whence.changes.tree import read_tree
from whence.model import Outcome
from whence.subject.build_steps import notes_reads
from whence.subject.trial import BuildAndTest, Trial


def test_a_folder_that_the_build_makes_may_exist_already(tmp_path: Path) -> None:
    """`mkdir b` fails if it runs again; each variant still sees its own text."""
    (tmp_path / "probe").mkdir()
    if not notes_reads(tmp_path / "probe"):
        pytest.skip("this file system does not note when a file is read")
    for version, text in (("good", "0\n"), ("bad", "1\n")):
        (tmp_path / version).mkdir()
        (tmp_path / version / "status").write_text(text)
        (tmp_path / version / "unread").write_text(text)
    changes = compare_trees(read_tree(tmp_path / "good"), read_tree(tmp_path / "bad"), ())
    build = "mkdir b && cd b && touch made && cp ../status . && echo built >>../../log"
    commands = BuildAndTest("exit $(cat b/status)", build=build, timeout=60)
    trial = Trial(tmp_path / "trial" / "worker", changes)
    (tmp_path / "trial").mkdir()
    log = tmp_path / "trial" / "worker" / "log"
    of_unread = frozenset(c.id for c in changes.changes if c.file == "unread")
    assert trial.run(frozenset(), commands).outcome is Outcome.FAIL
    assert trial.run(changes.everything, commands).outcome is Outcome.PASS
    assert log.read_text() == "built\nbuilt\n"
    assert trial.run(changes.everything - of_unread, commands).outcome is Outcome.PASS
    assert log.read_text() == "built\nbuilt\n"  # no step reads what was changed
    assert trial.run(of_unread, commands).outcome is Outcome.FAIL
