"""What do the options of several commands share?"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

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
