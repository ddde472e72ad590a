"""Which compiler calls does a build make?

The compilers that a build finds on its PATH are replaced by scripts that write their arguments to a
journal and then run the compiler, or copy the object that the same preprocessed text gave before.
`whence-cc` writes the same journal itself.  A compiler that is called by an absolute path is not
seen: then less is known, and nothing else changes.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whence.subject.python_hook import write_script
from whence.subject.stand_ins import with_stand_ins

# Variables of the environment of a build:
JOURNAL = "WHENCE_CALLS"  # the folder of the journal
OBJECTS = "WHENCE_OBJECTS"  # the folder of the objects that are kept
FILL = "WHENCE_FILL"  # an option that fills the variables of functions with a pattern
_NAMES = ("cc", "gcc", "clang", "c++", "g++", "clang++")
_SOURCES = (".c", ".cc", ".cp", ".cxx", ".cpp", ".c++", ".C")
_PROBES = re.compile(
    r"(^|/)conftest[^/]*$|/CMakeScratch/|/CMakeTmp/|/CompilerIdC|/meson-private/|/CMakeTry"
)
_EARLIER_STAGES = ("-E", "-M", "-MM", "-fsyntax-only", "-###", "--version", "-dumpversion")
# Options whose next word is their value.
_VALUED = (
    *("-o", "-x", "-include", "-imacros", "-MF", "-MT", "-MQ", "-D", "-U", "-I", "-isystem"),
    *("-iquote", "-idirafter", "-L", "-l", "-Xclang", "-Xlinker", "-Xpreprocessor", "-Xassembler"),
    *("-arch", "-target", "-T", "-u", "-z", "--param", "-isysroot", "--sysroot", "-iprefix"),
)
_OUTPUT_OPTIONS = re.compile(r"-c$|-S$|-MM?D$|-MP$|-MG$|-Wp,-MM?D,|-save-temps")
_OUTPUT_VALUED = ("-o", "-MF", "-MT", "-MQ")
_SCRIPT = Path(__file__).with_name("hooks") / "journal.sh"
_MAX_OBJECTS = 4 << 30  # limit in bytes on the objects that are kept; guessed


@dataclass(frozen=True, slots=True)
class Unit:
    """One source as the build compiles it.  `words` compile it if an output is added."""

    folder: str  # the current directory of the call
    source: str  # an absolute path
    words: tuple[str, ...]  # the compiler and its options, without the sources and outputs
    given: str  # the source as the call named it


class CallJournal:
    """The journal of the compiler calls of one build after another, in a folder of its own."""

    def __init__(self, folder: Path, objects: Path) -> None:
        """Objects are kept in `objects`, which journals may share."""
        self._calls, self._scripts = folder / "calls", folder / "compilers"
        self._objects = objects

    def environment(self, env: Mapping[str, str], *, finds_compilers: bool) -> dict[str, str]:
        """Return `env` for a build that is about to begin; the journal of the last one is deleted.

        If `finds_compilers`, the compilers are those on the PATH.  Else they are $CC and $CXX,
        which write the journal themselves, whatever the build calls.
        """
        shutil.rmtree(self._calls, ignore_errors=True)
        self._calls.mkdir(parents=True)
        noted = {**env, JOURNAL: str(self._calls)}
        if finds_compilers:
            path = env.get("PATH", os.defpath)
            self._write_scripts(path, env)
            noted["PATH"] = f"{self._scripts}{os.pathsep}{path}"
            self._prune()
            noted[OBJECTS] = str(self._objects)
            return noted
        return with_stand_ins(noted, self._scripts)

    def _prune(self) -> None:
        """Delete all objects if they take too much room."""
        self._objects.mkdir(exist_ok=True)
        if sum(file.stat().st_size for file in self._objects.iterdir()) > _MAX_OBJECTS:
            shutil.rmtree(self._objects)
            self._objects.mkdir()

    def _write_scripts(self, path: str, env: Mapping[str, str]) -> None:
        self._scripts.mkdir(exist_ok=True)
        given = [env[name].split()[0] for name in ("CC", "CXX") if env.get(name, "").strip()]
        for name in dict.fromkeys((*_NAMES, *(name for name in given if "/" not in name))):
            real = shutil.which(name, path=path)
            if real is not None:
                text = _SCRIPT.read_text().replace("@SCRIPTS@", shlex.quote(str(self._scripts)))
                write_script(self._scripts / name, text.replace("@COMPILER@", shlex.quote(real)))

    def units(self) -> dict[object, Unit]:
        """Return the sources that the build compiled, without those of probes."""
        return {
            (unit.folder, unit.source, _meaning(unit.words)): unit
            for file in sorted(self._files(), key=lambda path: path.stat().st_mtime_ns)
            for call in _calls(file)
            for unit in _units(*call)
        }

    def first_link(self) -> float:
        """Return when the build first linked a program or a library; infinity if it did not."""
        of_links = (
            file.stat().st_mtime
            for file in self._files()
            if any(_links(folder, words) for folder, words in _calls(file))
        )
        return min(of_links, default=float("inf"))

    def _files(self) -> list[Path]:
        return list(self._calls.glob("*"))


def _calls(file: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the calls in one file of a journal: the current directory, and the words.

    Each word of a call follows a "=" and ends with a zero byte; another zero byte ends the call.
    """
    words: list[str] = []
    for word in os.fsdecode(file.read_bytes()).split("\0"):
        if word:
            words.append(word[1:])
        else:
            if len(words) > 2:
                yield words[0], words[1:]
            words = []


def _ends_early(folder: str, words: Sequence[str]) -> bool:
    """Does a call compile nothing that the build uses?  Such as a probe of a configure script."""
    if any(word in _EARLIER_STAGES or word.startswith("@") for word in words):
        return True
    return bool(_PROBES.search(f"{folder}/") or any(_PROBES.search(word) for word in words[1:]))


def _links(folder: str, words: Sequence[str]) -> bool:
    return "-c" not in words and "-S" not in words and not _ends_early(folder, words)


def _units(folder: str, words: Sequence[str]) -> Iterator[Unit]:
    """Yield the sources that a call compiles."""
    if _ends_early(folder, words):
        return
    sources, options = _parted(words)
    for source in sources:
        yield Unit(folder, os.path.normpath(os.path.join(folder, source)), options, source)


def _parted(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return the sources of a call, and its words without sources, objects and outputs."""
    sources: list[str] = []
    kept = list(words[:1])
    value_of = ""
    for word in words[1:]:
        if value_of:
            if value_of not in _OUTPUT_VALUED:
                kept.append(word)
            value_of = ""
        elif word in _VALUED:
            value_of = word
            if word not in _OUTPUT_VALUED:
                kept.append(word)
        elif word[:1] != "-":
            if word.endswith(_SOURCES):
                sources.append(word)
            elif not re.search(r"\.(l?o|l?a|so[.\d]*|obj|s|S)$", word):
                kept.append(word)
        elif not _OUTPUT_OPTIONS.match(word) and word[:2] not in ("-l", "-L", "-o"):
            kept.append(word)
    return sources, tuple(kept)


def _meaning(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words that decide whether a source is valid, without those for the output."""
    return tuple(word for word in words if not re.match(r"-f[pP]I[CE]$|-[gO]", word))
