"""How does one failing test of a pytest run become a request to explain it?

The test runs alone, with the same Python, in the same directory of copies of the repository.  It
gets the user's options, except those that select tests or say how to report.  Files that belong
to the tests stay as they are in all copies, because they define what the user expects.
"""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from whence.errors import UserError
from whence.search.session import IsolateRequest
from whence.search.store import default_store
from whence.service.shell_commands import quoted, run_in
from whence.subject.sources.git import git, what_git_says
from whence.subject.sources.revision import find_commit
from whence.subject.trial import BuildAndTest

_TEST_FOLDERS = ("test", "tests", "testing")  # names of folders that hold tests
# Options that only concern the user's run: which tests it has, how it reports, what it writes.
_WITHOUT_VALUE = {
    *("--", "-x", "--exitfirst", "--lf", "--last-failed", "--ff", "--failed-first", "--nf"),
    *("--new-first", "--sw", "--stepwise", "--stepwise-skip", "--pdb", "--trace", "-q", "--quiet"),
    *("-v", "-vv", "--verbose", "-l", "--showlocals", "--no-header", "--no-summary"),
}
_WITH_VALUE = {
    *(
        "--whence",
        "--whence-contract",
        "--whence-max",
        "--whence-time",
        "--whence-html",
        "-n",
        "--numprocesses",
    ),
    *("--dist", "--maxfail", "--tb", "--color", "-r", "--durations", "--basetemp", "--pdbcls"),
    *("--junitxml", "--junit-xml", "--log-file", "--html", "--report-log", "--pastebin"),
}
_FOR_PLUGINS = {
    "xdist": ("-n0",),
    "pytest_cov": ("--no-cov",),  # it may complain that one test covers too little
    # The plugin stays, as settings may name its options, but with a folder of its own.
    "cacheprovider": ("-o", "cache_dir=.pytest_cache"),
}
_REPORT = ("--verbosity=-1", "--tb=auto", "--color=no", "-rfE")  # output that whence can parse


@dataclass(frozen=True)
class PytestRequest:
    """What the plugin knows about a failing test and about the run."""

    test: str  # its node id
    collects: bool  # `test` is a file whose tests could not be collected
    good: str
    root: str  # pytest's rootdir
    started_in: str  # the directory where pytest was started
    arguments: Sequence[str]
    named: Sequence[str]  # the arguments that name tests
    plugins: Sequence[str]
    path: Sequence[str]  # Python's import path
    keep: Sequence[str]
    trust: Sequence[str]
    html: str
    width: int
    colour: bool
    seconds: float

    @property
    def file(self) -> Path:
        return Path(os.path.normpath(Path(self.root, self.test.partition("::")[0])))


def request_of(request: PytestRequest) -> IsolateRequest:
    """Return the request to isolate the changes that broke the test."""
    top = work_tree(request)
    if find_commit(request.good, top) is None:
        raise UserError(
            f"there is no revision {request.good!r} in {top}.\n"
            "Name a commit, a tag or a branch; a shallow clone lacks the older ones.",
            slug="no-such-revision",
        )
    return IsolateRequest(
        good=request.good,
        bad=str(top),
        commands=BuildAndTest(test=command(request, top)),
        repo=top,
        keep=(*globs_of_tests(request, top), *request.keep),
        store=default_store(),
    )


def work_tree(request: PytestRequest) -> Path:
    found = git("-C", request.root, "rev-parse", "--show-toplevel")
    if found.returncode != 0:
        raise UserError(
            f"{request.root} is not in a git repository, so {request.good} is not a revision "
            f"({what_git_says(found.stderr)})\n"
            "Run pytest --whence in a clone of the project.",
            slug="not-a-repository",
        )
    return Path(os.fsdecode(found.stdout.removesuffix(b"\n")))


# -- the command -----------------------------------------------------------------------------


def command(request: PytestRequest, top: Path) -> str:
    """Return the shell command that runs the test alone, in a copy of `top`.

    A request without a test is about all tests of the run.
    """
    folder = _inside(request.started_in, top) or _inside(request.root, top) or "."
    own = [option for name in request.plugins for option in _FOR_PLUGINS[name]]
    named = [_in_copy(word, top) for word in request.named]
    words = [
        *(sys.executable, "-m", "pytest"),
        *([_node(request, top, folder)] if request.test else named),
        *(_in_copy(word, top) for word in options(request.arguments, request.named)),
        *(
            _in_copy(f"--rootdir={Path(request.root).resolve()}", top),
            *own,
            *_REPORT,
            "--whence-run",
        ),
        *(("--collect-only",) if request.collects else ()),
    ]
    path = ":".join(quoted(folder) for folder in _imports(request.path, top))
    before = f"PYTHONPATH={path}${{PYTHONPATH:+:$PYTHONPATH}} " if path else ""
    return run_in("" if folder == "." else folder, before + " ".join(map(quoted, words)))


def options(arguments: Sequence[str], named: Sequence[str]) -> list[str]:
    """Return the user's options that say how tests run, not which tests or how to report."""
    left = list(arguments)
    for name in reversed(named):
        if name in left:
            del left[len(left) - 1 - left[::-1].index(name)]
    return list(_wanted(left))


def _wanted(words: Sequence[str]) -> Iterator[str]:
    is_value = False
    for word in words:
        name, equals, _ = word.partition("=")
        if not is_value and name not in _WITHOUT_VALUE | _WITH_VALUE:
            yield word
        is_value = not is_value and name in _WITH_VALUE and not equals


def _node(request: PytestRequest, top: Path, folder: str) -> str:
    """Return the test as the command in `folder` names it; a file outside `top` by its path."""
    inside = _inside(str(request.file), top)
    file = str(request.file) if inside is None else os.path.relpath(inside, folder)
    return file + "".join(request.test.partition("::")[1:])


def _imports(path: Sequence[str], top: Path) -> list[str]:
    """Return the import path of a copy, if the project is installed in place."""
    folders = [_inside(folder, top) for folder in path if folder]
    own = _inside(sys.prefix, top)
    return [
        "{tree}" if folder == "." else f"{{tree}}/{folder}"
        for folder in dict.fromkeys(folders)
        if folder is not None and not (own and f"{folder}/".startswith(f"{own}/"))
    ]


def _inside(path: str, top: Path) -> str | None:
    """Return a path relative to the top of the repository; None if it is outside."""
    with_links = Path(os.path.abspath(path))
    for real in (with_links, with_links.resolve()):
        if real.is_relative_to(top):
            return str(real.relative_to(top))
    return None


def _in_copy(word: str, top: Path) -> str:
    """Return the word with {tree} in place of the path of the repository."""
    return re.sub(rf"{re.escape(str(top))}(?=[/:,]|$)", "{tree}", word)


# -- files of the test ----------------------------------------------------------------------


def globs_of_tests(request: PytestRequest, top: Path) -> list[str]:
    """Return globs of the files that belong to the tests.

    These are the test's file, its folder of tests, every conftest.py, and files that options name.
    The file of a doctest belongs to the program.
    """
    found = [*_configured(request, top)]
    file = _inside(str(request.file), top) if request.test else None
    if not request.test:
        found += [*_TEST_FOLDERS, "test_*.py", "*_test.py"]
        return ["conftest.py", *found]
    if file is not None and not _is_in_docstring(request.test):
        folders = [part for part in PurePosixPath(file).parents if part.name in _TEST_FOLDERS]
        found += [file, *map(str, folders[-1:])]
    return ["conftest.py", *map(glob.escape, found)]


def _configured(request: PytestRequest, top: Path) -> Iterator[str]:
    for word in options(request.arguments, request.named):
        for part in filter(None, (word, word.partition("=")[2])):
            path = os.path.join(request.started_in, part)
            if os.path.isfile(path) and (inside := _inside(path, top)):
                yield inside


def _is_in_docstring(test: str) -> bool:
    file, _, name = test.partition("[")[0].partition("::")
    return file.endswith(".py") and "." in name  # a doctest is named by module and object
