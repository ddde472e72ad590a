"""How does one failing test of a pytest run become an order to explain it?

The test is run again by itself, by the same Python, in the same directory of copies of the
repository, and with the options that the user gave but for those about what to run and where to
report it.  What belongs to the tests stays as it is in all copies: it is the user's judge.
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

_TESTS = ("test", "tests", "testing")  # what folders of tests are called
# Options about the user's own run: which tests it has, how it reports, where it leaves things.
_ALONE = {
    *("--", "-x", "--exitfirst", "--lf", "--last-failed", "--ff", "--failed-first", "--nf"),
    *("--new-first", "--sw", "--stepwise", "--stepwise-skip", "--pdb", "--trace", "-q", "--quiet"),
    *("-v", "-vv", "--verbose", "-l", "--showlocals", "--no-header", "--no-summary"),
}
_WITH_VALUE = {
    *("--whence", "--whence-max", "--whence-time", "--whence-html", "-n", "--numprocesses"),
    *("--dist", "--maxfail", "--tb", "--color", "-r", "--durations", "--basetemp", "--pdbcls"),
    *("--junitxml", "--junit-xml", "--log-file", "--html", "--report-log", "--pastebin"),
}
_FOR_PLUGINS = {
    "xdist": ("-n0",),
    "pytest_cov": ("--no-cov",),  # which may find that one test covers too little
    # Not without it, as settings may name its options; and not in a folder that others use.
    "cacheprovider": ("-o", "cache_dir=.pytest_cache"),
}
_TOLD = ("--verbosity=-1", "--tb=auto", "--color=no", "-rfE")  # so that we can read what it says


@dataclass(frozen=True)
class PytestRequest:
    """What the plugin knows of a test that failed, and of the run."""

    test: str  # its node id
    collects: bool  # it is a file whose tests could not even be collected
    good: str
    root: str  # pytest's rootdir
    here: str  # where pytest was started
    arguments: Sequence[str]
    named: Sequence[str]  # those of the arguments that name tests
    plugins: Sequence[str]
    path: Sequence[str]  # where Python imports from
    keep: Sequence[str]
    trust: Sequence[str]
    html: str
    width: int
    colour: bool
    seconds: float

    @property
    def file(self) -> Path:
        return Path(os.path.normpath(Path(self.root, self.test.partition("::")[0])))


def request_of(asked: PytestRequest) -> IsolateRequest:
    top = _work_tree(asked)
    if find_commit(asked.good, top) is None:
        raise UserError(
            f"there is no revision {asked.good!r} in {top}.\n"
            "Name a commit, a tag or a branch; a shallow clone lacks the older ones.",
            slug="no-such-revision",
        )
    return IsolateRequest(
        good=asked.good,
        bad=str(top),
        commands=BuildAndTest(test=command(asked, top)),
        repo=top,
        keep=(*globs_of_tests(asked, top), *asked.keep),
        store=default_store(),
    )


def _work_tree(asked: PytestRequest) -> Path:
    found = git("-C", asked.root, "rev-parse", "--show-toplevel")
    if found.returncode != 0:
        raise UserError(
            f"{asked.root} is in no git repository that {asked.good} could be a revision of "
            f"({what_git_says(found.stderr)})\n"
            "Run pytest --whence in a clone of the project.",
            slug="not-a-repository",
        )
    return Path(os.fsdecode(found.stdout.removesuffix(b"\n")))


# -- the command -----------------------------------------------------------------------------


def command(asked: PytestRequest, top: Path) -> str:
    """The shell command that runs the test alone, in a copy of `top`."""
    here = _inside(asked.here, top) or _inside(asked.root, top) or "."
    own = [option for name in asked.plugins for option in _FOR_PLUGINS[name]]
    words = [
        *(sys.executable, "-m", "pytest", _node(asked, top, here)),
        *(_in_copy(word, top) for word in options(asked.arguments, asked.named)),
        *(_in_copy(f"--rootdir={Path(asked.root).resolve()}", top), *own, *_TOLD, "--whence-run"),
        *(("--collect-only",) if asked.collects else ()),
    ]
    path = ":".join(quoted(folder) for folder in _imports(asked.path, top))
    before = f"PYTHONPATH={path}${{PYTHONPATH:+:$PYTHONPATH}} " if path else ""
    return run_in("" if here == "." else here, before + " ".join(map(quoted, words)))


def options(arguments: Sequence[str], named: Sequence[str]) -> list[str]:
    """What the user said about how to run tests, and not about which, or for whom."""
    left = list(arguments)
    for name in reversed(named):
        if name in left:
            del left[len(left) - 1 - left[::-1].index(name)]
    return list(_wanted(left))


def _wanted(words: Sequence[str]) -> Iterator[str]:
    is_value = False
    for word in words:
        name, equals, _ = word.partition("=")
        if not is_value and name not in _ALONE | _WITH_VALUE:
            yield word
        is_value = not is_value and name in _WITH_VALUE and not equals


def _node(asked: PytestRequest, top: Path, here: str) -> str:
    """The test as the command names it; outside the repository it has one place only."""
    inside = _inside(str(asked.file), top)
    file = str(asked.file) if inside is None else os.path.relpath(inside, here)
    return file + "".join(asked.test.partition("::")[1:])


def _imports(path: Sequence[str], top: Path) -> list[str]:
    """Where a copy is imported from, if the project is installed in place."""
    folders = [_inside(folder, top) for folder in path if folder]
    own = _inside(sys.prefix, top)
    return [
        "{tree}" if folder == "." else f"{{tree}}/{folder}"
        for folder in dict.fromkeys(folders)
        if folder is not None and not (own and f"{folder}/".startswith(f"{own}/"))
    ]


def _inside(path: str, top: Path) -> str | None:
    """A path as seen from the top of the repository; None if it is not in there."""
    with_links = Path(os.path.abspath(path))
    for real in (with_links, with_links.resolve()):
        if real.is_relative_to(top):
            return str(real.relative_to(top))
    return None


def _in_copy(word: str, top: Path) -> str:
    """The word with {tree} for the repository's own place."""
    return re.sub(rf"{re.escape(str(top))}(?=[/:,]|$)", "{tree}", word)


# -- the test itself -------------------------------------------------------------------------


def globs_of_tests(asked: PytestRequest, top: Path) -> list[str]:
    """Globs of what belongs to the tests: the test's file, what is in its folder of tests, every
    conftest.py, and files that options name.  The file of a doctest is the program's, though."""
    found = [*_configured(asked, top)]
    file = _inside(str(asked.file), top)
    if file is not None and not _is_in_docstring(asked.test):
        folders = [part for part in PurePosixPath(file).parents if part.name in _TESTS]
        found += [file, *map(str, folders[-1:])]
    return ["conftest.py", *map(glob.escape, found)]


def _configured(asked: PytestRequest, top: Path) -> Iterator[str]:
    for word in options(asked.arguments, asked.named):
        for part in filter(None, (word, word.partition("=")[2])):
            path = os.path.join(asked.here, part)
            if os.path.isfile(path) and (inside := _inside(path, top)):
                yield inside


def _is_in_docstring(test: str) -> bool:
    file, _, name = test.partition("[")[0].partition("::")
    return file.endswith(".py") and "." in name  # the name of a module and what is in it
