"""Git finds the changed lines and renames; the user's configuration does not affect the result."""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.changes.gitdiff import FilePair, diff_files, make_patch
from whence.model import Span


def text(*numbers: int) -> bytes:
    return b"".join(b"this is line %d\n" % number for number in numbers)


OLD = {"a.c": text(*range(9)), "gone": b"gone\n", "old name": text(*range(20, 29))}
NEW = {"a.c": text(0, 1, 77, 3, 4, 88, 5, 6, 7), "come": b"no\n", "new\nname": text(*range(20, 28))}
EXPECTED = [
    FilePair(
        "a.c",
        "a.c",
        ((Span(3, 1), Span(3, 1)), (Span(5, 0), Span(6, 1)), (Span(9, 1), Span(9, 0))),
    ),
    FilePair("old name", "new\nname", ((Span(9, 1), Span(8, 0)),)),
]


def test_pairs_are_files_of_one_name_and_renamed_ones() -> None:
    assert diff_files(OLD, NEW) == EXPECTED


def test_a_file_with_nul_bytes_has_no_lines() -> None:
    assert diff_files({"a": b"\0x\n"}, {"a": b"\0y\n"}) == [FilePair("a", "a", None)]


def test_empty_files_are_no_renames_of_each_other() -> None:
    assert diff_files({"a": b""}, {"b": b""}) == []


def test_content_that_looks_like_a_patch_is_content() -> None:
    fake = b"diff --git a/x b/x\nBinary files differ\n@@ -1 +1 @@\n\\ No newline at end of file"
    whole = FilePair("a", "a", ((Span(0, 0), Span(1, 4)),))
    assert diff_files({"a": b"", "b": b"1\n"}, {"a": fake, "b": b"2\n"}) == [
        whole,
        FilePair("b", "b", ((Span(1, 1), Span(1, 1)),)),
    ]


@pytest.fixture
def hostile_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configure git in every way that could change its output."""
    home, template = tmp_path / "home", tmp_path / "template"
    (template / "info").mkdir(parents=True)
    (template / "info" / "attributes").write_text("* binary\n")
    home.mkdir()
    (home / "attributes").write_text("*.c binary\n* diff=shout\n")
    (home / ".gitconfig").write_text(
        "[diff]\n algorithm = patience\n external = false\n renames = false\n noprefix = true\n"
        " context = 9\n mnemonicPrefix = true\n interHunkContext = 99\n wsErrorHighlight = all\n"
        '[diff "shout"]\n textconv = tr a-z A-Z <\n binary = true\n'
        f"[core]\n attributesFile = {home}/attributes\n quotePath = false\n autocrlf = true\n"
        "[color]\n ui = always\n"
        f"[init]\n templateDir = {template}\n defaultBranch = old\n"
        "[fetch]\n fsckObjects = true\n"
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "diff.external")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "false")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    monkeypatch.setenv("GIT_DIFF_OPTS", "-u9")
    monkeypatch.setenv("GIT_TEMPLATE_DIR", str(template))
    monkeypatch.setenv("LANGUAGE", "de")


@pytest.mark.usefixtures("hostile_git")
def test_the_users_git_configuration_has_no_influence_on_the_lines() -> None:
    assert diff_files(OLD, NEW) == EXPECTED


def test_the_users_git_configuration_has_no_influence_on_a_patch(
    request: pytest.FixtureRequest,
) -> None:
    versions = (
        {path: ("100644", content) for path, content in OLD.items()},
        {path: ("100755", content) for path, content in NEW.items()},
    )
    plain = make_patch(*versions)
    request.getfixturevalue("hostile_git")
    assert make_patch(*versions) == plain


def test_attributes_in_the_trees_have_no_influence() -> None:
    attributes = {".gitattributes": b"* binary\n"}
    assert diff_files(OLD | attributes, NEW | attributes) == EXPECTED
