"""How do we put a folder on the module path of every Python that a command starts?"""

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
    """Puts `folder`, which has a `sitecustomize.py`, first on the module path.

    `shims` is a folder for scripts that wrap the interpreters on the PATH.
    """

    folder: Path
    shims: Path

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return `env` with the hook."""
        hooked = dict(env)
        hooked["PYTHONPATH"] = _before(str(self.folder), env.get("PYTHONPATH", ""))
        if os.name == "posix":
            # A command such as `PYTHONPATH=src python3 test.py` removes the hook; the shims add it
            # again.
            self._write_shims(env.get("PATH", ""))
            hooked["PATH"] = _before(str(self.shims), env.get("PATH", ""))
        return hooked

    def command(self, command: str) -> str:
        """Add the hook to the PYTHONPATH that a shell command itself sets."""
        hook = f"PYTHONPATH={shlex.quote(str(self.folder))}:"
        return re.sub(r"\bPYTHONPATH=(\S?)", lambda m: (hook + m[1]).rstrip(":"), command)

    def _write_shims(self, path: str) -> None:
        self.shims.mkdir(exist_ok=True)
        folders = [Path(folder) for folder in path.split(os.pathsep) if folder]
        names = {file.name for folder in folders for file in folder.glob("python*")}
        for name in sorted(filter(PYTHON.fullmatch, names)):
            real = shutil.which(name, path=path)
            # Links are not resolved: the python of a venv is a link.
            if real and Path(real).is_absolute():
                write_script(self.shims / name, self._shim(Path(real)))

    def _shim(self, real: Path) -> str:
        hook, shims = shlex.quote(str(self.folder)), shlex.quote(str(self.shims))
        lines = [
            "#!/bin/sh",
            f"case $PYTHONPATH: in {hook}:*) ;;",
            f"*) export PYTHONPATH={hook}${{PYTHONPATH:+:$PYTHONPATH}} ;; esac",
        ]
        if _is_script(real):
            # The dispatcher of a version manager searches the PATH for `python` again.  It must not
            # find this shim.
            lines += [
                f"case :$PATH: in *:{shims}:*)",
                f"before=:$PATH: after=${{before#*:{shims}:}} before=${{before%%:{shims}:*}}",
                "before=${before#:} PATH=${before:+$before:}${after%:} ;; esac",
            ]
        return "\n".join([*lines, f'exec {shlex.quote(str(real))} "$@"', ""])


def _before(first: str, rest: str) -> str:
    """Join two search paths.  An empty entry would mean the current directory."""
    return first + os.pathsep + rest if rest else first


def _is_script(program: Path) -> bool:
    with program.open("rb") as file:
        return file.read(2) == b"#!"


def write_script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
