"""Which warnings of a compiler say that a variant compiles only by accident?

A variant mixes old and new code: it may compare a pointer with a number that was a pointer before,
or read a variable that nothing sets any more.  Compilers accept such code with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from whence.model import Complaint
from whence.source_lines import decoded_lines
from whence.subject.complaints import read_complaints
from whence.subject.output_text import inside, without_colours

_RISKY_FLAGS = re.compile(
    r"int-conversion|pointer-integer-compare|incompatible-(function-)?pointer-types[\w-]*"
    r"|compare-distinct-pointer-types|implicit-function-declaration|implicit-int|return-type"
    r"|return-mismatch|(sometimes-|maybe-|static-self-)?uninitialized(-const-[\w-]+)?"
    r"|format(-(extra-args|insufficient-args|invalid-specifier|zero-length))?=?"
    r"|(void-)?pointer-to-(int|enum)-cast|int-to-(void-)?pointer-cast|builtin-declaration-mismatch"
    r"|sizeof-pointer-(memaccess|div)|sizeof-array-(argument|decay)|return-(stack-address|local-addr)"
    r"|tautological-pointer-compare|excess-initializers|address|incompatible-library-redeclaration"
)
# Warnings that gcc gives by default and under no name.
_RISKY_WORDS = re.compile(
    r"comparison between pointer and integer|comparison of distinct pointer types"
    r"|makes (?:pointer from integer|integer from pointer)|incompatible pointer type"
    r"|excess elements in |conflicting types for|pointer/integer type mismatch"
    r"|type defaults to |pointer type mismatch"
)
_WARNING = re.compile(
    r"(?P<file>[^\s:(][^:(]*):(?P<line>\d{1,9}):(?:\d+:)? warning: (?P<what>.*?)"
    r"(?: \[-W(?P<flag>[\w+=-]+)(?:,[^]]*)?\])?$"
)


@dataclass(frozen=True, slots=True)
class RiskyWarning:
    """A warning; two versions of a file give the same one if `kind` is the same."""

    file: str  # as the compiler printed it
    line: int
    what: str
    flag: str  # empty if the compiler names none
    code: str  # the source line, without blanks

    @property
    def kind(self) -> tuple[str, str, str]:
        return self.file, self.what, self.code


def read_risky(text: str, folder: Path) -> list[RiskyWarning]:
    """Return the risky warnings that a compiler, run in `folder`, printed."""
    found = []
    for line in without_colours(text).split("\n"):
        warning = _WARNING.match(line.rstrip())
        if warning is None:
            continue
        flag = warning["flag"] or ""
        if _RISKY_FLAGS.fullmatch(flag) or _RISKY_WORDS.search(warning["what"]):
            file, number = warning["file"], int(warning["line"])
            code = "".join(_line(folder / file, number).split())
            found.append(RiskyWarning(file, number, warning["what"], flag, code))
    return list(dict.fromkeys(found))


def as_complaints(warnings: Iterable[RiskyWarning], folder: Path, tree: Path) -> list[Complaint]:
    """Return the warnings as complaints that also name the identifiers of the source line."""
    complaints = []
    for warning in warnings:
        as_error = f"{folder / warning.file}:{warning.line}:1: error: {warning.what}"
        (read,) = read_complaints(as_error, tree=tree)[:1] or (None,)
        file = inside(str(folder / warning.file), tree)
        on_line = re.findall(r"[A-Za-z_]\w*", _line(folder / warning.file, warning.line))
        names = tuple(dict.fromkeys([*(read.names if read else ()), *on_line]))
        named = f" [-W{warning.flag}]" if warning.flag else ""
        text = f"{file or warning.file}:{warning.line}: warning: {warning.what}{named}"
        complaints.append(Complaint(file, warning.line if file else None, names, text))
    return complaints


def _line(path: Path, number: int) -> str:
    try:
        lines = decoded_lines(path.read_bytes())
    except OSError:
        return ""
    return lines[number - 1] if number <= len(lines) else ""
