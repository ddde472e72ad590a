"""Is each compilation noted, and an object taken from an earlier build only if it is the same?"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from whence.subject.compile_calls import CallJournal

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")

SOURCE = '#include "x.h"\nint f(void) { int unused = X; return X; }\n'


def compiled(journal: CallJournal | None, folder: Path, *words: str) -> tuple[bytes, str, str]:
    """Compile x.c; return the object, the dependencies and the messages."""
    for name in ("x.o", "x.d"):
        (folder / name).unlink(missing_ok=True)
    env = dict(os.environ)
    if journal is not None:
        env = journal.environment(env, finds_compilers=True)
    depend = ("-MD", "-MT", "x.o", "-MF", "x.d")
    done = subprocess.run(
        ["gcc", "-Wall", *words, *depend, "-c", "x.c", "-o", "x.o"],
        executable=shutil.which("gcc", path=env["PATH"]),
        cwd=folder, env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return (folder / "x.o").read_bytes(), (folder / "x.d").read_text(), done.stderr


def test_a_kept_object_is_what_the_compiler_makes(tmp_path: Path) -> None:
    journal = CallJournal(tmp_path / "journal", tmp_path / "objects")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "x.c").write_text(SOURCE)
    for text in ("#define X 1\n", "#define X 2\n", "#define X 1\n", "#define X 2 // two\n"):
        (tree / "x.h").write_text(text)
        for words in ((), ("-O2",), ("-g",)):
            assert compiled(journal, tree, *words) == compiled(None, tree, *words)
    kept = list((tmp_path / "objects").glob("*.o"))
    assert len(kept) == 6  # two texts, three sets of options; the comment is not part of the text


def test_calls_are_noted_word_by_word(tmp_path: Path) -> None:
    journal = CallJournal(tmp_path / "journal", tmp_path / "objects")
    env = journal.environment(os.environ, finds_compilers=True)
    (tmp_path / "a b.c").write_text("int f(void) { return 0; }\n")
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    defined = ("-DTEXT='a \\n b'", "-DEMPTY=", "")
    for command in (
        ["gcc", "-c", *defined, "-o", "x.o", "a b.c"],
        ["gcc", "-o", "prog", "main.c", "x.o", "-lm"],
        ["gcc", "-E", "main.c"],
        ["gcc", "-c", "conftest.c"],
    ):
        found = shutil.which("gcc", path=env["PATH"])
        subprocess.run(command, executable=found, cwd=tmp_path, env=env, capture_output=True)
    units = {unit.given: unit for unit in journal.units().values()}
    assert sorted(units) == ["a b.c", "main.c"]
    assert units["a b.c"].words[1:] == defined
    assert units["main.c"].source == str(tmp_path / "main.c")
    assert units["main.c"].words[1:] == ()
