"""A user at a prompt: two versions of a project, and the real command line."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import whence

SOURCES = Path(whence.__file__).parents[1]
TEST = "! grep -q 44 numbers"  # passes on good, fails on bad because of line 4


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str


class User:
    """A user with the versions `good` and `bad` in `here`; whence may only write to `kept`."""

    def __init__(self, home: Path) -> None:
        self.here = home / "here"
        self.tmp = home / "tmp"
        self.cache = home / "cache"
        self.kept = home / "kept"  # for stores and reports
        for folder in (self.here / "good", self.here / "bad", self.tmp, self.kept):
            folder.mkdir(parents=True)
        self.write("good/numbers", "1\n2\n3\n4\n5\n")
        self.write("bad/numbers", "1\n22\n3\n44\n5\n")
        self.write("good/words", "a\nb\n")
        self.write("bad/words", "a\nc\n")

    def write(self, name: str, text: str) -> Path:
        path = self.here / name
        path.write_text(text)
        return path

    def environment(self, **changed: str) -> dict[str, str]:
        """Return a minimal environment: whence must not depend on other variables."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.here),
            "PYTHONPATH": str(SOURCES),
            "TMPDIR": str(self.tmp),
            "XDG_CACHE_HOME": str(self.cache),
        } | changed

    def start(self, *arguments: object, **env: str) -> subprocess.Popen[str]:
        """Start whence in its own process group."""
        return subprocess.Popen(
            command(*arguments),
            cwd=self.here,
            env=self.environment(**env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_listen_to_interrupts,
        )

    def whence(self, *arguments: object, **env: str) -> CommandResult:
        """Run whence to its end; check that it changes no file of the user and leaves none over."""
        before = self.state()
        with self.start(*arguments, **env) as process:
            out, err = process.communicate(timeout=60)
        self.check_untouched(before)
        return CommandResult(process.returncode, out, err)

    def check_untouched(self, before: dict[str, tuple[object, ...]]) -> None:
        assert self.state() == before
        assert os.listdir(self.tmp) == [], os.listdir(self.tmp)

    def isolate(self, *arguments: object, test: str = TEST, **env: str) -> CommandResult:
        """Isolate what broke `test` between good and bad; later options win."""
        return self.whence(*isolating(test), *arguments, **env)

    def state(self) -> dict[str, tuple[object, ...]]:
        """Return the content and attributes of the user's files."""
        return {str(path): _facts(path) for path in sorted(_below(self.here))}


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "whence", *map(str, arguments)]


def isolating(test: str = TEST) -> tuple[str, ...]:
    return ("isolate", "--good", "good", "--bad", "bad", "--test", test)


def check_found(result: CommandResult) -> None:
    """Check that exactly the change that broke TEST was found."""
    assert (result.status, result.err.count("Traceback")) == (0, 0), result
    assert result.out.startswith("1 change of 3 broke the test."), result
    assert "+44" in result.out


def check_refused(result: CommandResult, *claims: str, slug: str | None = None) -> None:
    """Check that one message makes all claims, without traceback or report."""
    assert result.status == 2, result
    assert result.out == ""
    assert "Traceback" not in result.err
    for claim in claims:
        assert claim in result.err, result.err
    if slug is not None:
        assert result.err.endswith(f"[{slug}]\n"), result.err
        messages = [line for line in result.err.splitlines() if line.startswith("whence: ")]
        assert sum(not line.endswith("…") and " changes in " not in line for line in messages) == 1


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _below(path)


def _facts(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    content = path.read_bytes() if path.is_file() else b""
    return status.st_mode, status.st_mtime_ns, hashlib.sha256(content).hexdigest()


def _listen_to_interrupts() -> None:
    """Enable SIGINT, which a shell disables for programs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
