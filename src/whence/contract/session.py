"""What does `whence contract` do?  Two versions and a test in, a verdict on each function out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from whence.changes.tree import matches, read_tree
from whence.contract.c_contracts import CContracts
from whence.contract.changed_constants import ChangedConstants
from whence.contract.finding import ContractLanguage, ContractReader, ContractsByFunction
from whence.contract.judging import Judge, find_noise
from whence.contract.python_contracts import PythonContracts
from whence.contract.running_again import GoodFunctions
from whence.contract.versions import PairedSources
from whence.errors import UserError
from whence.file_trees import copy_tree
from whence.languages import LANGUAGES, fitting
from whence.languages.language import Language, RunCallsAgain, Watch
from whence.model import ContractResult
from whence.subject.beneath import Beneath, delete_tree
from whence.subject.scratch import scratch_folder
from whence.subject.sources import fetch
from whence.subject.trial import BuildAndTest
from whence.trace.calls import AnsweredCall, AskedCall, WatchedRun

Say = Callable[[str], None]
_NOT_STARTED = (126, 127)  # exit statuses of a shell that cannot start a command
_SEEDS = (0, 1)  # of Python's hash: the order of sets differs between the two good runs
_MAX_LINE = 200  # characters of the last line of output in a message; guessed
_MAX_PLACES = 8  # limit on the places that a note lists; guessed


@dataclass(frozen=True)
class ContractRequest:
    """What the user asks `whence contract` to do."""

    good: str
    bad: str
    commands: BuildAndTest
    repo: Path = Path()
    contracts: tuple[Path, ...] = ()
    keep: tuple[str, ...] = ()  # globs of files that both versions have as the bad one has them


def check_contracts(request: ContractRequest, say: Say) -> ContractResult:
    """Run the test on both versions, and judge every function that both have."""
    with scratch_folder() as folder:
        return ContractSession(request, folder, say).result()


@dataclass(frozen=True)
class OpenedVersions:
    """Both versions as trees, with their functions and the way to watch them."""

    good: Path
    bad: Path
    sources: PairedSources
    watch: Watch
    language: Language

    def contracts(self, files: Sequence[Path]) -> ContractsByFunction:
        """Return the contracts in the sources and in files; a mistake in one is an error."""
        return ContractReader(self.sources, self.bad, self.contract_language).read(files)

    @cached_property
    def contract_language(self) -> ContractLanguage:
        parse = self.language.parse_expression
        if parse is None:
            return PythonContracts(self.sources, self.good, self.bad)
        return CContracts(self.sources, self.good, self.bad, parse)


@dataclass(frozen=True)
class WatchedVersions:
    """The watched runs of both versions; the good version was run twice."""

    good: WatchedRun
    again: WatchedRun
    bad: WatchedRun


@dataclass
class ContractSession:
    """The work for one request, in a folder of ours."""

    request: ContractRequest
    folder: Path
    say: Say
    notes: list[str] = field(default_factory=list)
    runs: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    _ended: str = ""  # how the test ended on the bad version, if that is another way
    # Answers by version and calls: whoever judges runs again with other contracts needs the same.
    _known: dict[object, Mapping[int, Sequence[AnsweredCall]]] = field(default_factory=dict)

    def result(self) -> ContractResult:
        """Do all the work."""
        began = time.monotonic()
        versions = self.open()
        contracts = versions.contracts(self.request.contracts)
        found = self.judged(versions, self.watched(versions), contracts)
        found.seconds["total"] = time.monotonic() - began
        return found

    def judged(
        self, versions: OpenedVersions, runs: WatchedVersions, contracts: ContractsByFunction
    ) -> ContractResult:  # fmt: skip
        """Return the verdicts that the runs give."""
        return self.result_of(self.judge(versions, runs, contracts))

    def open(self) -> OpenedVersions:
        """Get both versions, and find their functions."""
        self.say("getting the two versions")
        request = self.request
        good = fetch(request.good, repo=request.repo, into=self.folder / "good")
        bad = fetch(request.bad, repo=request.repo, into=self.folder / "bad")
        good = self._with_kept(good, bad)
        language = self._language(good, bad)
        assert language.watch is not None
        assert language.source_functions is not None
        functions = [[*language.source_functions(tree)] for tree in (good, bad)]
        return OpenedVersions(good, bad, PairedSources(*functions), language.watch, language)

    def _with_kept(self, good: Path, bad: Path) -> Path:
        """Return the good version with the files that are as in the bad one."""
        if not self.request.keep:
            return good
        tree = self.folder / "good with kept files"
        copy_tree(good, tree)
        below = Beneath(tree)
        for path in read_tree(tree).entries:
            if matches(path, self.request.keep):
                below.delete(path)
        for path in read_tree(bad).entries:
            if matches(path, self.request.keep):
                below.copy(bad / path, path)
        return tree

    def watched(self, versions: OpenedVersions) -> WatchedVersions:
        """Run the test on the good version twice, and on the bad version."""
        good, bad = versions.sources.changed
        return WatchedVersions(
            self._watch(versions.watch, versions.good, "good version", good, _SEEDS[0]),
            self._watch(versions.watch, versions.good, "good version once more", good, _SEEDS[1]),
            self._watch(versions.watch, versions.bad, "bad version", bad, _SEEDS[0]),
        )

    def judge(
        self, versions: OpenedVersions, runs: WatchedVersions, contracts: ContractsByFunction
    ) -> Judge:
        """Judge the calls of the runs."""
        began = time.monotonic()
        self.say("comparing the calls")
        notes: list[str] = []
        noise = find_noise(versions.sources, runs.good, runs.again, notes.append)
        judge = Judge(
            versions.sources, noise, contracts, versions.contract_language.suggestion,
            ChangedConstants(versions.good, versions.bad),
        )  # fmt: skip
        judge.read(runs.good, runs.bad)
        again = self._good_functions(versions)
        judge.judge(again.answers(judge) if again is not None else {})
        notes += [*noise_notes(noise.places()), *unevaluated_notes(judge.unevaluated())]
        notes += again.notes() if again is not None else ()
        notes += no_longer_called_notes(judge.no_longer_called())
        self._ended = ended_otherwise(runs)
        compared = time.monotonic() - began
        self.notes = notes
        self.seconds = {"good": runs.good.seconds, "bad": runs.bad.seconds, "compare": compared}
        return judge

    def result_of(self, judge: Judge) -> ContractResult:
        """Return the verdicts of a judge."""
        functions = tuple(judge.verdicts())
        is_unseen = bool(self._ended) and not any(each.differing for each in functions)
        reason = f"{self._ended}, and no compared call shows why" if is_unseen else None
        notes = [
            *self.notes,
            *(
                [f"{self._ended[:1].upper()}{self._ended[1:]}."]
                if self._ended and not reason
                else []
            ),
        ]
        return ContractResult(functions, tuple(notes), self.runs, self.seconds, reason)

    def against_itself(self, versions: OpenedVersions, runs: WatchedVersions) -> ContractResult:
        """Return the verdicts on the good version, compared with its own second run."""
        sources = replace(versions.sources, bad=versions.sources.good)
        own = replace(versions, bad=versions.good, sources=sources)
        return self.judged(own, replace(runs, bad=runs.again), {})

    def _language(self, good: Path, bad: Path) -> Language:
        """Return how the calls of the program are watched, and its functions found."""
        trees = [read_tree(tree).entries for tree in (good, bad)]
        changed = [
            path for path in {*trees[0], *trees[1]} if trees[0].get(path) != trees[1].get(path)
        ]
        found = [LANGUAGES[name] for name in fitting(changed, trees[1])]
        for language in found:
            if language.watch is not None and language.source_functions is not None:
                return language
        raise UserError(
            f"{self.request.bad} has no source in Python, C or C++.\n"
            "whence contract compares calls of functions in these languages.",
            slug="nothing-to-watch",
        )

    def _watch(
        self, watch: Watch, version: Path, name: str,
        changed: frozenset[tuple[str, int]], seed: int,
    ) -> WatchedRun:  # fmt: skip
        """Run the test and watch its calls."""
        self.say(f"running the test on the {name}")
        with self._copied(version) as (tree, out):
            run = watch(tree, self.request.commands, out, changed, seed)
        self._check(run)
        return run

    def _good_functions(self, versions: OpenedVersions) -> GoodFunctions | None:
        """Return what runs functions of both versions on recorded states, if that is possible."""
        run = versions.language.run_calls_again
        if run is None:
            return None
        return GoodFunctions(
            lambda asked: self._again(run, versions.good, "good", asked),
            lambda asked: self._again(run, versions.bad, "bad", asked),
        )

    def _again(
        self, run: RunCallsAgain, version: Path, name: str, asked: Sequence[AskedCall]
    ) -> Mapping[int, Sequence[AnsweredCall]]:  # fmt: skip
        """Run functions of a version on recorded states."""
        key = (version, tuple((id(each.process), each.call.number) for each in asked))
        if key not in self._known:
            self.say(f"running functions of the {name} version on {len(asked)} recorded states")
            with self._copied(version) as (tree, out):
                self._known[key] = run(tree, self.request.commands, out, asked)
        return self._known[key]

    @contextmanager
    def _copied(self, version: Path) -> Iterator[tuple[Path, Path]]:
        """Provide a copy of a version, which always has the same path, and a folder for logs."""
        tree, out = self.folder / "tree", self.folder / f"calls{self.runs}"
        out.mkdir()
        copy_tree(version, tree)
        try:
            yield tree, out
        finally:
            delete_tree(tree)
        self.runs += 1

    def _check(self, run: WatchedRun) -> None:
        if any(process.calls for process in run.processes):
            return
        last = "\n".join(run.output.decode("utf-8", "replace").strip().splitlines()[-8:])
        how = "cannot be started" if run.status in _NOT_STARTED else "calls no function of the tree"
        raise UserError(
            f"The test {how}: {self.request.commands.test}\n"
            f"Its exit status was {run.status}.{f' It printed:{chr(10)}{last}' if last else ''}\n"
            "The test must import the modules of the version that it runs in ({tree}), or run the "
            "program that --build makes there.",
            slug="nothing-to-watch",
        )


def ended_otherwise(runs: WatchedVersions) -> str:
    """Say how the test ended on the bad version, if it ended in another way on the good one."""
    good, bad = runs.good.status, runs.bad.status
    if good != runs.again.status or good == bad:
        return ""
    lines = runs.bad.output.decode("utf-8", "replace").strip().splitlines()
    last = f" (its last line: {lines[-1][:_MAX_LINE]})" if lines else ""
    return f"the test ended with exit status {bad}, not {good} as on the good version{last}"


def no_longer_called_notes(names: Sequence[str]) -> Iterator[str]:
    """Yield a note on changed functions that only the good version's run calls."""
    if names:
        yield f"Changed functions that the bad version's run did not call: {_first_of(names)}."


def noise_notes(places: Sequence[str]) -> Iterator[str]:
    """Yield a note on what was not compared because it is noise."""
    if places:
        yield (
            "Two runs of the good version differ here, so this was not compared: "
            f"{_first_of(places)}."
        )


def _first_of(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_PLACES} more" if len(names) > _MAX_PLACES else ""
    return f"{', '.join(names[:_MAX_PLACES])}{more}"


def unevaluated_notes(counts: Mapping[str, int]) -> Iterator[str]:
    """Yield a note for each function whose contract could not be evaluated for some calls."""
    for name, count in sorted(counts.items()):
        yield (
            f"The contract of {name} could not be evaluated for {count} calls: it needs a part "
            "of the state that was not recorded."
        )
