"""How is one version of a package taken from the package index?"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from whence.errors import UserError

# pip shows what a build printed below what did not work, and its own words follow.
_END_OF_BUILD = re.compile(
    r"\u00d7 (?P<what>[^\n]*did not run successfully[^\n]*)\n.*?lines? of output\]\n"
    r"(?P<output>.*?)\[end of output\]",
    re.DOTALL,
)
_MOST_OF_BUILD = 5  # lines: errors are at the end


def install_package(spec: str, into: Path) -> None:
    requirement = spec.removeprefix("pypi:")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.+!_-]*", requirement):
        name = re.split(r"[^A-Za-z0-9._-]", requirement)[0] or "NAME"
        raise UserError(
            f"{spec} does not name one version of a package.\nWrite it as pypi:{name}==VERSION",
            slug="pypi-version",
        )
    pip = _run_pip(requirement, into)
    if pip.returncode != 0:
        errors = os.fsdecode(pip.stderr)
        if os.strerror(errno.ENOSPC) in errors:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        raise UserError(
            f"{spec} cannot be installed. pip says:\n{_what_pip_says(errors)}\n"
            f"Try: python -m pip download --no-deps {requirement}",
            slug="pypi-failed",
        )
    # These describe the act of installing: they differ between any two versions, and mean nothing.
    for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"):
        for file in into.glob(f"*.dist-info/{name}"):
            file.unlink()


def _run_pip(requirement: str, into: Path) -> subprocess.CompletedProcess[bytes]:
    """Install with the first pip there is: of the Python that runs us, or of python3."""
    install = (
        *("-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"),
        *("--no-deps", "--no-compile", "--no-user", "--target", into, requirement),
    )
    for python in dict.fromkeys([sys.executable, shutil.which("python3")]):
        if python:
            # In the still empty `into`, no file of the user's can be imported in pip's place.
            command = (python, *install)
            pip = subprocess.run(command, cwd=into, stdin=subprocess.DEVNULL, capture_output=True)
            if b"No module named pip" not in pip.stderr:
                return pip
    raise UserError(
        "pip is needed to get a version from the package index, and no Python here has it.\n"
        "Run: python -m ensurepip",
        slug="no-pip",
    )


def _what_pip_says(errors: str) -> str:
    """The last error, with what is behind it: a connection that failed, a build that did."""
    lines = errors.strip().splitlines()
    if built := _END_OF_BUILD.search(errors):
        said = built["output"].strip().splitlines()[-_MOST_OF_BUILD:]
        return "\n".join(f"  {line.strip()}" for line in (built["what"], *said))
    retried = [line for line in lines if "Retrying" in line]
    failed = [line for line in lines if line.startswith("ERROR:")] or lines
    return "\n".join(f"  {line.strip()}" for line in retried[-1:] + failed[-1:])
