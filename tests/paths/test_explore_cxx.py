"""Do the streams and exceptions of C++ lead from inputs to branches?"""

from __future__ import annotations

from pathlib import Path

from tests.paths.exploring import c_run, check_holds
from whence.paths.c.program import open_c_program
from whence.paths.explore import Exploration, explore
from whence.paths.program import ChosenConditions
from whence.paths.solver import Solver
from whence.subject.trial import BuildAndTest

CIN = """
#include <iostream>
int main() {
    char a, b;
    std::cin.get(a).get(b);
    std::cout << (a == 'o' && b == 'k' ? "fine" : "other") << "\\n";
}
"""
FILE = """
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
static int size_of(const std::string &line) {
    size_t at = line.find('=');
    if (at == std::string::npos)
        throw std::runtime_error("no sign");
    return line[at + 1] - '0';
}
int main(int argc, char **argv) {
    std::ifstream in(argv[1]);
    std::string line;
    std::getline(in, line);
    try {
        std::cout << (size_of(line) > 7 ? "large" : "small") << "\\n";
    } catch (const std::exception &error) {
        std::cout << error.what() << "\\n";
    }
}
"""


def _explored(folder: Path, source: str, test: str, at: str | None) -> Exploration:
    tree, kept = folder / "tree", folder / "kept"
    tree.mkdir()
    kept.mkdir()
    (tree / "p.cc").write_text(source)
    (tree / "in").write_text("a=3\n")
    program = open_c_program(tree, BuildAndTest(test=test, build="$CXX -g -o p p.cc"), kept, [])
    found = explore(
        program.first,
        lambda contents: ChosenConditions.of(program.run(contents), at),
        Solver(),
        is_over=lambda now: len(now.runs) >= 12,
    )
    for one in found.runs:
        check_holds(c_run(one.run))
    assert not found.diverged
    return found


def _printed(found: Exploration) -> set[bytes]:
    return {c_run(one.run).ended.stdout for one in found.runs}


def test_what_cin_reads_leads_to_branches(tmp_path: Path) -> None:
    assert _printed(_explored(tmp_path, CIN, "./p < in", "output")) == {b"fine\n", b"other\n"}


def test_what_a_file_stream_reads_leads_to_branches_and_exceptions(tmp_path: Path) -> None:
    found = _explored(tmp_path, FILE, "./p in", None)
    assert _printed(found) == {b"large\n", b"small\n", b"no sign\n"}
