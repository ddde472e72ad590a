"""A developer whose tests fail: the work tree of a repository broke what passed on tag `good`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import whence

SOURCES = Path(whence.__file__).parents[1]

PRICE = """\
def discount(n):
    if n >= 10:
        return 0.1
    return 0


def total(n, price):
    return n * price * (1 - discount(n))


def label(n):
    return f"{n} pieces"
"""
BROKEN = PRICE.replace(">= 10", "> 10").replace("pieces", "items")  # only the first breaks a test
CULPRIT = "+    if n > 10:"
TEST = """
from price import total

def test_one():
    assert total(1, 2) == 2

def test_ten():
    assert total(10, 2) == 18
"""


@dataclass(frozen=True)
class CommandResult:
    status: int
    out: str

    def about(self, test: str) -> str:
        """Return the section about this test."""
        head = re.escape(f" whence: why {test} fails ")
        sections = re.findall(rf"(?ms)^=+{head}=+\n(.*?)(?=^=====|^whence: |\Z)", self.out)
        assert len(sections) == 1, self.out
        return str(sections[0])

    def finds(self, test: str) -> None:
        """Check that exactly the breaking change is found."""
        about = self.about(test)
        assert "1 of " in about, about
        assert CULPRIT in about, about
        assert "label" not in about


class Suite:
    def __init__(self, home: Path) -> None:
        self.here, self.home = home / "project", home
        self.here.mkdir()
        (home / "tmp").mkdir()
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> None:
        env = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        for role in ("AUTHOR", "COMMITTER"):
            env |= {f"GIT_{role}_NAME": "dev", f"GIT_{role}_EMAIL": "dev@example.org"}
        subprocess.run(("git", *arguments), cwd=self.here, env=os.environ | env, check=True)

    def put(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.here / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))

    def commit(self, files: dict[str, str], *, tag: str = "good") -> None:
        self.put(files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", tag)
        self.git("tag", tag)

    def environment(self, **changed: str) -> dict[str, str]:
        """Return an environment with few plugins, for speed, and with caches inside `home`."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "WHENCE"))}
        return (
            env
            | {"PYTHONPATH": str(SOURCES), "TMPDIR": str(self.home / "tmp")}
            | {"XDG_CACHE_HOME": str(self.home / "cache"), "PYTHONDONTWRITEBYTECODE": ""}
            | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
            | {"PYTEST_ADDOPTS": "-p whence.pytest_plugin"}
            | changed
        )

    def start(self, *arguments: str, cwd: str = ".", **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "pytest", *arguments],
            cwd=self.here / cwd,
            env=self.environment(**env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def pytest(self, *arguments: str, cwd: str = ".", **env: str) -> CommandResult:
        """Run pytest to its end, and check that it leaves no files behind."""
        with self.start(*arguments, cwd=cwd, **env) as process:
            out, _ = process.communicate(timeout=100)
        assert "Traceback (most" not in out, out
        left = [name for name in os.listdir(self.home / "tmp") if "whence" in name]
        assert left == []
        return CommandResult(process.returncode, out)


def shop(home: Path) -> Suite:
    """Return a project without subfolders whose work tree is broken."""
    suite = Suite(home)
    files = {".gitignore": "__pycache__/\n", "pytest.ini": "[pytest]\npythonpath = .\n"}
    suite.commit({"price.py": PRICE, "tests/test_price.py": TEST, **files})
    suite.put({"price.py": BROKEN})
    return suite
