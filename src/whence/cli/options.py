"""What do the options of several commands share?"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from whence.errors import UserError

_LEAST_MEMORY = 2**20
_SIZES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class Size(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.5 on only
    """A number of bytes of memory such as 512M or 2G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"(\d+)\s*([kmgt]?)i?b?", str(value).strip().lower())
        if match is None:
            self.fail(f"{value!r} is no size; write it like 512M or 2G", param, ctx)
        size = int(match[1]) * _SIZES[match[2]]
        if size < _LEAST_MEMORY:
            self.fail(f"{value!r} is too little for any process; write it like 512M", param, ctx)
        return size


def with_options(options: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Add options to a command, in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def check_writable(*names: str | Path | None) -> None:
    """Say now, not after an hour of work, that a report cannot be written."""
    for name in names:
        if name in (None, "-"):
            continue
        path = Path(str(name)).absolute()
        if path.is_dir():
            raise _cannot_write(str(name), "it is a directory")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            why = f"{path.parent} is no directory that you may write to"
            raise _cannot_write(str(name), why)


def put(path: Path, content: bytes) -> None:
    """Write a report."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise _cannot_write(path, error.strerror or str(error)) from None


def _cannot_write(name: str | Path, why: str) -> UserError:
    return UserError(
        f"{name} cannot be written: {why}.\nName a file in a directory that is there and yours.",
        slug="cannot-write",
    )
