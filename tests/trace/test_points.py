"""Is every kind of point found in recorded programs, and is its slice right?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from whence.errors import UserError
from whence.trace.c.analysis import CAnalysis
from whence.trace.points import find
from whence.trace.recording import Recording
from whence.trace.slice_at import slice_at

from .recorded import check_slice, line_of, recorded

Run = Callable[[str], Recording]


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a function that records the program `kinds` with an argument, once for each."""
    known: dict[str, Recording] = {}
    build = "$CC -Ilib -o kinds main.c lib/list.c"

    def run(argument: str) -> Recording:
        if argument not in known:
            folder = tmp_path_factory.mktemp(argument)
            known[argument] = recorded(folder, "kinds", build, f"./kinds {argument}")
        return known[argument]

    return run


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return recorded(tmp_path_factory.mktemp("shapes"), "shapes.cc", "$CXX -o s shapes.cc", "./s 1")


def many(tmp_path: Path, test: str) -> Recording:
    return recorded(tmp_path, "many.c", "$CC -o many many.c -lpthread", test)


# --- how it ended ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "words", "has", "lacks", "says"),
    [
        ("null", "SIGSEGV at main.c", ["int *nothing = NULL"], ["int zero"], {"nothing": "NULL"}),
        ("wild", "(address 0x1000)", ["int zero", "*wild = 3"], ["*nothing"], {"wild": "0x1000"}),
        ("div", "SIGFPE at main.c", ["int unrelated = 5", "int zero"], ["*nothing"], {"zero": "0"}),
        ("deep", "(stack overflow)", ["return deep(n + 1)"], ["int zero"], {}),
        ("strlen", "SIGSEGV in strlen at", ["getenv"], ["int zero"], {"name": "NULL"}),
        ("qsort", "SIGSEGV at main.c", ["int *items[3]", "qsort(items"], ["int zero"],
         {"q": "NULL", "items[0]": "&a", "what": '"qsort"'}),
    ],
)  # fmt: skip
def test_a_crash(
    kinds: Run, argument: str, words: str, has: list[str], lacks: list[str], says: dict[str, str]
) -> None:
    check_slice(kinds(argument), "crash", words=words, has=has, lacks=lacks, says=says)


def test_a_call_that_did_not_return_has_no_value(kinds: Run) -> None:
    result = slice_at(kinds("strlen"), "crash", CAnalysis())
    assert not any("strlen(name)" in statement.values for statement in result.statements)


def test_an_assertion(kinds: Run) -> None:
    check_slice(
        kinds("assert"),
        "assert",
        words="the failed assertion at main.c",
        has=["int limit = 3", "limit = limit * 2"],
        lacks=["int zero"],
        says={"limit": "6", "limit < 5": "false"},
    )


def test_abort(kinds: Run) -> None:
    check_slice(kinds("abort"), "assert", words="the call of abort at main.c", has=["abort();"])


@pytest.mark.parametrize(
    ("argument", "words", "has"),
    [
        ("exit", "the exit status 3 given at main.c", ["exit(status)", "leave(3)"]),
        ("_exit", "the exit status 4 given at main.c", ["_exit(argc + 2)"]),
        ("return", "the exit status 6 that main returned", ["return n * fact(n - 1)"]),
    ],
)
def test_an_exit(kinds: Run, argument: str, words: str, has: list[str]) -> None:
    result = check_slice(kinds(argument), "exit", words=words, has=has, lacks=["int zero"])
    assert result.notes == ()


def test_a_line_of_a_recursive_function_has_the_values_of_one_call(kinds: Run) -> None:
    result = check_slice(kinds("return"), "exit")
    (line,) = (s for s in result.statements if "fact(n - 1)" in s.text)
    assert line.values == {"fact(n - 1)": "2", "return value": "6"}
    assert line.instances == 2


def test_in_order_a_call_has_its_value_when_it_returns(kinds: Run) -> None:
    order = slice_at(kinds("return"), "exit", CAnalysis(), in_order=True).order
    values = [s.values for s in order if "fact(n - 1)" in s.text]
    assert values == [
        {},
        {},
        {"fact(n - 1)": "1", "return value": "2"},
        {"fact(n - 1)": "2", "return value": "6"},
    ]


def test_a_run_that_did_not_end_so_is_refused(kinds: Run) -> None:
    for at, argument in (("crash", "exit"), ("assert", "exit"), ("exit", "null")):
        with pytest.raises(UserError, match="No recorded process") as refused:
            find(kinds(argument), at)
        assert refused.value.slug == "no-such-end"


# --- output ----------------------------------------------------------------------------------

OUTPUT = "75 list x\ntwo\n<\nn=3!\nn="


@pytest.mark.parametrize(
    ("text", "has", "lacks"),
    [
        ("75", ["f.high = fact(4)", "n->key = key", "printf("], ["puts"]),
        ("list", ["printf("], ["f.high = fact(4)"]),
        ("two", ["puts("], ["printf("]),
        ("<", ["calls += 2", "putchar("], ["f.high"]),
        ("3!", ["snprintf(line", "first_key", "write(1"], ["strcat", "f.high"]),
        ("!", ["strcat(line", "write(1"], ["f.high"]),
    ],
)
def test_an_output_byte(kinds: Run, text: str, has: list[str], lacks: list[str]) -> None:
    run = kinds("list")
    assert (run.folder / "stdout").read_text() == OUTPUT
    check_slice(run, f"output:{OUTPUT.index(text)}", has=has, lacks=lacks)


def test_an_output_byte_that_does_not_exist_is_refused(kinds: Run) -> None:
    with pytest.raises(UserError, match=f"is {len(OUTPUT)} bytes"):
        find(kinds("list"), f"output:{len(OUTPUT)}")


# --- lines and variables -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "variable", "has", "lacks", "says"),
    [
        ("table[2] = SQUARE", "p->next->key", ["n->key = key"], ["f.high"], {"n->key": "2"}),
        ("table[2] = SQUARE", "p->next", ["n->next = head"], ["n->key = key"], {}),
        ("table[2] = SQUARE", "table[2]", ["table[2] = SQUARE"], ["f.high"], {"table[2]": "49"}),
        ("table[2] = SQUARE", "table[1]", [], ["SQUARE"], {}),
        ("f.high = fact(4)", "f.high", ["f.high = fact(4)"], ["SQUARE"], {"f.high": "24"}),
        ('printf("%d', "total", ["total = p->next", "SQUARE", "f.high"], [], {"total": "75"}),
        ("return calls", "calls", ["calls += 2"], ["SQUARE"], {"calls": "12"}),
        ("pushes++", "pushes", ["pushes++"], ["n->next"], {"pushes": "3"}),
        ("strcat(line", "line", ["snprintf(line", "strcat(line"], ["SQUARE"], {}),
        ("{ return n->key", "n", ["first_key(p->next->next)"], ["SQUARE"], {}),
    ],
)
def test_a_variable_at_a_line(
    kinds: Run, line: str, variable: str, has: list[str], lacks: list[str], says: dict[str, str]
) -> None:
    run = kinds("list")
    check_slice(run, f"{line_of(run, line)}:{variable}", has=has, lacks=lacks, says=says)


def test_a_variable_that_no_step_wrote_has_its_initial_value(kinds: Run) -> None:
    run = kinds("list")
    result = check_slice(run, f"{line_of(run, 'table[2] = SQUARE')}:total", lacks=["SQUARE"])
    assert "as it was at the start" in result.notes[0]


def test_each_line_of_a_long_statement_is_a_point(kinds: Run) -> None:
    run = kinds("list")
    file, _, first = line_of(run, "total = p->next->key +").partition(":")
    check_slice(run, f"{file}:{int(first) + 2}", has=["f.high = fact(4)"], lacks=["n->key = key"])


@pytest.mark.parametrize("file", ["lib/list.c", "list.c", "./lib/list.c", "here/kinds/lib/list.c"])
def test_a_file_may_be_written_in_several_ways(kinds: Run, file: str) -> None:
    check_slice(kinds("list"), f"{file}:6", words="lib/list.c:6 (when it ran last)")


@pytest.mark.parametrize(
    ("at", "words", "slug"),
    [
        ("cras", "'cras' is no point", "bad-point"),
        ("output:-1", "'output:-1' is no point", "bad-point"),
        ("gone.c:3", "Its files are: lib/list.c, lib/list.h, main.c", "no-such-file"),
        ("main.c:1", "Line 1 of main.c has no code.", "line-not-executed"),
        ("main.c:28", "Line 28 of main.c was not executed.", "line-not-executed"),
        ("main.c:77:gone", "Its local variables at this line are:", "unknown-variable"),
        ("main.c:77:p->gone", "Its members are: key, next.", "variable-path"),
        ("main.c:77:1+1", "names no variable", "variable-syntax"),
    ],
)
def test_a_point_that_does_not_exist_is_refused(kinds: Run, at: str, words: str, slug: str) -> None:
    with pytest.raises(UserError) as refused:
        find(kinds("list"), at)
    assert words in str(refused.value)
    assert refused.value.slug == slug


# --- C++ -------------------------------------------------------------------------------------


def test_members_references_and_virtual_methods(shapes: Recording) -> None:
    at = f"{line_of(shapes, 'bump(value);')}:value"
    check_slice(
        shapes,
        at,
        has=["x += 5;", "return side * side + k;", "side(s) {}"],
        lacks=["catch"],
        says={"x": "10", "shape": "square", "shape.area(1)": "5", "side": "2"},
    )
    check_slice(shapes, f"{line_of(shapes, 'return side')}:side", has=["side(s) {}"])


def test_a_caught_exception_depends_on_the_throw(shapes: Recording) -> None:
    check_slice(
        shapes,
        "output:3",
        has=["if (n > 2)", "throw n + 1;", "caught = e * 10;", "x += 5;"],
        lacks=["return n;"],
        says={"caught": "110", "n > 2": "true"},
    )


# --- several processes, threads and handlers ---------------------------------------------------


def test_the_exit_is_that_of_the_process_whose_status_is_the_tests(tmp_path: Path) -> None:
    run = many(tmp_path, "./many fork")
    check_slice(run, "exit", words="the exit status 1 that main returned [process")
    check_slice(run, line_of(run, "exit(code)"), has=["40 + argc"], says={"fork()": "0"})
    child = run.processes[1].folder.name
    result = slice_at(run, "exit", CAnalysis(), process=child)
    assert result.point.startswith("the exit status 42 given at many.c")
    with pytest.raises(UserError, match=child) as refused:
        find(run, "exit", process="none")
    assert refused.value.slug == "no-such-process"


def test_a_script_runs_several_programs(tmp_path: Path) -> None:
    run = many(tmp_path, "./many signal; ./many thread")
    assert [p.arguments[1] for p in run.processes] == ["signal", "thread"]
    check_slice(run, line_of(run, "*n = *n * 3"), says={"*n": "21", "n": "&shared"})
    check_slice(run, line_of(run, "seen = signo * 2"), says={"seen": "20"})
    check_slice(run, "exit", has=["shared = 7;", "pthread_join"], lacks=["raise"])


# --- long slices -----------------------------------------------------------------------------


def test_a_short_report_has_the_lines_nearest_to_the_point(
    kinds: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whence.trace.slice_at.NEAREST", 3)
    whole = slice_at(kinds("list"), "output:0", CAnalysis())
    short = slice_at(kinds("list"), "output:0", CAnalysis(), everything=False)
    assert (len(short.statements), short.lines) == (3, len(whole.statements))
    assert all(statement in whole.statements for statement in short.statements)
    assert short.near == whole.near
    assert any("printf(" in statement.text for statement in short.statements)
