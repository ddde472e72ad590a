"""What does a user see for whom `whence why` cannot do what they ask?

One message that says what to do, and status 2; or, if the run was recorded and has no cause in
what was, a report that says what is known, and status 1.
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
from whence.logic.c import formula
from whence.model import Cause

from .asker import FAILS, PASSES, Asker, document
from .prompt import Said, check_refused


@pytest.fixture
def user(tmp_path: Path) -> Asker:
    return Asker(tmp_path)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asker:
    """A user who has recorded the failing run into kept/run."""
    user = Asker(tmp_path_factory.mktemp("asked"))
    assert user.why(FAILS, "--out", user.kept / "run", "-q").status == 0
    return user


def check_nothing_kept(user: Asker, said: Said, *claims: str, slug: str | None = None) -> None:
    """It was refused, and the next time starts afresh."""
    check_refused(said, *claims, slug=slug)
    assert user.kept_runs == []


def check_unexplained(said: Said, *claims: str) -> None:
    """The report says why there is no tree, and what is known."""
    assert said.status == 1, said
    text = " ".join(said.out.split())
    assert text.startswith("Not explained: ")
    for claim in claims:
        assert claim in text


def notes(said: Said) -> list[str]:
    """What is to be known of the run; of the solver there may be something as well."""
    return [note for note in document(said)["notes"] if not note.startswith("the solver")]


# --- nothing fails, or not always ------------------------------------------------------------


def test_the_test_passes(user: Asker) -> None:
    said = user.why(PASSES, "-q")
    claims = ("The test passes", f"We ran: {PASSES}", "--expect FILE")
    check_nothing_kept(user, said, *claims, slug="nothing-fails")


def by_turns(user: Asker, first: str, then: str) -> str:
    """A test that runs one command and, the next time, another."""
    return f"if mkdir {user.kept}/was 2>/dev/null; then {first}; else {then}; fi"


def test_it_fails_and_then_passes(user: Asker) -> None:
    said = user.why(by_turns(user, FAILS, PASSES), "-q")
    assert said.status == 0, said
    claim = "note: the failure comes and goes: run once more, the test passes; this explains the"
    assert claim in " ".join(said.out.split())


def test_it_fails_in_two_ways(user: Asker) -> None:
    said = user.why(by_turns(user, FAILS, "exit 4"), "--json", "-")
    (note,) = notes(said)
    assert "run once more, the test fails differently (exit status 4)" in note


def test_it_passes_and_then_fails(user: Asker) -> None:
    said = user.why(by_turns(user, PASSES, FAILS), "-q")
    claims = ("The failure comes and goes", "passed while it was recorded", "found != 10")
    check_nothing_kept(user, said, *claims, slug="comes-and-goes")
    out = user.kept / "run"
    (user.kept / "was").rmdir()
    check_refused(user.why(by_turns(user, PASSES, FAILS), "--out", out, "-q"))
    assert os.listdir(out) == []
    assert user.why(by_turns(user, PASSES, FAILS), "--out", out, "-q").status == 0


def test_what_the_first_run_leaves_behind_is_no_difference(user: Asker) -> None:
    said = user.why(f"mkdir left && {FAILS}", "--json", "-")
    assert notes(said) == []


def test_the_output_is_not_always_the_same(user: Asker) -> None:
    expect = user.write("expected", "area 12\n")
    said = user.why(by_turns(user, FAILS, PASSES), "--expect", expect, "--json", "-")
    (note,) = notes(said)
    assert note.startswith("the output is not always the same")


# --- the failure is elsewhere ----------------------------------------------------------------


def test_what_judges_the_program_is_not_recorded(user: Asker) -> None:
    page = user.kept / "page.html"
    said = user.why(f"{PASSES} | grep -q 12", "-q", "--html", page)
    assert "no recorded process does" in page.read_text("utf-8")
    claims = (
        "The test fails, but no recorded process does",
        "with $CC or $CXX",
        "(./triangle 5 5 5): exit status 0",
        "whence slice answers questions about any line",
    )
    check_unexplained(said, *claims)
    again = document(user.why(f"{PASSES} | grep -q 12", "--json", "-"))
    assert (again["status"], again["causes"], user.builds) == ("unexplained", [], 1)
    assert again["reason"].startswith("The test fails, but no recorded process does")


def test_the_test_does_not_end(user: Asker) -> None:
    said = user.why("exec ./triangle 77 7 22 </dev/null", "--timeout", "10", "-q")
    check_unexplained(said, "did not end in time", "--timeout", "killed at triangle.c:2")


def test_the_test_is_a_program_that_is_not_recorded(user: Asker) -> None:
    said = user.why("python3 -c 'assert 0'", "-q", build="true")
    claims = ("Nothing was recorded", "never called the compiler")
    check_nothing_kept(user, said, *claims, slug="nothing-recorded")


def test_the_build_is_broken(user: Asker) -> None:
    user.write("project/triangle.c", "int main( {")
    said = user.why(FAILS, "-q")
    claims = ("The build ended with status 1", "error: expected")
    check_nothing_kept(user, said, *claims, slug="recorded-build-failed")


def test_one_of_several_processes_fails(user: Asker) -> None:
    """It is explained though others came after it, and another can be asked for."""
    test = f"{FAILS}; ./triangle; {PASSES}; exit 1"
    said = user.why(test, "-q", "--out", user.kept / "run")
    assert said.status == 0, said
    assert said.out.startswith("Why the failed assertion at triangle.c:27 [process ")
    assert "-0, ./triangle 6 5 4]" in said.out
    second = sorted(path.parent.name for path in (user.kept / "run").glob("*/process"))[1]
    said = user.why_in(user.kept / "run", "--process", second, "-q")
    assert said.out.startswith("Why the exit status 3 that main returned")


def test_another_program_prints_as_well(user: Asker) -> None:
    expect = user.write("expected", "hello\narea 12\n")
    said = user.why(f"echo hello; {FAILS}", "--expect", expect, "-q")
    claims = ("printed 14 bytes and the recorded programs 8", "byte 12", "and nothing else")
    check_unexplained(said, *claims)


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


def test_what_can_be_said_at_once_is_said_before_the_build(user: Asker) -> None:
    for wrong in (("--interactive",), ("--html", "gone/x"), ("--expect", "gone")):
        check_refused(user.why(FAILS, *wrong))
    assert user.builds == 0


# --- where the run is kept -------------------------------------------------------------------


def test_out_has_something_else(user: Asker) -> None:
    out = user.kept / "run"
    out.mkdir()
    (out / "mine").touch()
    for fresh in ((), ("--fresh",)):
        said = user.why(FAILS, "--out", out, "-q", *fresh)
        check_refused(said, "is not empty", slug="out-not-empty")
    assert os.listdir(out) == ["mine"]


def test_out_has_another_run(asked: Asker) -> None:
    said = asked.why(PASSES, "--out", asked.kept / "run", "-q")
    check_refused(said, "holds a run of other commands", "--fresh", slug="out-not-empty")


def test_the_cache_cannot_be_written(user: Asker) -> None:
    said = user.why(FAILS, "-q", XDG_CACHE_HOME="/proc/gone")
    check_refused(said, "/proc/gone", "--out DIR", slug="cannot-write")
    assert user.builds == 0


def test_a_kept_run_is_damaged(user: Asker) -> None:
    assert user.why(FAILS, "-q").status == 0
    (run,) = user.kept_runs
    shutil.rmtree(run / "modules")
    check_refused(user.why(FAILS, "-q"), "Record it again", slug="module-missing")
    assert user.why(FAILS, "-q", "--fresh").status == 0


# --- interrupted -----------------------------------------------------------------------------


def test_interrupted_while_it_is_recorded(user: Asker) -> None:
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


def run_here(asked: Asker) -> int:
    """Run the command in this process, so that the engine can be made to fail."""
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
    assert run_here(asked) == 130
    told = " ".join(capsys.readouterr().out.split())
    assert "1 kind == RIGHT was true" in told
    assert "note: interrupted: this is what was known by then" in told


# --- the solver gives up ---------------------------------------------------------------------


def test_a_cause_that_is_not_proved_is_said_to_be_none(
    asked: Asker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cause = CauseSearch.cause

    def unproved(tree: CauseSearch, number: int) -> Cause:
        return replace(cause(tree, number), is_proved=number != 1)

    monkeypatch.setattr(CauseSearch, "cause", unproved)
    assert run_here(asked) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "note: 1 cause is not proved: the solver gave up" in told


def test_a_solver_that_gives_up_is_said_to(
    asked: Asker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The causes are there all the same: proved by values alone, they have more statements."""
    monkeypatch.setattr(formula, "LIMIT", 1)
    assert run_here(asked) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "a * a != b * b + c * c was true" in told
    assert "not proved: the solver gave up" in told
