"""What does a user see if `whence why` cannot do what was requested?

One message that says what to do, and status 2; or, if the recorded part of the run does not show
the failure, a report of what is known, and status 1.
"""

from __future__ import annotations

import os
import shutil
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from whence.causes.tree import CauseSearch
from whence.cli import main
from whence.logic import formula
from whence.model import Cause

from .asker import FAILS, PASSES, Asker, document
from .prompt import CommandResult, check_refused


@pytest.fixture
def user(tmp_path: Path) -> Asker:
    return Asker(tmp_path)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asker:
    """A user who has recorded the failing run into kept/run."""
    user = Asker(tmp_path_factory.mktemp("asked"))
    assert user.why(FAILS, "--out", user.kept / "run", "-q").status == 0
    return user


def check_nothing_kept(
    user: Asker, result: CommandResult, *claims: str, slug: str | None = None
) -> None:
    """Check that the command was refused and kept no run."""
    check_refused(result, *claims, slug=slug)
    assert user.kept_runs == []


def check_unexplained(result: CommandResult, *claims: str) -> None:
    """Check that the report says why there is no tree, and what is known."""
    assert result.status == 1, result
    text = " ".join(result.out.split())
    assert text.startswith("Not explained: ")
    for claim in claims:
        assert claim in text


def notes(result: CommandResult) -> list[str]:
    """Return the notes about the run, without those about the solver."""
    return [note for note in document(result)["notes"] if not note.startswith("the solver")]


# --- nothing fails, or not always ------------------------------------------------------------


def test_the_test_passes(user: Asker) -> None:
    result = user.why(PASSES, "-q")
    claims = ("The test passes", f"We ran: {PASSES}", "--expect FILE")
    check_nothing_kept(user, result, *claims, slug="nothing-fails")


def by_turns(user: Asker, first: str, then: str) -> str:
    """Return a test that runs one command, and in its next run another."""
    return f"if mkdir {user.kept}/was 2>/dev/null; then {first}; else {then}; fi"


def test_it_fails_and_then_passes(user: Asker) -> None:
    result = user.why(by_turns(user, FAILS, PASSES), "-q")
    assert result.status == 0, result
    claim = "note: the failure comes and goes: run once more, the test passes; this explains the"
    assert claim in " ".join(result.out.split())


def test_it_fails_in_two_ways(user: Asker) -> None:
    result = user.why(by_turns(user, FAILS, "exit 4"), "--json", "-")
    (note,) = notes(result)
    assert "run once more, the test fails differently (exit status 4)" in note


def test_it_passes_and_then_fails(user: Asker) -> None:
    result = user.why(by_turns(user, PASSES, FAILS), "-q")
    claims = ("The failure comes and goes", "passed while it was recorded", "found != 10")
    check_nothing_kept(user, result, *claims, slug="comes-and-goes")
    out = user.kept / "run"
    (user.kept / "was").rmdir()
    check_refused(user.why(by_turns(user, PASSES, FAILS), "--out", out, "-q"))
    assert os.listdir(out) == []
    assert user.why(by_turns(user, PASSES, FAILS), "--out", out, "-q").status == 0


def test_files_of_the_first_run_do_not_change_the_second(user: Asker) -> None:
    result = user.why(f"mkdir left && {FAILS}", "--json", "-")
    assert notes(result) == []


def test_the_output_is_not_always_the_same(user: Asker) -> None:
    expect = user.write("expected", "area 12\n")
    result = user.why(by_turns(user, FAILS, PASSES), "--expect", expect, "--json", "-")
    (note,) = notes(result)
    assert note.startswith("the output is not always the same")


# --- the failure is not recorded -------------------------------------------------------------


def test_the_program_that_detects_the_failure_is_not_recorded(user: Asker) -> None:
    page = user.kept / "page.html"
    result = user.why(f"{PASSES} | grep -q 12", "-q", "--html", page)
    assert "no recorded process does" in page.read_text("utf-8")
    claims = (
        "The test fails, but no recorded process does",
        "with $CC or $CXX",
        "(./triangle 5 5 5): exit status 0",
        "whence slice answers questions about any line",
    )
    check_unexplained(result, *claims)
    again = document(user.why(f"{PASSES} | grep -q 12", "--json", "-"))
    assert (again["status"], again["causes"], user.builds) == ("unexplained", [], 1)
    assert again["reason"].startswith("The test fails, but no recorded process does")


def test_the_test_does_not_end(user: Asker) -> None:
    """The loop in which the program was stopped is explained."""
    result = user.why("exec ./triangle 77 7 22 </dev/null", "--timeout", "10", "-q")
    assert result.status == 0, result
    assert result.out.startswith("Why the loop at triangle.c:25 that did not end")


def test_the_test_is_a_program_that_is_not_recorded(user: Asker) -> None:
    result = user.why("python3 -c 'assert 0'", "-q", build="true")
    claims = ("Nothing was recorded", "never called the compiler")
    check_nothing_kept(user, result, *claims, slug="nothing-recorded")


def test_the_build_is_broken(user: Asker) -> None:
    user.write("project/triangle.c", "int main( {")
    result = user.why(FAILS, "-q")
    claims = ("does not build with whence-cc", "ended with status 1: ", "error: expected")
    check_nothing_kept(user, result, *claims, slug="recorded-build-failed")


def test_one_of_several_processes_fails(user: Asker) -> None:
    """The failing process is explained by default; --process selects another one."""
    test = f"{FAILS}; ./triangle; {PASSES}; exit 1"
    result = user.why(test, "-q", "--out", user.kept / "run")
    assert result.status == 0, result
    assert result.out.startswith("Why the failed assertion at triangle.c:27 [process ")
    assert "-0, ./triangle 6 5 4]" in result.out
    second = sorted(path.parent.name for path in (user.kept / "run").glob("*/process"))[1]
    result = user.why_in(user.kept / "run", "--process", second, "-q")
    assert result.out.startswith("Why the exit status 3 that main returned")


def test_another_program_prints_too(user: Asker) -> None:
    expect = user.write("expected", "hello\narea 12\n")
    result = user.why(f"echo hello; {FAILS}", "--expect", expect, "-q")
    claims = ("printed 14 bytes and the recorded programs 8", "byte 12", "and nothing else")
    check_unexplained(result, *claims)


# --- an option is wrong ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "claims", "slug"),
    [
        (("--trust", "gone"), ("--trust gone", "no such function"), "no-such-function"),
        (("--process", "x"), ("No process 'x'", "There are: "), "no-such-process"),
        (("--expect", "../kept/printed"), ("printed exactly what was expected",), "nothing-fails"),
        (("--expect", "gone"), ("'--expect'", "does not exist"), None),
        (("--expect", "project"), ("'--expect'", "is a directory"), None),
        (("--depth", "-1"), ("'--depth'", "-1 is not in the range"), None),
        (("--depth", "deep"), ("'--depth'", "'deep'"), None),
        (("--source", "project"), ("--source is for recording", "recorded already"), None),
        (("--fresh",), ("--fresh is for recording",), None),
        (("--max-trace", "1G"), ("--max-trace is for recording",), None),
        (("--json", "gone/x"), ("gone/x cannot be written",), "cannot-write"),
        (("--html", "project"), ("project cannot be written",), "cannot-write"),
        (("--interactive",), ("--interactive needs a terminal", "--html"), "no-terminal"),
    ],
)
def test_a_question_is_wrong(
    asked: Asker, options: tuple[str, ...], claims: tuple[str, ...], slug: str | None
) -> None:
    (asked.kept / "printed").write_text("area 10\n")
    check_refused(asked.why_in(asked.kept / "run", "-q", *options), *claims, slug=slug)


@pytest.mark.parametrize(
    ("arguments", "claims", "slug"),
    [
        (("why",), ("Missing option '--source'", "folder of a recorded run"), None),
        (("why", "--source", "project"), ("Missing option '--test'",), None),
        (("why", "project"), ("project is no trace", "whence trace"), "not-a-trace"),
        (("why", "gone"), ("gone is no trace",), "not-a-trace"),
        (("why", "project/triangle.c"), ("is a file",), None),
        (("why", "--source", "gone", "--test", "x", "-q"), ("'gone'",), "not-a-repository"),
    ],
)
def test_there_is_no_run(
    user: Asker, arguments: tuple[str, ...], claims: tuple[str, ...], slug: str | None
) -> None:
    check_refused(user.whence(*arguments), *claims, slug=slug)


def test_mistakes_in_options_are_reported_before_the_build(user: Asker) -> None:
    for wrong in (("--interactive",), ("--html", "gone/x"), ("--expect", "gone")):
        check_refused(user.why(FAILS, *wrong))
    assert user.builds == 0


# --- where the run is kept -------------------------------------------------------------------


def test_out_has_other_files(user: Asker) -> None:
    out = user.kept / "run"
    out.mkdir()
    (out / "mine").touch()
    for fresh in ((), ("--fresh",)):
        result = user.why(FAILS, "--out", out, "-q", *fresh)
        check_refused(result, "is not empty", slug="out-not-empty")
    assert os.listdir(out) == ["mine"]


def test_out_has_another_run(asked: Asker) -> None:
    result = asked.why(PASSES, "--out", asked.kept / "run", "-q")
    check_refused(result, "holds a run of other commands", "--fresh", slug="out-not-empty")


def test_the_cache_cannot_be_written(user: Asker) -> None:
    result = user.why(FAILS, "-q", XDG_CACHE_HOME="/proc/gone")
    check_refused(result, "/proc/gone", "--out DIR", slug="cannot-write")
    assert user.builds == 0


def test_a_kept_run_is_damaged(user: Asker) -> None:
    assert user.why(FAILS, "-q").status == 0
    (run,) = user.kept_runs
    shutil.rmtree(run / "modules")
    result = user.why(FAILS)
    assert result.status == 0
    assert "recording again: the trace is damaged" in result.err.lower()
    assert user.builds == 2


# --- interrupted -----------------------------------------------------------------------------


def test_interrupted_during_the_recording(user: Asker) -> None:
    before = user.state()
    with user.start(*user.asking(f"touch {user.kept}/begun; sleep 60")) as process:
        while not (user.kept / "begun").exists():
            assert process.poll() is None
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err.count("Traceback")) == (130, "", 0)
    assert err.endswith("[interrupted]\n")
    user.check_untouched(before)
    assert user.kept_runs == []


def run_in_process(asked: Asker) -> int:
    """Run the command in this process, so that a test can make parts of whence fail."""
    run = str(asked.kept / "run")
    return int(main.cli.commands["why"].main([run, "-q"], standalone_mode=False))


def test_interrupted_while_the_tree_grows(
    asked: Asker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    children = CauseSearch.children

    def pressed(tree: CauseSearch, number: int) -> tuple[int, ...]:
        if number == 1:
            raise KeyboardInterrupt
        return children(tree, number)

    monkeypatch.setattr(CauseSearch, "children", pressed)
    assert run_in_process(asked) == 130
    printed = " ".join(capsys.readouterr().out.split())
    assert "1 kind == RIGHT was true" in printed
    assert "note: interrupted: this is what was known by then" in printed


# --- the solver gives up ---------------------------------------------------------------------


def test_a_cause_that_is_not_proved_is_counted_in_a_note(
    asked: Asker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cause = CauseSearch.cause

    def unproved(tree: CauseSearch, number: int) -> Cause:
        return replace(cause(tree, number), is_proved=number != 1)

    monkeypatch.setattr(CauseSearch, "cause", unproved)
    assert run_in_process(asked) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "note: 1 cause is not proved: the solver gave up" in printed


def test_a_solver_that_gives_up_is_mentioned_in_a_note(
    asked: Asker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The causes are still there: proved by values alone, they have more statements."""
    monkeypatch.setattr(formula, "LIMIT", 1)
    assert run_in_process(asked) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "a * a != b * b + c * c was true" in printed
    assert "not proved: the solver gave up" in printed
