"""Does the comment on a pull request show the result, and is all of its text harmless?"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.report.strategies import texts

SCRIPT = Path(__file__).parents[2] / "examples" / "github-actions" / "comment.py"
BLOB = "https://host/blob"
OURS = re.compile(
    r"<!-- whence -->|</?details>|<details><summary>[\w ,()]*</summary>|", re.ASCII
)  # all the HTML that there may be


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("comment", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


script = _load()
CHANGE = {
    "id": 4,
    "file": "src/sum.c",
    "function": "add",
    "old": [7, 1],
    "new": [8, 1],
    "text": "@@ -7,1 +8,1 @@\n-a + b\n+a - b",
}
FOUND: dict[str, Any] = {
    "status": "explained",
    "reason": None,
    "failure": {"message": "sum == 4", "file": "main.c", "line": 3},
    "changes": {"total": 71, "executed": 3},
    "root": [CHANGE],
    "auxiliary": [{**CHANGE, "file": "sum.h", "function": None}],
    "other": [{"root": [CHANGE], "is_dodge": True, "why": "`sum` is not asked for"}],
    "passing": "good",
    "dodged": None,
    "chain": [
        {
            "step": "value",
            "file": "src/sum.c",
            "line": 8,
            "text": "return a - b;",
            "says": "the changed line sets `sum`",
            "passing": {"sum": "4"},
            "failing": {"sum": "1"},
            "times": 2,
        }
    ],
    "causes": [
        {
            "id": 1,
            "parent": 0,
            "predicate": {"text": "sum == 4", "file": "main.c", "line": 3},
            "because": "it was 1",
        }
    ],
    "notes": ["it is flaky"],
}


def rendered(markdown: str) -> list[Token]:
    """Return all tokens of a comment, read as CommonMark with HTML."""
    tokens: list[Token] = []
    for token in MarkdownIt("commonmark").parse(markdown):
        tokens += [token, *(token.children or [])]
    return tokens


def shown(markdown: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the content of every text that a reader sees."""
    for token in rendered(markdown):
        if token.type in ("text", "code_inline", "fence"):
            yield token.type, token.content


# --- what it says ----------------------------------------------------------------------------


def test_a_comment_shows_the_result() -> None:
    made = script.comment(FOUND, blob=BLOB, artifact="https://host/run")
    assert made.startswith("<!-- whence -->\n### whence: 1 of 71 changes broke the test\n")
    seen = list(shown(made))
    assert ("fence", "@@ -7,1 +8,1 @@\n-a + b\n+a - b\n") in seen
    assert ("code_inline", "sum == 4") in seen
    assert "good: ` sum = 4 `, failing: ` sum = 1 `" in made
    assert "Reverting it only avoids the faulty code" in made
    assert "](https://host/blob/src/sum.c#L8)" in made
    assert made.endswith("[The whole report](https://host/run) has more.\n")


def test_a_comment_says_why_nothing_was_found() -> None:
    nothing = {"status": "unexplained", "reason": "out of runs", "root": [], "chain": []}
    made = script.comment({**FOUND, **nothing})
    assert "whence: 0 of 71 changes left" in made
    assert "Not found: out of runs" in made


def test_isolated_is_not_explained() -> None:
    made = script.comment({**FOUND, "status": "isolated", "reason": "no front end", "chain": []})
    assert "the test passes." in made
    assert "\nno front end\n" in made


def test_it_is_a_program(tmp_path: Path) -> None:
    (tmp_path / "found.json").write_text(json.dumps(FOUND))
    command = [sys.executable, "-I", str(SCRIPT), "--blob", BLOB, str(tmp_path / "found.json")]
    assert subprocess.check_output(command, text=True) == script.comment(FOUND, blob=BLOB)


# --- what it does not do ---------------------------------------------------------------------

SHARP = (
    *("```", "~~~~", "``", "`", "` `", "\n\n", "\n```\n@all", "a`b``c```d", "\\", "\\`", "    x"),
    *("@octocat", "#1", "o/r#1", "GH-1", "![x](https://evil/x.png)", "[x](javascript:1)", "](x)"),
    *("<https://evil>", "https://evil", "www.evil.org", "a@evil.org", "# head", "- item", "1. x"),
    *(
        "> x",
        "***",
        "---\n",
        "| a |",
        "&lt;",
        "&#64;all",
        "</details>",
        "<!--",
        "--> @all",
        "\r@all",
    ),
    *("</summary>", "[^1]: x", "[x]: https://evil", "$x$", ":shipit:", "<details>", "* [ ] x"),
)
anything = st.lists(st.sampled_from(SHARP) | texts, max_size=4).map("".join)
values = st.dictionaries(anything, anything, max_size=3)
lines = st.integers(0, 10**6)
changes = st.fixed_dictionaries(
    {
        "file": anything,
        "function": st.none() | anything,
        "new": st.tuples(lines, lines),
        "text": anything,
    }
)
links = st.fixed_dictionaries(
    {
        "step": st.sampled_from(["change", "missing", "value", "branch", "failure"]),
        "file": anything,
        "line": lines,
        "text": anything,
        "says": anything,
        "passing": values,
        "failing": values,
        "times": st.integers(1, 5),
    }
)
predicates = st.fixed_dictionaries({"text": anything, "file": anything, "line": lines})
causes = st.fixed_dictionaries(
    {
        "id": lines,
        "parent": st.none() | lines,
        "predicate": predicates,
        "because": anything,
    }
)
others = st.fixed_dictionaries(
    {"root": st.lists(changes, max_size=2), "is_dodge": st.booleans(), "why": anything}
)
documents = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["explained", "isolated", "unexplained"]),
        "reason": st.none() | anything,
        "failure": st.fixed_dictionaries(
            {"message": anything, "file": st.none() | anything, "line": st.none() | lines}
        ),
        "changes": st.just({"total": 3, "executed": None}),
        "root": st.lists(changes, max_size=3),
        "auxiliary": st.lists(changes, max_size=2),
        "other": st.lists(others, max_size=2),
        "passing": anything,
        "dodged": st.none() | anything,
        "chain": st.lists(links, max_size=4),
        "causes": st.lists(causes, max_size=3),
        "notes": st.lists(anything, max_size=2),
    }
)


@settings(deadline=None)  # a busy machine is slow
@given(document=documents)
def test_no_text_has_an_effect(document: dict[str, Any]) -> None:
    made = script.comment(document, blob=BLOB)
    for token in rendered(made):
        assert token.type not in ("image", "code_block"), made
        if token.type in ("html_block", "html_inline"):
            assert all(OURS.fullmatch(line) for line in token.content.strip().split("\n")), made
        elif token.type == "link_open":
            assert str(token.attrs["href"]).startswith(f"{BLOB}/"), made
        elif token.type == "heading_open":
            assert token.tag in ("h3", "h4")
        elif token.type == "text":  # GitHub looks for links in these
            assert not re.search(r"[@#]\w|https?://\w|www\.\w", token.content), made
    unfolded = [t.content for t in rendered(made) if t.type == "html_block"]
    assert sum("<details>" in html for html in unfolded) == sum("</details>" in h for h in unfolded)
    assert not re.search("[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", made)


@pytest.mark.parametrize("long", ["x", "\0", "`x", "😀\n"])
def test_it_is_never_longer_than_github_takes(long: str) -> None:
    change = {**CHANGE, "text": "\n".join([long * 500] * 80), "file": long * 1000}
    values = {f"{long * 9}{number}": long for number in range(99)}
    link = {**FOUND["chain"][0], "says": long * 5000, "passing": values}
    much = {"root": [change] * 99, "auxiliary": [change] * 9, "chain": [link] * 99}
    made = script.comment({**FOUND, **much, "reason": long * 10**5}, blob=BLOB, artifact=BLOB)
    assert len(made.encode()) <= 65_536
    assert made.endswith(f"[The whole report]({BLOB}) has more.\n")
    assert "whence: 99 of 71 changes" in made
    assert "```diff" in made
    assert "From the changes to the failure" in made


@settings(deadline=None)
@given(text=anything)
def test_code_is_shown_as_it_is(text: str) -> None:
    (inline,) = (t for t in MarkdownIt("commonmark").parse(f"- {script.code(text)}") if t.children)
    assert inline.children is not None
    assert [child.type for child in inline.children] == ["code_inline"]
    assert inline.children[0].content.strip() == script.visible(text).strip()


@settings(deadline=None)
@given(text=anything)
def test_prose_is_shown_as_it_is(text: str) -> None:
    tokens = rendered(f"- {script.prose(text)}")
    seen = "".join(t.content for t in tokens if t.type in ("text", "code_inline", "text_special"))
    said = script.visible("".join(text.split()), 2000)
    assert re.sub(r"[\s\u200b`]", "", seen)[:200] == re.sub(r"[\s`]", "", said)[:200]


AUGMENTED: dict[str, Any] = {
    "command": "augment",
    "status": "done",
    "reason": None,
    "notes": [],
    "changes": [
        {
            **CHANGE,
            "status": "exposed",
            "because": "The good version prints `1`.",
            "made": True,
            "test": {"command": "./sum 2"},
            "outputs": {"good": "4\n", "bad": "```\n<b>@team</b>\n"},
        },
        {**CHANGE, "id": 5, "status": "reached", "because": "Its effect dies.", "made": False,
         "test": None, "outputs": None},
    ],
}  # fmt: skip


def test_a_comment_says_what_the_changes_of_a_pull_request_change() -> None:
    made = script.comment(AUGMENTED, blob=BLOB)
    assert "2 changes: 1 exposed, 1 reached" in made
    assert "A new test shows it: ` ./sum 2 `" in made
    assert "1 change that a test executes, and no test shows" in made
    kinds = {token.type for token in MarkdownIt().parse(made)}
    assert "html_inline" not in kinds
    assert "````\n```\n<b>@team</b>" in made  # a fence that the output cannot close
