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
    """The last error; without a network, also the failed connection that is behind it."""
    lines = errors.strip().splitlines()
    retried = [line for line in lines if "Retrying" in line]
    failed = [line for line in lines if line.startswith("ERROR:")] or lines
    return "\n".join(f"  {line.strip()}" for line in retried[-1:] + failed[-1:])
