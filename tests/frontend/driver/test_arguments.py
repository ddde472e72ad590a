"""Is a compiler's command line parsed, and rebuilt as it was?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compiling import CC
from whence.frontend.c.arguments import (
    ArgumentKind,
    SourceLanguage,
    Stage,
    expand,
    join,
    linkable,
    parse_command_line,
    recordable,
    split,
)

KNOWN = {
    ("-c",): ArgumentKind.STAGE,
    ("-o", "out.o"): ArgumentKind.OUTPUT,
    ("-Idir",): ArgumentKind.PREPROCESSOR,
    ("-I", "-strange"): ArgumentKind.PREPROCESSOR,
    ("-D", "X=-c"): ArgumentKind.PREPROCESSOR,
    ("-include", "x.h"): ArgumentKind.PREPROCESSOR,
    ("-MD",): ArgumentKind.DEPENDENCIES,
    ("-MF", "x.d"): ArgumentKind.DEPENDENCIES,
    ("-MTx",): ArgumentKind.DEPENDENCIES,
    ("-lm",): ArgumentKind.LINK,
    ("-Xlinker", "-E"): ArgumentKind.LINK,
    ("-Wl,-z,defs",): ArgumentKind.LINK,
    ("-Xclang", "-S"): ArgumentKind.OTHER,
    ("-target", "x86_64-linux"): ArgumentKind.OTHER,
    ("--param", "a=b.c"): ArgumentKind.OTHER,
    ("-Wall",): ArgumentKind.OTHER,
    ("-std=c99",): ArgumentKind.OTHER,
    ("-fno-such-thing",): ArgumentKind.OTHER,
    ("a.c",): ArgumentKind.INPUT,
    ("b.o",): ArgumentKind.INPUT,
}
UNKNOWN = st.from_regex(r"-[fWm][a-z][a-z0-9=-]{0,8}", fullmatch=True)


@given(st.permutations(list(KNOWN)))
def test_known_options_are_recognised_in_any_order(options: list[tuple[str, ...]]) -> None:
    line = parse_command_line([word for option in options for word in option])
    assert [(a.words, a.kind) for a in line.arguments] == [(o, KNOWN[o]) for o in options]
    assert (line.stage, line.output) == (Stage.OBJECT, "out.o")
    assert {file.path: file.language for file in line.inputs} == {
        "a.c": SourceLanguage.SOURCE,
        "b.o": SourceLanguage.LINKABLE,
    }


@given(st.lists(st.one_of(UNKNOWN.map(lambda word: (word,)), st.sampled_from(list(KNOWN)))))
def test_unknown_options_are_kept_in_order(options: list[tuple[str, ...]]) -> None:
    line = parse_command_line([word for option in options for word in option])
    assert [word for a in line.arguments for word in a.words] == [w for o in options for w in o]
    unknown = [option for option in options if option not in KNOWN]
    assert [a.words for a in line.arguments if a.words not in KNOWN] == unknown


@pytest.mark.parametrize(
    ("words", "stage"),
    [
        ("a.c", Stage.LINKED),
        ("-c a.c", Stage.OBJECT),
        ("-c -S a.c", Stage.ASSEMBLY),
        ("-c -E a.c", Stage.EARLIER),
        ("-M a.c", Stage.EARLIER),
        ("-MD a.c", Stage.LINKED),
        ("-c -emit-llvm a.c", Stage.EARLIER),
        ("-### a.c", Stage.EARLIER),
        ("--print-file-name=x", Stage.EARLIER),
        ("-Xlinker -E a.c", Stage.LINKED),
    ],
)
def test_where_the_compiler_stops(words: str, stage: Stage) -> None:
    assert parse_command_line(words.split()).stage is stage


def test_a_language_option_applies_until_the_next() -> None:
    first, then = ["a.c", "-x", "c", "b.txt", "-"], ["-xassembler-with-cpp", "c.c"]
    line = parse_command_line([*first, *then, "-x", "none", "d.cc", "e.so"])
    assert [(file.path, file.language) for file in line.inputs] == [
        ("a.c", SourceLanguage.SOURCE),
        ("b.txt", SourceLanguage.SOURCE),
        ("-", SourceLanguage.SOURCE),
        ("c.c", SourceLanguage.ASSEMBLER),
        ("d.cc", SourceLanguage.SOURCE),
        ("e.so", SourceLanguage.LINKABLE),
    ]


def test_the_last_output_counts_and_may_be_joined() -> None:
    assert parse_command_line(["-o", "a", "-ob"]).output == "b"
    assert parse_command_line(["-o"]).output is None


def words_of(line: str, choose: object) -> list[str]:
    assert callable(choose)
    return [
        word
        for argument in choose(parse_command_line(line.split()).arguments)
        for word in argument.words
    ]


def test_options_that_recording_drops() -> None:
    line = "-O2 -Os -g0 -ggdb3 -gdwarf-5 -flto=auto -fsanitize=address -pipe -fpie -DX"
    assert words_of(line, recordable) == ["-fPIC", "-gdwarf-5", "-fpie", "-DX", "-O0", "-g"]
    assert words_of("-D _FORTIFY_SOURCE=2 -U_FORTIFY_SOURCE", recordable)[1] == "-U_FORTIFY_SOURCE"
    assert words_of("-O2 --coverage -lgcov -Werror", linkable) == ["-O2", "-lgcov", "-Werror"]


# -- response files ------------------------------------------------------------------------


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"]))))
def test_a_response_file_holds_any_words(words: list[str]) -> None:
    assert split(join(words)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" a\tb\n c ", ["a", "b", "c"]),
        (r"a\ b '' \\ \"", ["a b", "", "\\", '"']),
        ("""-DX="a b"c'd "e'f""", ['-DX=a bcd "ef']),
        (r"""'it\'s' "\"x\"" """, ["it's", '"x"']),
        (r"""-DS=\"text\" 'C:\\dir'""", ['-DS="text"', "C:\\dir"]),
        ("'open", ["open"]),
    ],
)
def test_quoting(text: str, words: list[str]) -> None:
    assert split(text) == words


@given(st.text("a \\\"'\n", max_size=8).filter(lambda text: not text.endswith("\\")))
def test_any_text_can_be_split(text: str) -> None:
    assert "".join(split(text)).count("a") == text.count("a")


def test_response_files_nest_and_may_be_missing(tmp_path: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.write_text(f"-b @{outer}")
    outer.write_text(f"-a @{inner} @{tmp_path}/missing")
    assert list(expand(["x", f"@{outer}", "@"])) == [
        "x", "-a", "-b", f"@{outer}", f"@{tmp_path}/missing", "@"
    ]  # fmt: skip


def test_the_compiler_reads_our_response_files_the_same_way(tmp_path: Path) -> None:
    """A macro that we quote reaches the compiler unchanged."""
    value = """"it's \\\\ a \\"test\\"" """
    response = tmp_path / "r"
    response.write_text(join(["-E", "-P", "-xc", f"-DX={value}", "-"]))
    done = subprocess.run(
        [*CC, f"@{response}"], input="X", capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == value.strip()
