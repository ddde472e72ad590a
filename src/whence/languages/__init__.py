"""Which languages are there, and which of them is a file, a tree or a recorded run in?

This is the only module that knows more than one language.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path, PurePath
from typing import Any

from whence.causes.failures import c as c_failures
from whence.causes.failures import python as python_failures
from whence.causes.observed_failure import ObservedFailure
from whence.causes.tree import CauseSearch
from whence.errors import UserError
from whence.frontend.c import record as c_record
from whence.frontend.c.cache import c_source_hash
from whence.frontend.python import record as python_record
from whence.frontend.recorded_run import FORMAT, MODULES, RUN
from whence.frontend.rerun.c import CRerunner
from whence.frontend.rerun.python import PythonRerunner
from whence.frontend.trace_files import check_files
from whence.languages.language import Language
from whence.logic.c.logic import CLogic
from whence.logic.python.logic import PythonLogic
from whence.model import Failure, Outcome
from whence.paths.c.code_difference import c_code_difference, c_same_form
from whence.paths.c.program import open_c_program
from whence.paths.python.program import open_python_program
from whence.trace.c import source_functions as c_source
from whence.trace.c import watched_calls as c_calls
from whence.trace.c.analysis import CAnalysis
from whence.trace.c.calls_again import run_calls_again as run_c_calls_again
from whence.trace.c.recording import CRecording
from whence.trace.c.rerunning import c_rerunner
from whence.trace.flow import Flow
from whence.trace.python import source_functions as python_source
from whence.trace.python import watched_calls as python_calls
from whence.trace.python.analysis import PythonAnalysis
from whence.trace.python.calls_again import run_calls_again as run_python_calls_again
from whence.trace.python.recording import PythonRecording
from whence.trace.python.rerunning import python_rerunner
from whence.trace.recording import Recording, Thread
from whence.trace.statements import StepDescriber


def _python_sources() -> bytes:
    digest = blake2b(digest_size=32)
    for path in sorted(Path(python_record.__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


_C = Language(
    name="c",
    label="C or C++",
    suffixes=(".c", ".h", ".cc", ".hh", ".cpp", ".hpp", ".cxx", ".hxx", ".c++", ".C", ".inc"),
    is_compiled=True,
    record=c_record.record,
    record_warm=c_record.record,
    own_sources=c_source_hash,
    recording=CRecording,
    analysis=CAnalysis(),
    logic=CLogic(),
    find_failure=c_failures.find_failure,
    open_program=open_c_program,
    code_difference=c_code_difference,
    same_form=c_same_form,
    open_test=CRerunner,
    rerunner=c_rerunner,
    watch=c_calls.watch_calls,
    run_calls_again=run_c_calls_again,
    source_functions=c_source.source_functions,
    parse_expression=c_calls.CCallExpression,
)
_PYTHON = Language(
    name="python",
    label="Python",
    suffixes=(".py", ".pyw"),
    is_compiled=False,
    record=python_record.record,
    record_warm=None,
    own_sources=_python_sources,
    recording=PythonRecording,
    analysis=PythonAnalysis(),
    logic=PythonLogic(),
    find_failure=python_failures.find_failure,
    open_test=PythonRerunner,
    rerunner=python_rerunner,
    open_program=open_python_program,
    watch=python_calls.watch_calls,
    run_calls_again=run_python_calls_again,
    source_functions=python_source.source_functions,
)
LANGUAGES = {language.name: language for language in (_C, _PYTHON)}
_BY_SUFFIX = {suffix: name for name, one in LANGUAGES.items() for suffix in one.suffixes}


def language_of(recording: Recording) -> Language:
    """Return the language of a recorded run."""
    return LANGUAGES[recording.document["frontend"]]


def flow_of(thread: Thread) -> Flow:
    """Return what each step of a thread computed."""
    return language_of(thread.recording).analysis.flow(thread)


def describer_of(thread: Thread) -> StepDescriber:
    """Return what turns the steps of a thread into words."""
    return language_of(thread.recording).analysis.describer(thread)


def own_sources() -> bytes:
    """Return a hash of the sources of all front ends: another whence records differently."""
    digest = blake2b(digest_size=32)
    for language in LANGUAGES.values():
        digest.update(language.own_sources())
    return digest.digest()


def fitting(changed: Iterable[str], present: Iterable[str]) -> list[str]:
    """Return the names of the languages that may explain a change, the likeliest first.

    `changed` are the changed files and `present` all files.  The language with most changed files
    comes first.  A language without changed files may still be the right one: the changed file
    may be data that makes the program fail.
    """
    changes = Counter(map(_language_of_file, changed))
    files = Counter(map(_language_of_file, present))
    found = [name for name in LANGUAGES if files[name]]
    return sorted(found, key=lambda name: (-changes[name], -files[name]))


def _language_of_file(file: str) -> str | None:
    return _BY_SUFFIX.get(PurePath(file).suffix)


# --- recorded runs -------------------------------------------------------------------------------


def open_recording(folder: Path) -> Recording:
    """Return the run that was recorded into a folder."""
    if not (folder / RUN).is_file():
        raise UserError(
            f"{folder} is no trace: it has no {RUN}.\n"
            "Make one with: whence trace --source . --build make --test ./check --out DIR",
            slug="not-a-trace",
        )
    document = _document(folder)
    check_files(folder)
    return LANGUAGES[document["frontend"]].recording(folder, document)


def second_recording(folder: Path, first: Path) -> Recording:
    """Return a run that was recorded with the program that another recording built."""
    modules = folder / MODULES
    if modules.is_dir() and not any(modules.iterdir()):
        modules.rmdir()
        modules.symlink_to((first / MODULES).absolute())
    return open_recording(folder)


def _document(folder: Path) -> dict[str, Any]:
    """Return the description of the run in a folder."""
    try:
        found = json.loads((folder / RUN).read_text("utf-8"))
        if found["frontend"] not in LANGUAGES:
            raise ValueError(f"it is of the front end {found['frontend']!r}")
        if found.get("format", 1) != FORMAT:
            raise ValueError("another version of whence recorded it")
        Outcome(found["outcome"])
        if found["failure"]:
            Failure(**found["failure"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UserError(
            f"{folder / RUN} cannot be read: {error or 'it is damaged'}.\n"
            "Record the run again with whence trace.",
            slug="not-a-trace",
        ) from None
    return dict(found)


def open_search(
    recording: Recording,
    expect: bytes | None = None,
    trust: Sequence[str] = (),
    process: str | None = None,
    passing: Flow | None = None,
) -> CauseSearch:
    """Return the cause tree of the failure of a recorded run."""
    return cause_search(find_failure(recording, expect, process), trust, passing)


def find_failure(
    recording: Recording, expect: bytes | None = None, process: str | None = None
) -> ObservedFailure:
    """Return the failure of a recorded run; a UserError says why there is none.

    `expect` is what the run should have printed: the failure is then the first byte that differs.
    """
    return language_of(recording).find_failure(recording, expect=expect, process=process)


def cause_search(
    failure: ObservedFailure, trust: Sequence[str] = (), passing: Flow | None = None
) -> CauseSearch:
    """Return the cause tree of a failure, compared with a passing run if there is one."""
    return CauseSearch(failure, language_of(failure.flow.thread.recording).logic, trust, passing)
