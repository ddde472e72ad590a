"""How does a folder of ours get onto the path of every Python that a command starts?"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PYTHON = re.compile(r"python(3(\.\d+t?)?)?")


@dataclass(frozen=True, slots=True)
class PythonHook:
    """Puts `folder`, which has a `sitecustomize.py`, first on the path.  `shims` is for us."""

    folder: Path
    shims: Path

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """`env` with the hook in it."""
        hooked = dict(env)
        hooked["PYTHONPATH"] = _before(str(self.folder), env.get("PYTHONPATH", ""))
        if os.name == "posix":
            # A command such as `PYTHONPATH=src python3 test.py` puts our hook out, these put it
            # back in.
            self._write_shims(env.get("PATH", ""))
            hooked["PATH"] = _before(str(self.shims), env.get("PATH", ""))
        return hooked

    def command(self, command: str) -> str:
        """A shell command with the hook in the PYTHONPATH that it sets itself."""
        hook = f"PYTHONPATH={shlex.quote(str(self.folder))}:"
        return re.sub(r"\bPYTHONPATH=(\S?)", lambda m: (hook + m[1]).rstrip(":"), command)

    def _write_shims(self, path: str) -> None:
        self.shims.mkdir(exist_ok=True)
        folders = [Path(folder) for folder in path.split(os.pathsep) if folder]
        names = {file.name for folder in folders for file in folder.glob("python*")}
        for name in sorted(filter(PYTHON.fullmatch, names)):
            real = shutil.which(name, path=path)
            if real and Path(real).is_absolute():  # its links are kept: a venv's python is one
                write_script(self.shims / name, self._shim(Path(real)))

    def _shim(self, real: Path) -> str:
        hook, shims = shlex.quote(str(self.folder)), shlex.quote(str(self.shims))
        lines = [
            "#!/bin/sh",
            f"case $PYTHONPATH: in {hook}:*) ;;",
            f"*) export PYTHONPATH={hook}${{PYTHONPATH:+:$PYTHONPATH}} ;; esac",
        ]
        if _is_script(real):
            # A version manager's dispatcher looks for `python` on the PATH again, and must not
            # find us.
            lines += [
                f"case :$PATH: in *:{shims}:*)",
                f"before=:$PATH: after=${{before#*:{shims}:}} before=${{before%%:{shims}:*}}",
                "before=${before#:} PATH=${before:+$before:}${after%:} ;; esac",
            ]
        return "\n".join([*lines, f'exec {shlex.quote(str(real))} "$@"', ""])


def _before(first: str, rest: str) -> str:
    """A search path.  No entry is empty if `rest` is: that would mean the current directory."""
    return first + os.pathsep + rest if rest else first


def _is_script(program: Path) -> bool:
    with program.open("rb") as file:
        return file.read(2) == b"#!"


def write_script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
