"""Which defaults for options does whence.toml give?"""

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
# Options that name a file that whence writes.  A project's file must not overwrite files elsewhere.
# --out names a folder, whose other files stay as they are.
_WRITES = frozenset({"json", "html", "sarif", "dot", "patch", "store"})


def read_settings(
    commands: Mapping[str, list[click.Parameter]], folder: Path
) -> dict[str, dict[str, Any]]:
    """Return the defaults of each command, by parameter name.

    They are read from whence.toml in `folder`, if it exists.  Keys are long options without their
    dashes.  A key at the top of the file holds for every command that has the option, a key in a
    table such as [isolate] for that command only.
    """
    settings = _parsed(folder)
    options = {name: _options(params) for name, params in commands.items()}
    for key, value in settings.items():
        if isinstance(value, dict):
            if key not in commands:
                raise _unknown(f"[{key}]", [f"[{name}]" for name in sorted(commands)])
        elif not any(key in known for known in options.values()):
            raise _unknown(key, sorted(set().union(*options.values())))
    common = {key: value for key, value in settings.items() if not isinstance(value, dict)}
    found = {}
    for command, known in options.items():
        own = settings.get(command, {})
        for key in own:
            if key not in known:
                raise _unknown(f"{command}.{key}", sorted(known))
        found[command] = {
            str(known[key].name): _checked(command, key, value, known[key], folder)
            for key, value in {**common, **own}.items()
            if key in known
        }
    return found


def _parsed(folder: Path) -> dict[str, Any]:
    try:
        return tomllib.loads((folder / FILE).read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UserError(
            f"{FILE} cannot be read: {error}\n"
            'It is a TOML file with lines such as: test = "make check"',
            slug="bad-settings",
        ) from None


def _options(params: list[click.Parameter]) -> dict[str, click.Option]:
    return {
        name.removeprefix("--"): param
        for param in params
        for name in param.opts
        if name.startswith("--")
        and isinstance(param, click.Option)
        # The option is needed before this file is read: it shows where a mistake was found.
        and name != "--debug"
    }


def _checked(command: str, key: str, value: Any, option: click.Option, folder: Path) -> Any:
    """Return the value if it is valid for the option."""
    types, what = _kind(option)
    each = value if isinstance(value, list) else [value]
    if isinstance(value, list) is not option.multiple or not all(type(v) in types for v in each):
        wanted = f"a list; each item is {what}" if option.multiple else what
        raise _wrong(command, key, value, f"it must be {wanted}")
    try:
        for v in each:
            option.type.convert(v, option, None)
    except click.BadParameter as error:
        raise _wrong(command, key, value, error.message) from None
    if key in _WRITES and value != "-":
        _check_place(command, key, value, folder)
    return value


def _check_place(command: str, key: str, value: str, folder: Path) -> None:
    """Raise an error if a setting names a place outside the folder of whence.toml to write to."""
    place = (folder / value).resolve()
    if not place.is_relative_to(folder.resolve()):
        raise _wrong(command, key, value, f"whence writes there only if you give --{key} yourself")


def _kind(option: click.Option) -> tuple[tuple[type, ...], str]:
    """Return the TOML types that an option accepts, and a description of them."""
    if option.is_flag:
        return (bool,), "true or false"
    if isinstance(option.type, click.IntRange):
        return (int,), "a whole number"
    if isinstance(option.type, click.FloatRange):
        return (int, float), "a number"
    if option.type.name == "size":
        return (int, str), 'a size such as "512M"'
    return (str,), 'a string such as "this"'


def _wrong(command: str, key: str, value: Any, why: str) -> UserError:
    return UserError(
        f"{FILE}: {key} cannot be {value!r}: {why}.\nSee: whence {command} --help",
        slug="bad-settings",
    )


def _unknown(key: str, known: list[str]) -> UserError:
    return UserError(
        f"{FILE}: there is no setting {key!r}.\nSettings are: {', '.join(known)}",
        slug="bad-settings",
    )
