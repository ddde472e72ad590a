"""Which option types and checks do several commands share?"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from whence.errors import UserError
from whence.subject.sources.archive import UNPACK_LIMIT

_MIN_SIZE = 2**20  # bytes; guessed: no process works with less
_MAX_SECONDS = 10**9  # over 30 years: more than any test needs, and the system can count it
_SIZES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class Seconds(click.FloatRange):
    """A time in seconds, which is neither infinite nor `nan`."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True, max=_MAX_SECONDS)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        seconds: float = super().convert(value, param, ctx)
        if math.isnan(seconds):  # it is in no range, and click does not notice
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return seconds


class Size(click.ParamType):  # type: ignore[type-arg]  # generic only since click 8.5
    """A number of bytes of memory such as 512M or 2G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        match = re.fullmatch(r"(\d+)\s*([kmgt]?)i?b?", str(value).strip().lower())
        if match is None:
            self.fail(f"{value!r} is not a size; write it like 512M or 2G", param, ctx)
        size = int(match[1]) * _SIZES[match[2]]
        if size < _MIN_SIZE:
            self.fail(f"{value!r} is too small; write it like 512M", param, ctx)
        return size


def _limit_unpacking(_: click.Context, __: click.Parameter, size: int) -> None:
    UNPACK_LIMIT.size = size


# Of every command that gets a version.
SOURCE_OPTIONS: list[Callable[..., Any]] = [
    click.option("--repo", type=click.Path(path_type=Path, file_okay=False), default=Path(), show_default="current directory", help="The repository that git revisions are looked up in."),
    click.option("--max-unpacked", type=Size(), default=UNPACK_LIMIT.size, show_default="4G", metavar="SIZE", expose_value=False, callback=_limit_unpacking, help="Limit on the files of an archive, all together."),
]  # fmt: skip


def with_options(options: list[Callable[..., Any]]) -> Callable[..., Any]:
    """Add options to a command, in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def check_writable(*names: str | Path | None) -> None:
    """Raise an error now, not after an hour of work, if a report cannot be written."""
    for name in names:
        if name in (None, "-"):
            continue
        path = Path(str(name)).absolute()
        if path.is_dir():
            raise _cannot_write(str(name), "it is a directory")
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            why = f"{path.parent} is not a directory that you may write to"
            raise _cannot_write(str(name), why)


def put(path: Path, content: bytes) -> None:
    """Write a report to a file."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise _cannot_write(path, error.strerror or str(error)) from None


def _cannot_write(name: str | Path, why: str) -> UserError:
    return UserError(
        f"{name} cannot be written: {why}.\nName a file in an existing directory that you may write to.",
        slug="cannot-write",
    )
