"""Are mistakes in whence.toml reported, and are its settings used?"""

from __future__ import annotations

import pytest

from .prompt import User, check_refused


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("jobs =\n", ("cannot be read", "line 1")),
        ("jobz = 2", ("'jobz'", "jobs")),
        ("[isolat]", ("'[isolat]'", "[isolate]")),
        ("[isolate]\njobz = 2", ("'isolate.jobz'", "jobs")),
        ('jobs = "many"', ("jobs", "'many'", "a whole number")),
        ("jobs = true", ("jobs", "a whole number")),
        ("jobs = [1]", ("jobs", "a whole number")),
        ("jobs = 0", ("jobs", "0 is not in the range 1<=x<=1000")),
        ("confirm = 1.5", ("confirm", "1.5", "a whole number")),
        ('keep = "x"', ("keep", "'x'", "a list")),
        ("keep = [1]", ("keep", "[1]", "a list")),
        ('all = "yes"', ("all", "'yes'", "true or false")),
        ("store = 3", ("store", "3", "a string")),
        ('timeout = "1 h"', ("timeout", "'1 h'", "a number")),
        ('memory = "lots"', ("memory", "'lots'", "512M")),
        ('method = "magic"', ("method", "'magic'", "ddmin")),
        ("debug = true", ("'debug'",)),
        ('json = "../notes.json"', ("json", "'../notes.json'", "--json yourself")),
        ('store = "/etc/passwd"', ("store", "'/etc/passwd'", "--store yourself")),
    ],
)
def test_a_mistake_is_reported(user: User, text: str, claims: tuple[str, ...]) -> None:
    user.write("whence.toml", text)
    check_refused(user.isolate(), "whence.toml", *claims, slug="bad-settings")


def test_every_setting_is_used_unless_an_option_is_given(user: User) -> None:
    user.write(
        "whence.toml",
        """
        good = "good"
        test = "false"
        keep = ["words"]
        timeout = 30
        memory = "1G"
        [isolate]
        bad = "bad"
        quiet = true
        """,
    )
    result = user.whence("isolate", "--test", "! grep -q 44 numbers")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("1 change of 2 broke the test.")


def test_a_link_cannot_make_a_setting_overwrite_a_file_elsewhere(user: User) -> None:
    mine = user.kept / "mine"
    mine.write_text("mine")
    (user.here / "report.json").symlink_to(mine)
    user.write("whence.toml", 'json = "report.json"')
    check_refused(user.isolate(), "whence.toml", "report.json", slug="bad-settings")
    assert mine.read_text() == "mine"
