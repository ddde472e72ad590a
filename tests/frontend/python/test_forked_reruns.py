"""Does a plain rerun of a Python program end in a fork as in a fresh process?"""

from __future__ import annotations

import sys
from pathlib import Path

from whence.frontend.python.rerun_inputs import PythonInputRerunner, PythonStart
from whence.subject.trial import BuildAndTest

# Its own module reads an argument when it is imported.
PROGRAM = """
import json, sys
import settings
print(json.dumps([sys.argv[1:], sys.orig_argv[-1], settings.name, sys.stdin.read()]))
with open("data") as file:
    print(file.read())
sys.exit(len(sys.argv))
"""
SETTINGS = "import sys\nname = sys.argv[1]\n"


def _rerunner(folder: Path, program: str) -> PythonInputRerunner:
    tree, kept = folder / "tree", folder / "kept"
    tree.mkdir()
    kept.mkdir()
    (tree / "p.py").write_text(program)
    (tree / "settings.py").write_text(SETTINGS)
    (tree / "data").write_text("old")
    return PythonInputRerunner(tree, BuildAndTest(test="python p.py"), kept)


def _start(folder: Path, number: int) -> PythonStart:
    words = [sys.executable, "p.py", *(f"word {k}" for k in range(1 + number % 2)), str(number)]
    data = {"data": b"data of %d" % number}
    return PythonStart(words, str(folder / "tree"), stdin=b"%d\n" % number, files=data)


def test_a_fork_gets_the_inputs_of_its_run(tmp_path: Path) -> None:
    rerunner = _rerunner(tmp_path, PROGRAM)
    for number in range(6):
        ended = rerunner.run(_start(tmp_path, number))
        words = ["word 0", "word 1"][: 1 + number % 2]
        shown = str([[*words, str(number)], str(number), "word 0", f"{number}\\n"])
        assert ended.stdout.decode().replace('"', "'") == (
            shown.replace("\\\\n", "\\n") + f"\ndata of {number}\n"
        )
        assert ended.status == 3 + number % 2
    assert rerunner.forks.forked == 3
    rerunner.close()


def test_a_program_that_ends_differently_in_a_fork_is_not_forked(tmp_path: Path) -> None:
    rerunner = _rerunner(tmp_path, "import os\nprint(os.getpid() == os.getsid(0))\nos._exit(7)\n")
    for number in range(5):
        assert rerunner.run(_start(tmp_path, number)).status == 7
    assert rerunner.forks.forked == 0
