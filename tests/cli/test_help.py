"""Does every option of every command say what it does, in the same words everywhere?"""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from whence import pytest_plugin
from whence.cli.git import git_whence
from whence.cli.main import cli

COMMANDS: dict[str, click.Command] = {**cli.commands, "git whence": git_whence}


def options_of(command: click.Command) -> Iterator[click.Option]:
    return (param for param in command.params if isinstance(param, click.Option))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help(name: str) -> None:
    for option in options_of(COMMANDS[name]):
        assert option.help, option.opts
        assert re.fullmatch(r"[A-Z$].*[.\]]", option.help, re.DOTALL), option.help


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    assert COMMANDS[name].help


@pytest.mark.parametrize("flag", ["--trust", "--quiet", "--debug", "--repo", "--max-trace"])
def test_an_option_of_several_commands_has_the_same_help_in_all(flag: str) -> None:
    found = {
        option.help
        for command in COMMANDS.values()
        for option in options_of(command)
        if flag in option.opts
    }
    assert len(found) == 1, found


def test_every_option_and_setting_of_the_plugin_has_help() -> None:
    parser = pytest.Parser(_ispytest=True)
    pytest_plugin.pytest_addoption(parser)
    (group,) = (group for group in parser._groups if group.name == "whence")
    assert all(option.attrs().get("help") for option in group.options)
    assert all(help_text for help_text, *_ in parser._inidict.values())
