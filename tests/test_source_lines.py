"""Is a line of source text for whence what it is for clang and for Python?"""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whence
from whence.changes.syntax import ParsedSource
from whence.frontend.c.clang import compiler
from whence.program.source import SourceLines
from whence.source_lines import (
    decoded_lines,
    distinct_newlines,
    lines_with_ends,
    only_newlines,
    source_lines,
)

# The characters at which `str.splitlines` ends a line although no compiler does.
BREAKS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
ENDS = ("\n", "\n", "\r\n", "\r")

junk = st.text(st.sampled_from(f"{BREAKS} ab"), max_size=4)


def texts(code: str, comment: str) -> st.SearchStrategy[str]:
    """Draw a text of statements and comments; `code` holds the number of the statement."""
    line = st.tuples(st.booleans(), junk, st.sampled_from(ENDS))

    def text(lines: list[tuple[bool, str, str]]) -> str:
        return "".join(
            (code % number if is_code else "") + f"{comment} {rest}{end}"
            for number, (is_code, rest, end) in enumerate(lines)
        )

    return st.lists(line, max_size=12).map(text)


@settings(max_examples=150, deadline=None)
@given(text=texts("v%d = 0 ", "#"))
def test_python_counts_the_same_lines(text: str) -> None:
    lines = source_lines(text)
    for statement in ast.parse(text.encode()).body:
        assert isinstance(statement, ast.Assign)
        name = ast.unparse(statement.targets[0])
        assert lines[statement.lineno - 1].startswith(f"{name} = 0 ")
    parsed = ParsedSource("python", text.encode())
    assert {s.lineno for s in ast.parse(text.encode()).body} <= parsed.statement_starts(1, 99)


@settings(max_examples=8, deadline=None)
@given(programs=st.lists(texts("int v%d = __LINE__; ", "//"), min_size=20, max_size=20))
def test_clang_counts_the_same_lines(
    programs: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    for number, text in enumerate(programs):
        (folder / f"{number}.h").write_bytes(text.encode())
    whole = "".join(f'FILE{n}\n#include "{n}.h"\n' for n in range(len(programs)))
    (folder / "all.c").write_text(whole)
    command = [*compiler(False, os.environ), "-E", "-P", "all.c", "-o", "all.i"]
    subprocess.run(command, cwd=folder, check=True)
    shown = SourceLines(folder)
    file, checked = "", 0
    for word in (folder / "all.i").read_text().replace(" ", "").split("\n"):
        if word.startswith("FILE"):
            file = f"{word.removeprefix('FILE')}.h"
        elif word:
            name, line = word.removeprefix("int").rstrip(";").split("=")
            assert shown.line(file, int(line)).startswith(f"int {name} = __LINE__; ")
            checked += 1
    assert checked == sum(text.count("__LINE__") for text in programs)


@given(content=st.binary() | st.text(st.sampled_from(f"{BREAKS}\r\n\0a")).map(str.encode))
def test_all_functions_agree_on_the_lines(content: bytes) -> None:
    with_ends = lines_with_ends(content)
    assert b"".join(with_ends) == content
    bare = [line.rstrip(b"\r\n").decode("utf-8", "replace") for line in with_ends]
    if all(line.rstrip(b"\r\n").isascii() for line in with_ends):
        assert bare == decoded_lines(content)
    assert len(with_ends) == len(decoded_lines(content))
    for as_git_counts in (only_newlines(content), distinct_newlines(content)):
        newlines = as_git_counts.count(b"\n")
        assert newlines + (not as_git_counts.endswith(b"\n") and bool(content)) == len(with_ends)
    assert len(only_newlines(content)) == len(content)


@given(lines=st.lists(st.text(st.sampled_from("\r\na")).map(str.encode), min_size=2, max_size=2))
def test_distinct_newlines_keep_different_lines_different(lines: list[bytes]) -> None:
    first, second = lines
    assert (distinct_newlines(first) == distinct_newlines(second)) == (first == second)


# --- nobody splits source in another way ----------------------------------------------------------

# Modules that split text that is not source, and the kind of text.
OTHER_TEXT = {
    "chain/wrong_output.py": "what a test printed",
    "causes/written_difference.py": "the output of a program",
    "chain/causality.py": "a file of ours",
    "changes/gitdiff.py": "the output of git",
    "changes/syntax.py": "the result of only_newlines",
    "cli/augment.py": "a list of commands",
    "cli/console.py": "text for a terminal",
    "cli/interactive.py": "a message",
    "environment/caller.py": "the output of addr2line",
    "environment/differing.py": "a file that a test reads",
    "environment/inherited.py": "a file of the kernel",
    "explain/meeting/conditions.py": "the result of only_newlines",
    "explain/meeting/source_file.py": "the result of only_newlines",
    "explain/nearness.py": "the output of a program",
    "explain/session.py": "a message",
    "frontend/c/clang.py": "a file of ours",
    "frontend/c/kept_modules.py": "a file of ours",
    "frontend/c/models.py": "a table of ours",
    "frontend/c/process.py": "a file of the recorder",
    "frontend/c/reader.py": "LLVM IR",
    "frontend/c/record.py": "the output of a program",
    "frontend/c/summaries.py": "a table of ours",
    "frontend/python/hook/whence_recorder/module.py": "does what only_newlines does",
    "frontend/python/hook/whence_recorder/preparing.py": "the two lines that may name an encoding",
    "frontend/python/record.py": "the output of a program",
    "frontend/rerun/c.py": "a file of the recorder",
    "frontend/rerun/python.py": "a file of the recorder",
    "paths/python/observing.py": "a file of ours",
    "paths/python/test_modules.py": "a message",
    "paths/python/texts.py": "does what a program does",
    "pytest_plugin.py": "the output of whence",
    "search/reference_errors.py": "the output of a program",
    "source_lines.py": "this module decides",
    "augment/nearby.py": "an input of a program, and its output",
    "report/augment.py": "the output of a program",
    "frontend/c/normal_form.py": "code of LLVM",
    "subject/build_errors.py": "the output of a compiler",
    "subject/complaints.py": "the output of a compiler",
    "subject/coverage.py": "a log of the coverage hook",
    "subject/definitions.py": "the result of only_newlines",
    "subject/output_text.py": "the output of a program",
    "subject/risky_warnings.py": "the output of a compiler",
    "contract/session.py": "the output of a program",
    "subject/source_check.py": "the output of a compiler",
    "subject/sources/pypi.py": "the output of pip",
    "subject/tracebacks.py": "the output of a program",
    "subject/trial.py": "the output of a program",
    "trace/c/unrecorded.py": "a file of the recorder",
}
SOURCES = Path(whence.__file__).parent


def splits_lines(node: ast.AST) -> bool:
    """Is the node a call that splits text into lines, or counts them?"""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in ("splitlines", "readlines"):
        return True
    first = node.args[0] if node.args else None
    is_newline = isinstance(first, ast.Constant) and first.value in ("\n", b"\n")
    return is_newline and node.func.attr in ("split", "rsplit", "count")


def modules_that_split_lines() -> Iterator[str]:
    for path in sorted(SOURCES.rglob("*.py")):
        if any(map(splits_lines, ast.walk(ast.parse(path.read_bytes())))):
            yield path.relative_to(SOURCES).as_posix()


def test_only_one_module_splits_source() -> None:
    """If this fails: use whence.source_lines for source, or say which other text you split."""
    assert set(modules_that_split_lines()) == OTHER_TEXT.keys()


@pytest.mark.parametrize(
    "code", ["text.splitlines()", "a.b.split('\\n')", "x.count(b'\\n', 3)", "file.readlines()"]
)
def test_the_lint_sees_a_split(code: str) -> None:
    assert any(map(splits_lines, ast.walk(ast.parse(code))))
