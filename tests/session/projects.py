"""Small real projects whose test writes a log outside the tree, so that runs can be counted."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import whence
from whence.model import Result
from whence.search.session import IsolateRequest, Watcher, run_request
from whence.subject.trial import BuildAndTest

SOURCE = Path(whence.__file__).parents[1]
Files = dict[str, str]

# The start of every test script.  `has 3` is true if change 3 is not reverted, `$count` is the
# number of runs including this one, and `ends 1` ends the run with status 1.
_PROLOGUE = """\
here=$(sed -n 's/ bad$//p' numbers 2>/dev/null | tr '\\n' ' ')
log={log}
now() {{ date +%s%N; }}
echo "start $$ $(now) 0 $here" >>"$log"
count=$(grep -c ^start "$log")
has() {{ grep -q "^$1 bad" numbers; }}
ends() {{ echo "end $$ $(now) $1 $here" >>"$log"; exit "$1"; }}
"""


@dataclass(frozen=True)
class Logged:
    """One run in the log of the test.  `variant` names the changes that were not reverted."""

    variant: str
    started: int
    ended: int | None = None  # None if the run was killed
    status: int | None = None


@dataclass(frozen=True)
class Ended:
    """The exit status and output of one `whence isolate`."""

    status: int
    stdout: str
    stderr: str

    @property
    def document(self) -> dict[str, Any]:
        assert self.stdout, self.stderr
        document: dict[str, Any] = json.loads(self.stdout)
        return document

    @property
    def answer(self) -> dict[str, Any]:
        """The document without its cost."""
        return {key: value for key, value in self.document.items() if key != "cost"}

    @property
    def runs(self) -> int:
        count: int = self.document["cost"]["runs"]
        return count

    @property
    def culprits(self) -> set[int]:
        """The ids of the root changes."""
        return {change for root in self.document["root"] for change in root["pieces"]}

    @property
    def reverted(self) -> set[int]:
        """The ids of all root and auxiliary changes."""
        extra = {change for also in self.document["auxiliary"] for change in also["pieces"]}
        return self.culprits | extra


@dataclass
class Project:
    """Two versions in one folder.  `test` is the test script after the prologue."""

    folder: Path
    good: Files
    bad: Files
    test: str
    options: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    cwd: Path | None = None  # the working directory of whence; None: the folder

    def __post_init__(self) -> None:
        for name, files in (("good", self.good), ("bad", self.bad)):
            write_files(self.folder / name, files)
        (self.folder / "tmp").mkdir()
        self.log.touch()
        self.rewrite_test(self.test)

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def script(self) -> Path:
        return self.folder / "test.sh"

    def rewrite_test(self, test: str) -> None:
        self.script.write_text(_PROLOGUE.format(log=shlex.quote(str(self.log))) + test + "\nends 0")

    def command(self, *options: str) -> list[str]:
        """Return the command line; later options override earlier ones."""
        return [
            *(sys.executable, "-m", "whence", "isolate", "--quiet", "--json", "-"),
            *("--good", str(self.folder / "good"), "--bad", str(self.folder / "bad")),
            *("--test", f"sh {shlex.quote(str(self.script))}"),
            *("--store", str(self.folder / "store"), *self.options, *options),
        ]

    def environment(self) -> dict[str, str]:
        ours = {"PYTHONPATH": str(SOURCE), "TMPDIR": str(self.folder / "tmp")}
        return os.environ | ours | self.env

    def start(self, *options: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*options),
            cwd=self.cwd or self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def isolate(self, *options: str) -> Ended:
        process = self.start(*options)
        stdout, stderr = process.communicate(timeout=120)
        return Ended(process.returncode, stdout, stderr)

    def found(self, *options: str) -> Ended:
        """Run `whence isolate` and check that it finds an answer."""
        ended = self.isolate(*options)
        assert ended.status == 0, ended.stdout + ended.stderr
        return ended

    def result(self, store: Path | None = None) -> Result:
        """Isolate within this process, which takes half the time."""
        good, bad = str(self.folder / "good"), str(self.folder / "bad")
        commands = BuildAndTest(f"sh {self.script}")
        result, _ = run_request(IsolateRequest(good, bad, commands, store=store), Watcher())
        return result

    def logged(self) -> list[Logged]:
        """Return all runs since the log was last emptied, in the order of their start."""
        runs: dict[str, Logged] = {}
        for line in self.log.read_text().splitlines():
            what, process, when, status, variant = (*line.split(" ", 4), "")[:5]
            if what == "start":
                runs[f"{process} {variant} {len(runs)}"] = Logged(variant, int(when))
            else:
                key = [k for k in runs if k.startswith(f"{process} {variant} ")][-1]
                runs[key] = Logged(variant, runs[key].started, int(when), int(status))
        return list(runs.values())

    def variants(self) -> Counter[str]:
        return Counter(run.variant for run in self.logged())

    def forget(self) -> None:
        self.log.write_text("")


def numbered(folder: Path, count: int, test: str, *options: str, **env: str) -> Project:
    """Make a project of `count` independent one-line changes; the id of each is its number."""
    folder.mkdir(parents=True, exist_ok=True)
    return Project(
        folder, {"numbers": numbers(count, "good")}, {"numbers": numbers(count, "bad")}, test,
        options, env,
    )  # fmt: skip


def numbers(count: int, word: str) -> str:
    return "".join(f"{i} {word}\nafter {i}\n" for i in range(count))


def write_files(folder: Path, files: Files) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
