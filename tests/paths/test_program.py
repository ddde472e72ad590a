"""Which inputs does the program of a test have, and does it run with others?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.paths.exploring import program
from whence.errors import UserError
from whence.inputs import STDIN, InputSource, SourceKind, argument, variable
from whence.paths.input_spec import chosen_inputs, parse_input_spec

ECHO = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int c;
    for (int k = 1; k < argc; k++)
        printf("%s;", argv[k]);
    while ((c = getchar()) != EOF)
        putchar(c);
    return 0;
}
"""
CAT = """
#include <stdio.h>
int main(int argc, char **argv) {
    FILE *file = fopen(argv[1], "r");
    int c;
    while (file && (c = getc(file)) != EOF)
        putchar(c);
    return file ? 0 : 3;
}
"""
GREETING = """
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *name = getenv("NAME"); puts(name ? name : "nobody"); return 0; }
"""
FILE = InputSource(SourceKind.FILE, "data")


@pytest.mark.parametrize(
    ("test", "stdin"),
    [
        ("./p a b < in", b"12"),
        ("echo hello | ./p a b", b"hello\n"),
        ("./p a b <<END\nline\nEND", b"line\n"),
    ],
)
def test_standard_input_is_found_wherever_it_comes_from(
    tmp_path: Path, test: str, stdin: bytes
) -> None:
    opened = program(tmp_path, ECHO, stdin=b"12", test=test)
    assert opened.free == {argument(1), argument(2), STDIN}
    assert opened.first[STDIN] == stdin
    other = {**opened.first, argument(2): b"other", STDIN: b"new\0"}
    assert opened.run_plain(other).stdout == b"a;other;new\0"
    assert opened.run(other).ended.stdout == b"a;other;new\0"


def test_a_file_that_an_argument_names_is_the_input_and_its_name_is_none(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "data").write_bytes(b"old")
    opened = program(tmp_path, CAT, test="./p data")
    assert opened.free == {FILE}
    assert opened.run_plain({**opened.first, FILE: b"new"}).stdout == b"new"
    assert opened.run_plain(opened.first).stdout == b"old"


def test_a_script_gives_its_inputs_to_the_program(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    script = "printf made > data && export NAME=me && ./p data > out && grep -q made out"
    (tmp_path / "tree" / "check.sh").write_text(script)
    opened = program(tmp_path, CAT, test="sh check.sh")
    assert opened.free == {FILE}
    assert opened.run_plain(opened.first).stdout == b"made"
    assert any("without the script" in note for note in opened.notes)


def test_the_environment_changes_only_when_it_is_asked_for(tmp_path: Path) -> None:
    opened = program(tmp_path, GREETING, test="NAME=me ./p x", inputs=["env:NAME"])
    assert opened.free == {variable("NAME")}
    assert opened.run_plain({**opened.first, variable("NAME"): b"you"}).stdout == b"you\n"


@pytest.mark.parametrize("arguments", ["a b", "'one word' \"it's\""])
def test_a_written_test_runs_without_whence(tmp_path: Path, arguments: str) -> None:
    opened = program(tmp_path, ECHO, test=f"./p {arguments} < in", stdin=b"12")
    new = {**opened.first, STDIN: b"\xff\n", argument(1): b"*?$'\xfe"}
    made = opened.write_test(new, tmp_path / "tests", "t1")
    wanted = opened.run_plain(new).stdout
    tree = tmp_path / "tree"
    for command in (made.command, f"sh {tmp_path}/tests/{made.script} {tree}"):
        found = subprocess.run(["/bin/sh", "-c", command], cwd=tree, capture_output=True)
        assert found.stdout == wanted


def test_a_written_test_with_files_leaves_the_tree_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "data").write_bytes(b"old")
    opened = program(tmp_path, CAT, test="./p data")
    made = opened.write_test({**opened.first, FILE: b"new"}, tmp_path / "tests", "t1")
    found = subprocess.run(
        ["/bin/sh", "-c", made.command], cwd=tmp_path / "tree", capture_output=True
    )
    assert found.stdout == b"new"
    assert (tmp_path / "tree" / "data").read_bytes() == b"old"


def test_an_input_that_the_test_does_not_have_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="argument 1") as error:
        program(tmp_path, ECHO, "a", inputs=["argv:4"])
    assert error.value.slug == "no-such-input"


@pytest.mark.parametrize("text", ["argv:", "argv:0", "file", "stdin:1", "env:", "clock", "argv:x"])
def test_a_wrong_name_of_an_input_is_a_mistake(text: str) -> None:
    with pytest.raises(UserError) as error:
        parse_input_spec(text)
    assert error.value.slug == "bad-input-spec"


@pytest.mark.parametrize(
    ("test", "free"),
    [
        ("./p a data < in", {argument(1), STDIN, FILE}),
        ("./p a ./data", {argument(1), FILE}),
        ("./check", {argument(1), STDIN, FILE}),
        ("./p 'a", {STDIN, FILE, argument(1)}),
    ],
)
def test_the_inputs_that_the_test_names_may_change(test: str, free: set[InputSource]) -> None:
    known = {
        argument(0): b"./p", argument(1): b"a", argument(2): b"./data", STDIN: b"", FILE: b"x",
        variable("HOME"): b"/",
    }  # fmt: skip
    assert chosen_inputs([], known, test) == free
