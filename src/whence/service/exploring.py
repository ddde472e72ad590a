"""How is a program explored: opened, run with one input after another, and the tests written?"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from whence.errors import UserError
from whence.model import ExploredTest, ExploreResult, MadeTest
from whence.paths.conditions import Condition, ConditionKind
from whence.paths.explore import Explored, ExploreSearch
from whence.paths.input_spec import InputSpec
from whence.paths.kept_search import restore_search, search_state
from whence.paths.lengths import length_moves
from whence.paths.parallel import ParallelRuns
from whence.paths.program import ChosenConditions, Contents, ExploredRun, PathRun
from whence.paths.solver import Solver
from whence.paths.words import conjunction, conjuncts
from whence.service.input_programs import open_program
from whence.service.recorded_runs import key_of
from whence.service.recording import Say
from whence.subject.command import Ended, readable
from whence.subject.failure import read_failure
from whence.subject.scratch import scratch_folder
from whence.subject.sources import fetch
from whence.subject.trial import BuildAndTest
from whence.temporary import unused_path

_STATE = "exploration.json"  # in the folder of the tests
_MAX_OUTPUT = 2000  # characters of an output in the result; guessed
_TROUBLE = ("assert", "abort", "crash", "timeout")  # kinds of failures that are never wanted
_SANITIZER = ("runtime error:", "Sanitizer")  # in what a sanitizer writes


@dataclass(frozen=True)
class ExploreRequest:
    """What a user asks to explore."""

    source: str
    commands: BuildAndTest
    repo: Path
    frontend: str
    at: str  # the point whose relevant slice counts
    by: str  # "slice" or "path"
    specs: tuple[InputSpec, ...]
    max_tests: int
    seconds: float | None
    out: Path | None
    jobs: int = 1  # runs that are made at the same time


class ExploreSession:
    """One exploration; it holds what was found so far."""

    def __init__(self, request: ExploreRequest, say: Say, on_test: Callable[[str], None]) -> None:
        self._request, self._say, self._on_test = request, say, on_test
        self._began = time.monotonic()
        self._solver = Solver()
        self._tests: list[ExploredTest] = []
        self._pinned: Counter[str] = Counter()
        self._notes: dict[str, None] = {}
        self._reason: str | None = None
        self._had_conditions = False
        self.folder = request.out or unused_path("whence-tests-")

    def run(self) -> ExploreResult:
        """Explore until nothing is left, a limit is reached, or the user interrupts."""
        with scratch_folder() as scratch:
            self._say("fetching the source")
            request = self._request
            tree = fetch(request.source, repo=request.repo, into=scratch / "tree")
            self._key = self._key_of(tree)
            self._program = open_program(
                tree, request.commands, scratch / "program", request.specs, request.frontend,
                self._say,
            )  # fmt: skip
            self._runs = ParallelRuns(self._program, request.jobs, scratch / "jobs")
            try:
                return self._explore(tree)
            finally:
                self._runs.close()
                self._program.close()

    def _explore(self, tree: Path) -> ExploreResult:
        self._tree = tree
        self._search = ExploreSearch(
            self._run, self._solver, on_found=self._note, length_moves=self._moves,
            announce=self._runs.announce,
        )  # fmt: skip
        if self._runs.problem is not None:
            self._notes[
                "one run followed the other: this machine gives processes no copies of the tree at "
                f"its path ({self._runs.problem})"
            ] = None
        self._check_repeatable()
        if not self._resume():
            self._search.start(self._program.first)
            self._check_conditions()
        with suppress(KeyboardInterrupt):
            while not self._is_over() and self._search.step():
                self._save()
        self._save()
        return self._result()

    # --- runs ------------------------------------------------------------------------------------

    def _run(self, contents: Contents) -> ExploredRun:
        run = self._runs.run(contents)
        request = self._request
        chosen = ChosenConditions.of(run, request.at if request.by == "slice" else None)
        self._had_conditions = self._had_conditions or bool(run.conditions)
        self._pinned.update(run.path.pinned_by(chosen.conditions))
        self._notes.update(dict.fromkeys(run.path.notes))
        return chosen

    @staticmethod
    def _moves(run: ExploredRun) -> list[Contents]:
        assert isinstance(run, ChosenConditions)
        return list(length_moves(run.run))

    def _note(self, made: Explored) -> None:
        """Write the test of a new class."""
        assert isinstance(made.run, ChosenConditions)
        run = made.run.run
        name = f"test-{made.id + 1}"
        test = self._program.write_test(run.contents, self.folder, name)
        told = [one for one in made.run.conditions if _is_told(one) and run.is_own(one)]
        parts = conjuncts([run.words(one) for one in told])
        found = _explored_test(made, run, test, parts, self._tree)
        self._tests.append(found)
        self._on_test(f"{found.condition}: {found.trouble or found.result}")
        run.release()

    # --- checks ----------------------------------------------------------------------------------

    def _check_repeatable(self) -> None:
        """Does the program do the same twice with the same inputs?"""
        first, second = (self._program.run_plain(self._program.first) for _ in range(2))
        if (first.status, first.stdout) != (second.status, second.stdout):
            self._notes[
                "the program prints something else when it runs again with the same inputs (a "
                "clock, random bytes, an address): inputs may not decide all of its branches"
            ] = None

    def _check_conditions(self) -> None:
        if self._had_conditions:
            return
        inputs = ", ".join(source.words for source in sorted(self._program.free))
        raise UserError(
            f"No branch of the program depends on its inputs ({inputs}).\n"
            f"We ran: {self._request.commands.test}\n"
            "Name other inputs with --input, or give a test that uses them.",
            slug="no-input-decides",
        )

    def _is_over(self) -> bool:
        request = self._request
        if len(self._tests) >= request.max_tests:
            self._reason = f"there are {request.max_tests} tests (--max-tests)"
        elif request.seconds and time.monotonic() - self._began > request.seconds:
            self._reason = f"{request.seconds:g} seconds are over (--time)"
        return self._reason is not None

    # --- stopping and continuing -----------------------------------------------------------------

    def _key_of(self, tree: Path) -> str:
        request = self._request
        parts = [key_of(tree, request.commands), request.at, request.by, request.frontend]
        parts += [spec.text for spec in request.specs]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def _save(self) -> None:
        state = {
            "key": self._key,
            "search": search_state(self._search, self._program.free),
            "tests": [asdict(test) for test in self._tests],
            "pinned": dict(self._pinned),
            "solver_calls": self._solver.calls,
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        partial = self.folder / f"{_STATE}.partial"
        partial.write_text(json.dumps(state), "utf-8")
        partial.replace(self.folder / _STATE)

    def _resume(self) -> bool:
        """Continue the exploration in the folder, if it is the same one."""
        state = _read_state(self.folder / _STATE)
        if state is None:
            return False
        if state.get("key") != self._key:
            raise UserError(
                f"--out {self.folder} holds the tests of another exploration: of another program, "
                "other commands or other options.\nName another folder.",
                slug="out-not-empty",
            )
        restore_search(self._search, state["search"], self._program.first)
        self._tests = [_test_of(one) for one in state["tests"]]
        self._pinned = Counter(state["pinned"])
        self._solver.calls = state["solver_calls"]
        self._say(f"continuing with {len(self._tests)} tests that are known")
        return True

    # --- the result ------------------------------------------------------------------------------

    def _result(self) -> ExploreResult:
        found = self._search.found
        gap = self._reason or self._gap()
        request = self._request
        shared = _shared(self._tests)
        tests = [
            replace(test, own=conjunction([one for one in test.parts if one not in shared]))
            for test in self._tests
        ]
        return ExploreResult(
            is_complete=gap is None,
            reason=gap,
            point=request.at if request.by == "slice" else "path",
            folder=str(self.folder),
            inputs=tuple(source.words for source in sorted(self._program.free)),
            tests=tuple(sorted(tests, key=lambda test: (test.trouble is None, test.id))),
            shared=conjunction(shared) if shared else "",
            runs=found.executed,
            solver_calls=self._solver.calls,
            infeasible=found.infeasible,
            unknown=found.unknown,
            seconds=time.monotonic() - self._began,
            notes=(*self._program.notes, *self._notes, *self._counted()),
            open_questions=len(self._search.open),
        )

    def _gap(self) -> str | None:
        """Return why classes may be missing; None if there are all of these lengths."""
        search = self._search
        if search.open or search.ended or search.unmoved:
            return "interrupted"
        if search.found.unknown:
            return f"the solver gave no answer to {search.found.unknown} questions"
        if search.found.diverged:
            return f"{search.found.diverged} runs went another way than their formula promised"
        if self._pinned:
            names = ", ".join(sorted(self._pinned))
            return (
                f"nothing is left to ask, but some values are taken as recorded: those of {names}"
            )
        return None

    def _counted(self) -> list[str]:
        """Return notes about what was lost."""
        found = self._search.found
        notes = [
            f"{count} conditions depend on inputs only through {name}, which is taken as recorded"
            for name, count in sorted(self._pinned.items())
        ]
        if found.unknown:
            notes.append(f"the solver gave no answer to {found.unknown} questions")
        if found.diverged:
            notes.append(
                f"{found.diverged} runs went another way than their formula promised: something "
                "that whence does not model decides there"
            )
        return notes


def _shared(tests: Sequence[ExploredTest]) -> list[str]:
    """Return the parts of the conditions that all classes have: they tell no two of them apart."""
    if len(tests) < 2:
        return []
    first, *others = tests
    return [part for part in first.parts if all(part in test.parts for test in others)]


def _is_told(condition: Condition) -> bool:
    """Does a condition say more than that nothing went wrong, or where memory lies?"""
    return condition.kind not in (
        ConditionKind.BOUNDS, ConditionKind.DEFINED, ConditionKind.ADDRESS
    )  # fmt: skip


def _read_state(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _test_of(state: dict[str, Any]) -> ExploredTest:
    made = MadeTest(**(state["test"] | {"argv": tuple(state["test"]["argv"])}))
    origin = None if state["origin"] is None else (state["origin"][0], state["origin"][1])
    parts = tuple(state["parts"])
    return ExploredTest(**(state | {"test": made, "origin": origin, "parts": parts}))


def _explored_test(
    made: Explored, run: PathRun, test: MadeTest, parts: tuple[str, ...], tree: Path
) -> ExploredTest:
    output = run.ended.stdout.decode("utf-8", "backslashreplace")[:_MAX_OUTPUT]
    origin = None if made.origin is None else (made.origin[0] + 1, made.origin[1])
    return ExploredTest(
        id=made.id + 1,
        test=test,
        condition=conjunction(parts),
        result=run.result_words(),
        exit=run.ended.status,
        output=output,
        origin=origin,
        trouble=trouble_of(run.ended, tree),
        parts=parts,
    )


def trouble_of(ended: Ended, tree: Path) -> str | None:
    """Return the crash, the hang or the report of a sanitizer that a run ended with."""
    stderr = readable(ended.stderr)
    is_reported = any(word in stderr for word in _SANITIZER)
    if ended.status == 0 and not ended.timed_out and not is_reported:
        return None
    failure = read_failure(
        stdout=readable(ended.stdout), stderr=stderr, status=ended.status, tree=tree,
        timed_out=ended.timed_out,
    )  # fmt: skip
    if ended.timed_out:
        return f"does not end within {ended.seconds:.0f} s"
    message = replace(failure, message=failure.message.replace(f"{tree}/", "")).message
    return message if failure.kind in _TROUBLE or is_reported else None
