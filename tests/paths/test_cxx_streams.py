"""Are the bytes inputs that a C++ program reads from std::cin or a file stream?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.paths.exploring import program
from whence.inputs import STDIN, InputByte, InputSource, SourceKind
from whence.paths.c.runs import CRun

HEAD = "#include <fstream>\n#include <iostream>\n#include <sstream>\n#include <string>\n"
READERS = {
    "lines": "std::getline(std::cin, text); letter = text[1];",
    "words": "std::cin >> text; letter = text[1];",
    "characters": "std::cin.get(); letter = std::cin.get();",
    "array": "char line[9]; std::cin.getline(line, 9); letter = line[1];",
    "ignored": "std::cin.ignore(1); std::cin >> letter;",
    "ignored to a sign": "std::cin.ignore(9, 'k'); std::cin.unget(); std::cin >> letter;",
    "not synchronous": "std::ios::sync_with_stdio(false); std::cin >> text; letter = text[1];",
    "string stream": "std::getline(std::cin, text); std::istringstream words(text);"
    " words >> text; letter = text[1];",
    "pieces": "std::getline(std::cin, text); std::istringstream words(text);"
    " std::getline(words, text, ','); letter = text[1];",
}


def source(reading: str) -> str:
    return (
        f"{HEAD}int main(int argc, char **argv)\n{{\n    std::string text;\n"
        f"    char letter = 0;\n    {reading}\n    return letter == 'k' || argc > 2;\n}}\n"
    )


@pytest.mark.parametrize("how", READERS)
def test_what_std_cin_gives_decides_a_branch(tmp_path: Path, how: str) -> None:
    opened = program(tmp_path, source(READERS[how]), stdin=b"ok, go\n", name="p.cpp")
    check_decides(opened.run(opened.first), STDIN)


def test_what_a_file_stream_gives_decides_a_branch(tmp_path: Path) -> None:
    reading = 'std::ifstream file("in"); std::getline(file, text); letter = text[1];'
    opened = program(tmp_path, source(reading), stdin=b"ok\n", test="./p", inputs=["file:in"],
                     name="p.cpp")  # fmt: skip
    check_decides(opened.run(opened.first), InputSource(SourceKind.FILE, "in"))


def check_decides(run: CRun, of: InputSource) -> None:
    """The second byte of a source is the letter that `main` compares."""
    compared = [one for one in run.conditions if "letter" in run.words(one)]
    assert compared, [run.words(one) for one in run.conditions]
    read = {one.what for one in run.unknowns.members(compared[0].fact.unknowns)}
    assert read == {InputByte(of, 1)}
    assert run.ended.status == 1
