"""Do the options of `whence explain` and its settings do what their help says?"""

from __future__ import annotations

import json

import pytest

from .prompt import TEST, User, check_refused

EXPLAIN = ("explain", "--good", "good", "--bad", "bad", "--frontend", "none", "--test", TEST)


def test_all_options_of_explain_can_be_set_in_whence_toml(user: User) -> None:
    user.write(
        "whence.toml",
        """
        good = "good"
        test = "false"
        keep = ["words"]
        quiet = true
        [explain]
        bad = "bad"
        frontend = "none"
        trust = ["strlen"]
        max-trace = "1G"
        [isolate]
        bad = "nowhere"
        """,
    )
    result = user.whence("explain", "--test", TEST, "--json", "-")
    assert (result.status in (0, 1), result.err) == (True, "")
    document = json.loads(result.out)
    assert (document["command"], document["changes"]["total"]) == ("explain", 2)
    assert [change["file"] for change in document["root"]] == ["numbers"]


@pytest.mark.parametrize(
    ("setting", "claim"),
    [
        ('frontend = "cobol"', "frontend"),
        ('trust = "strlen"', "a list"),
        ("html = 3", "a string"),
        ('max-trace = "much"', "512M"),
        ("depth = 3", "'explain.depth'"),
    ],
)
def test_a_mistake_in_whence_toml_is_reported(user: User, setting: str, claim: str) -> None:
    user.write("whence.toml", f"[explain]\n{setting}\n")
    check_refused(user.whence(*EXPLAIN), "whence.toml", claim, slug="bad-settings")


@pytest.mark.parametrize("option", ["--json", "--html", "--sarif", "--dot", "--patch"])
def test_a_report_that_cannot_be_written_is_reported_before_the_work(
    user: User, option: str
) -> None:
    result = user.whence(*EXPLAIN, option, "no/such/folder/report")
    check_refused(result, "no/such/folder/report", slug="cannot-write")
    assert "running the test" not in result.err


def test_help_names_explain_first(user: User) -> None:
    result = user.whence("--help")
    first, second = result.out.index("whence explain"), result.out.index("whence isolate")
    assert first < second
    assert "git whence" in result.out
