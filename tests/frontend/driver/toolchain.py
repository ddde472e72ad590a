"""whence-cc and whence-c++ as programs, with a cache and modules of their own."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import whence
from tests.compiling import AR

FAKE = Path(__file__).with_name("fake_cc.py")


@dataclass(frozen=True)
class Toolchain:
    """whence's compilers in `home`/bin."""

    home: Path
    tree: Path  # where commands run
    runtime: Path  # where the runtime is

    def environment(self, mode: str = "record", **more: str) -> dict[str, str]:
        sources = str(Path(whence.__file__).parents[1])
        kept = {k: v for k, v in os.environ.items() if not k.startswith("WHENCE_")}
        binaries = self.home / "bin"
        return kept | {
            "PYTHONPATH": sources,
            "CC": f"{binaries}/cc",
            "CXX": f"{binaries}/c++",
            "AR": AR,
            "WHENCE_CACHE": f"{self.home}/cache",
            "WHENCE_MODULES": f"{self.home}/modules",
            "WHENCE_MODE": mode,
            "FAKE_RUNTIME": str(self.runtime),
            **more,
        }

    def cc(self, *arguments: str, mode: str = "record", stdin: str = "", **env: str) -> Done:
        return self.sh(f"$CC {shlex.join(arguments)}", mode=mode, stdin=stdin, **env)

    def sh(self, script: str, *, mode: str = "record", stdin: str = "", **env: str) -> Done:
        done = subprocess.run(
            ["sh", "-c", script],
            cwd=self.tree,
            env=self.environment(mode, **env),
            input=stdin,
            capture_output=True,
            text=True,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def write(self, **files: str) -> None:
        """Write files; main_c is main.c."""
        for name, text in files.items():
            path = self.tree / ".".join(name.rsplit("_", 1))
            path.write_text(text)

    def journal(self, name: str = "log") -> list[dict[str, Any]]:
        path = self.home / "modules" / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def compiled(self) -> dict[str, bool]:
        """Return the recorded sources, each with: did it come from the cache?"""
        return {
            Path(entry["source"]).name: entry["cached"]
            for entry in self.journal()
            if "source" in entry
        }

    def elsewhere(self, tree: Path) -> Toolchain:
        tree.mkdir()
        return Toolchain(self.home, tree, self.runtime)


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    status: int
    out: str
    err: str


def install(home: Path, tree: Path, runtime: Path) -> Toolchain:
    tree.mkdir(exist_ok=True)
    for name in ("cc", "c++"):
        path = home / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, str(FAKE), name])} "$@"\n')
        path.chmod(0o755)
    return Toolchain(home, tree, runtime)
