"""Defaults for the options, from whence.toml in the current directory."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from whence.errors import UserError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path("whence.toml")


def read_settings(commands: Mapping[str, list[click.Parameter]]) -> dict[str, dict[str, Any]]:
    """Return the defaults of each command, by parameter name.

    Keys are the long options without their dashes.  At the top of the file they hold for every
    command that has the option, in a table such as [isolate] for that command.
    """
    try:
        settings = tomllib.loads(FILE.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UserError(f"{FILE} cannot be read: {error}", slug="bad-settings") from None
    common = {key: value for key, value in settings.items() if not isinstance(value, dict)}
    names = {name: _parameter_names(params) for name, params in commands.items()}
    for key in common:
        if not any(key in known for known in names.values()):
            raise _unknown(key, sorted(set().union(*names.values())))
    found = {}
    for command, known in names.items():
        own = settings.get(command, {})
        for key in own:
            if key not in known:
                raise _unknown(f"{command}.{key}", sorted(known))
        found[command] = {
            known[key]: value for key, value in {**common, **own}.items() if key in known
        }
    return found


def _parameter_names(params: list[click.Parameter]) -> dict[str, str]:
    return {
        option.removeprefix("--"): param.name
        for param in params
        for option in param.opts
        if option.startswith("--") and param.name
    }


def _unknown(key: str, known: list[str]) -> UserError:
    return UserError(
        f"{FILE}: there is no setting {key!r}.\nKnown are: {', '.join(known)}",
        slug="bad-settings",
    )
