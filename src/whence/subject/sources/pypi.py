"""How is one version of a package installed from the package index?"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from whence.errors import UserError

# pip prints what failed, then the output of the build, then its own advice.
_END_OF_BUILD = re.compile(
    r"\u00d7 (?P<what>[^\n]*did not run successfully[^\n]*)\n.*?lines? of output\]\n"
    r"(?P<output>.*?)\[end of output\]",
    re.DOTALL,
)
_MAX_BUILD_LINES = 5  # limit on lines of a build's output; errors are at the end; guessed


def install_package(spec: str, into: Path) -> None:
    requirement = spec.removeprefix("pypi:")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.+!_-]*", requirement):
        name = re.split(r"[^A-Za-z0-9._-]", requirement)[0] or "NAME"
        raise UserError(
            f"{spec} does not name one version of a package.\nWrite pypi:{name}==VERSION",
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
    # These files describe the installation: they differ between any two versions.
    for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"):
        for file in into.glob(f"*.dist-info/{name}"):
            file.unlink()


def _run_pip(requirement: str, into: Path) -> subprocess.CompletedProcess[bytes]:
    """Install with the pip of this Python, or with that of python3."""
    install = (
        *("-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"),
        *("--no-deps", "--no-compile", "--no-user", "--target", into, requirement),
    )
    for python in dict.fromkeys([sys.executable, shutil.which("python3")]):
        if python:
            # Run in the still empty `into`: in another folder, pip might import the user's files.
            command = (python, *install)
            pip = subprocess.run(command, cwd=into, stdin=subprocess.DEVNULL, capture_output=True)
            if b"No module named pip" not in pip.stderr:
                return pip
    raise UserError(
        "A version from the package index needs pip, and no Python on this machine has it.\n"
        "Run: python -m ensurepip",
        slug="no-pip",
    )


def _what_pip_says(errors: str) -> str:
    """Return pip's last error with its cause: a failed connection or a failed build."""
    lines = errors.strip().splitlines()
    if built := _END_OF_BUILD.search(errors):
        output = built["output"].strip().splitlines()[-_MAX_BUILD_LINES:]
        return "\n".join(f"  {line.strip()}" for line in (built["what"], *output))
    retried = [line for line in lines if "Retrying" in line]
    failed = [line for line in lines if line.startswith("ERROR:")] or lines
    return "\n".join(f"  {line.strip()}" for line in retried[-1:] + failed[-1:])
