"""Which small regressions are attacked, and is an answer about one of them right?"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.attack.attempts import Answer, Attempt, in_child

C_GOOD = """\
#include <stdio.h>
static int price(int count) {
    int each = 3;
    return each * count;
}
static const char *title(void) {
    return "bill";
}
int main(void) {
    int sum = price(4);
    printf("%s %d\\n", title(), sum);
    return sum != 12;
}
"""
PYTHON_GOOD = """\
def price(count):
    each = 3
    return each * count


def title():
    return "bill"


def total():
    return price(4)
"""
PYTHON_TEST = 'import bill\n\nassert bill.title()\nassert bill.total() == 12, "wrong total"\n'
TEXT_GOOD = "one\ntwo\nthree\nfour\nfive\n"
# For each language: the good file, what two changes replace (the first breaks the test), commands.
CHANGES = {
    "c": ("bill.c", C_GOOD, ("each = 3", "each = 2"), ('"bill"', '"Bill"')),
    "python": ("bill.py", PYTHON_GOOD, ("each = 3", "each = 2"), ('"bill"', '"Bill"')),
    "text": ("text", TEXT_GOOD, ("two", "TWO"), ("four", "FOUR")),
}
COMMANDS = {
    "c": ("--build", "$CC -g -o bill bill.c", "--test", "./bill"),
    "python": ("--test", f"{sys.executable} check.py"),
    "text": ("--test", "grep -q two text"),
}


@dataclass(frozen=True)
class Project:
    """A good and a bad version in a folder of its own, with whence's temporary files beside."""

    folder: Path
    language: str

    @classmethod
    def make(cls, folder: Path, language: str) -> Project:
        name, good, culprit, harmless = CHANGES[language]
        bad = good.replace(*culprit).replace(*harmless)
        for version, text in (("good", good), ("bad", bad)):
            (folder / version).mkdir(parents=True)
            (folder / version / name).write_text(text)
            (folder / version / "check.py").write_text(PYTHON_TEST)
        (folder / "tmp").mkdir()
        return cls(folder, language)

    def words(self, command: str, *, build: str | None = None) -> list[str]:
        """Return the arguments of a whence command on the project."""
        given = list(COMMANDS[self.language])
        if build is not None and "--build" in given:
            given[1] = build
        if command == "why":
            return ["why", "--source", "bad", *given, "--json", "answer.json"]
        if command == "contract":
            return ["contract", "--good", "good", "--bad", "bad", *given, "--json", "answer.json"]
        return [command, "--good", "good", "--bad", "bad", *given, "--json", "answer.json",
                "--store", "store"]  # fmt: skip

    def environment(self) -> dict[str, str]:
        return {"TMPDIR": str(self.folder / "tmp"), "PYTHONDONTWRITEBYTECODE": "1"}

    def fingerprint(self) -> str:
        """Return a hash of the user's files, which whence must not change."""
        digest = hashlib.sha256()
        for version in ("good", "bad"):
            for path in sorted((self.folder / version).rglob("*")):
                digest.update(str(path).encode())
                if path.is_file():
                    digest.update(path.read_bytes())
        return digest.hexdigest()

    def left(self) -> str | None:
        """Return a file or process that whence left behind; None if there is none."""
        for path in (self.folder / "tmp").iterdir():
            return str(path)
        return self.left_running()

    def left_running(self) -> str | None:
        """Return a process that whence left behind; None if there is none."""
        below = str(self.folder / "tmp").encode()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                environment = (process / "environ").read_bytes()
                state = (process / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if b"WHENCE_TREE=" + below in environment and state != "Z":
                return f"process {process.name}"
        return None

    def is_right(self, document: dict[str, Any] | None, command: str) -> bool:
        """Does an answer name the culprit, or say what it does not know?"""
        if document is None:
            return True  # no answer at all: the message is judged elsewhere
        if command == "contract":
            changed = {one["function"] for one in document["functions"] if one["verdict"] != "same"}
            return bool(changed) or bool(document["notes"])
        if command == "why":
            return bool(document["causes"]) or bool(document["reason"])
        name, good, (right, _), _ = CHANGES[self.language]
        line = next(n for n, text in enumerate(good.splitlines(), 1) if right in text)
        places = {(one["file"], one["new"][0]) for one in document["root"]}
        if places == {(name, line)}:
            return True
        notes = [document["reason"] or "", *document.get("notes", [])]
        # A larger set that contains the culprit is no wrong answer if the answer says so.
        return (bool(document["reason"] or any(notes)) and (name, line) in places) or not places


@dataclass(frozen=True)
class WhenceRun:
    """How whence ended."""

    answer: Answer
    status: int | None
    err: str
    document: dict[str, Any] | None


def run_whence(
    project: Project,
    words: Sequence[str],
    prepare: Callable[[], None] = lambda: None,
    seconds: float = 120,
) -> WhenceRun:
    """Run a whence command line in a forked process, after `prepare`."""

    def work() -> int:
        os.chdir(project.folder)
        os.environ.update(project.environment())
        tempfile.tempdir = None
        for number, name in ((1, "out.txt"), (2, "err.txt")):
            file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(file, number)
            os.close(file)
        sys.argv = ["whence", *words]
        from whence.cli.main import main

        prepare()
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
        return 0

    answer = in_child(work, seconds)
    err = _text(project.folder / "err.txt")
    document = None
    if (project.folder / "answer.json").exists():
        try:
            document = json.loads((project.folder / "answer.json").read_text())
        except ValueError:
            document = None
    return WhenceRun(answer, answer.value, err, document)


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.exists() else ""


def judged(name: str, project: Project, command: str, run: WhenceRun, before: str) -> Attempt:
    """Return what an attempt on a project showed; `before` is its fingerprint from before."""
    if run.answer.failed:
        return Attempt(name, run.answer.failed, run.answer.detail)
    if "Traceback (most recent call last)" in run.err:
        return Attempt(name, "traceback", run.err[-300:])
    if project.fingerprint() != before:
        return Attempt(name, "outside", "the user's files changed")
    left = project.left()
    if left is not None:
        return Attempt(name, "left", left)
    if run.status == 2 and not run.err.strip():
        return Attempt(name, "wrong", "status 2 without a message")
    if run.status in (0, 1) and not project.is_right(run.document, command):
        return Attempt(name, "wrong", json.dumps(run.document)[:300])
    return Attempt(name)
