"""How is the recording runtime compiled?  (Its C sources are beside this file.)"""

from __future__ import annotations

import hashlib
import os
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.errors import UserError

SOURCES = Path(__file__).parent
LIBRARY = "libwhence_runtime.so"
OBJECT = "whence_runtime.o"

_FLAGS = [
    "-std=gnu11",
    "-O2",
    "-fPIC",
    "-fno-stack-protector",
    "-fno-sanitize=all",
    "-ftls-model=initial-exec",  # a signal handler can use it at any time
    "-U_FORTIFY_SOURCE",
    "-Wall",
    "-Wextra",
]


@dataclass(frozen=True, slots=True)
class Runtime:
    """The compiled runtime: all modules of a process share `shared`; `object` is for -static."""

    shared: Path
    object: Path


def build(command: Sequence[str], into: Path) -> Runtime:
    """Compile the runtime with the C compiler `command` into a folder of `into` named by content.

    It is compiled once: the folder appears whole or not at all, even if several builds compile it.
    """
    folder = into / f"runtime-{_key(command)}"
    if not folder.is_dir():
        into.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=into, prefix="runtime-new-") as scratch:
            made = Path(scratch, "made")
            made.mkdir()
            _compile([*command, *_FLAGS, "-c", str(SOURCES / "runtime.c")], made / OBJECT)
            foreign = made / "foreign.o"
            plain = ["-fno-builtin", "-c", str(SOURCES / "foreign.c")]
            _compile([*command, *_FLAGS, *plain], foreign)
            objects = [str(made / OBJECT), str(foreign)]
            link = ["-shared", f"-Wl,-soname,{LIBRARY}", *objects, "-lpthread", "-ldl"]
            _compile([*command, *link], made / LIBRARY)
            try:
                made.rename(folder)
            except OSError:
                if not folder.is_dir():  # another build was first, with the same result
                    raise
    return Runtime(folder / LIBRARY, folder / OBJECT)


def _key(command: Sequence[str]) -> str:
    digest = hashlib.sha256("\0".join([*command, *_FLAGS]).encode())
    for source in sorted(SOURCES.glob("*.[ch]")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


def _compile(command: list[str], output: Path) -> None:
    command = [*command, "-o", str(output)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=_plain_environment()
        )
    except OSError as error:
        problem = str(error)
    else:
        if done.returncode == 0:
            return
        problem = done.stderr.strip()
    raise UserError(
        "whence could not compile its runtime, which records C programs.\n"
        f"We ran: {shlex.join(command)}\n"
        f"{problem}\n"
        "Check that this C compiler can make shared libraries here, or install ziglang.",
        slug="runtime-does-not-compile",
    )


def _plain_environment() -> dict[str, str]:
    """Return our environment without the variables that make whence's compilers record."""
    return {key: value for key, value in os.environ.items() if not key.startswith("WHENCE_")}
