"""Each way to fail is found, and the first cause is what led to it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.causes.consistency import check_consistent
from tests.causes.explaining import (
    PROGRAMS,
    Built,
    built,
    names,
    of_predicate,
    predicate,
    whole_tree,
)
from tests.frontend import corpus
from whence.causes.tree import CauseSearch
from whence.errors import UserError
from whence.languages import open_search
from whence.model import Influence
from whence.trace.recording import Recording

FAILING, PRINTING = PROGRAMS / "failing.c", PROGRAMS / "printing.c"


def place(source: Path, case: str) -> str:
    """Return the argument that selects a case of a program with many cases."""
    table = re.search(r"cases\[\]\)\(int\) = \{(.*?)\}", source.read_text(), re.DOTALL)
    assert table
    return str(re.findall(r"\w+", table[1]).index(case))


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(corpus.program(FAILING), tmp_path_factory.mktemp("failing"))


@pytest.fixture(scope="module")
def printing(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(corpus.program(PRINTING), tmp_path_factory.mktemp("printing"))


def tree_of(recording: Recording, expect: bytes | None = None) -> CauseSearch:
    tree = whole_tree(recording, expect)
    check_consistent(tree)
    assert tree.cause(0).influence is Influence.FAILURE
    return tree


def below(tree: CauseSearch, number: int = 0) -> set[str]:
    return {predicate(tree, tree.cause(child)) for child in tree.children(number)}


# --- how a process ended ------------------------------------------------------------------------

# For each case: the start of the failure's description, the lines of the first cause, and the
# predicates of the causes below it.
ENDINGS = {
    "asserts": ("the failed assertion at program.c", "set main", ""),
    "aborts": ("the call of abort at program.c", "set main abort", ""),
    "aborts_in_callee": ("the call of abort at program.c", "set main abort call", ""),
    "aborts_always": ("the call of abort at program.c", "", ""),
    "null_pointer": ("SIGSEGV at program.c", "nodes find next found", "loop"),
    "wild_pointer": ("SIGSEGV at program.c", "set scale cast", "if"),
    "divides": ("SIGFPE at program.c", "count call", "if"),
    "exits": ("the exit status 3 given at program.c", "wrong more call main", "if"),
    "returns": ("the exit status 5 that main returned", "wrong main", ""),
    "measures_nothing": ("SIGSEGV in strlen", "name", "if"),
    "copies_to_nowhere": ("SIGSEGV in strcpy", "into room main", ""),
    "frees_twice": ("SIGABRT in free at program.c", "text freed", "if"),
    "fails_in_child": ("the failed assertion at program.c", "value main", "fork"),
}


@pytest.mark.parametrize("case", ENDINGS)
def test_the_end_of_a_process_is_explained(case: str, failing: Built) -> None:
    words, first, predicates = ENDINGS[case]
    tree = tree_of(failing.run(place(FAILING, case)))
    assert tree.failure.words.startswith(words)
    assert names(tree.cause(0)) == {"failure", *first.split()}
    assert below(tree) == set(predicates.split())


def test_a_stack_that_is_full_is_explained_by_the_calls_that_filled_it(failing: Built) -> None:
    tree = tree_of(failing.run(place(FAILING, "runs_out_of_stack"), stack=256))
    assert tree.failure.words.startswith("the endless recursion of down, which calls itself")
    assert names(tree.cause(0)) == {"failure", "call", "main", "stop"}
    assert below(tree) == {"stop"}
    assert len(tree) == 2


def test_a_failure_after_a_jump_is_explained(failing: Built) -> None:
    tree = tree_of(failing.run(place(FAILING, "jumps")))
    assert names(tree.cause(0)) >= {"failure", "land"}
    assert of_predicate(tree, "if").influence is Influence.DIRECT


@pytest.mark.xfail(reason="the second result of setjmp is not traced to the jump")
def test_the_value_of_a_jump_is_traced_to_it(failing: Built) -> None:
    tree = tree_of(failing.run(place(FAILING, "jumps")))
    assert names(tree.cause(0)) == {"failure", "land", "jump", "call", "main"}


def test_a_signal_that_a_process_sends_itself_is_explained(failing: Built) -> None:
    tree = tree_of(failing.run(place(FAILING, "raises")))
    assert names(tree.cause(0)) == {"failure"}
    assert below(tree) == {"if"}


def test_a_run_that_passes_has_nothing_to_explain(printing: Built) -> None:
    recording = printing.run(place(PRINTING, "a_number"))
    with pytest.raises(UserError, match="The test passes"):
        open_search(recording)
    with pytest.raises(UserError, match="exactly what was expected"):
        open_search(recording, b"total 5\n")


# --- C++ ----------------------------------------------------------------------------------------

THROWING = """
#include <exception>
#include <stdexcept>
static int half(int n) {
    if (n % 2 != 0)                                // [odd]
        throw std::invalid_argument("odd");        // [throw]
    return n / 2;
}
int main(int argc, char **argv) {
    int n = 6 * argc + 1;                          // [n]
    if (argc == 2) std::terminate();               // [terminate]
    return half(n);                                // [half]
}
"""


@pytest.fixture(scope="module")
def throwing(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return built(THROWING, tmp_path_factory.mktemp("throwing"), ".cc")


def test_an_exception_that_nobody_catches_is_explained(throwing: Built) -> None:
    tree = tree_of(throwing.run())
    assert names(tree.cause(0)) == {"throw", "odd", "half", "n"}
    expected = 'the exception std::invalid_argument "odd" that nothing caught, thrown at program.cc'
    assert tree.failure.words.startswith(expected)


def test_a_call_of_terminate_is_explained(throwing: Built) -> None:
    tree = tree_of(throwing.run("once"))
    assert "terminate" in names(tree.cause(0))


# --- wrong output -------------------------------------------------------------------------------

MADE = "start add return main"  # the lines that compute the printed value

# For each case: the expected output, the lines of the first cause, and the predicates of the
# causes below it.
OUTPUTS = {
    "a_number": (b"total 6\n", f"print {MADE}", ""),
    "a_name": (b"<short>\n", f"print name {MADE}", ""),
    "a_padded_number": (b"<    15>\n", f"print {MADE}", ""),
    "a_width": (b"   7|\n", f"print {MADE}", ""),
    "a_line": (b"short\n", f"print name {MADE}", ""),
    "a_character": (b"g", f"print {MADE}", ""),
    "a_block": (b"shor", f"print name {MADE}", ""),
    "too_little_of_a_block": (b"complete", f"print end {MADE}", ""),
    "by_hand": (b"4\n", f"print digits {MADE}", ""),
    "by_copy": (b"6:\n", f"print text copy {MADE}", ""),
    "not_the_first": (b"first\nsecond\n", "print", "if"),
    "not_the_last": (b"first\nsecond\n", "print end", "if"),
    "nothing": (b"first\n", "end", "if"),
    "ends_early": (b"first\nsecond\n", "print end", "if"),
    "one_more": (b"first\n", "print", "if"),
    "two_in_one": (b"5 and 3\n", f"print {MADE}", ""),
}


@pytest.mark.parametrize("case", OUTPUTS)
def test_wrong_output_is_explained(case: str, printing: Built) -> None:
    expect, first, predicates = OUTPUTS[case]
    tree = tree_of(printing.run(place(PRINTING, case)), expect)
    assert names(tree.cause(0)) == set(first.split())
    assert below(tree) == set(predicates.split())
    if predicates:
        assert names(of_predicate(tree, "if")) == {"if", *MADE.split()}


def test_the_first_wrong_byte_is_named(printing: Built) -> None:
    tree = tree_of(printing.run(place(PRINTING, "two_in_one")), b"5 and 3\n")
    assert tree.failure.words.startswith("byte 6 of the output, printed at program.c:")
    assert tree.failure.words.endswith(r'"2\n" instead of "3\n"')
