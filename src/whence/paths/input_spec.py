"""Which inputs of a test may change?

A user names them with `--input`.  If nothing is named, those may change that the test command
names: its words that the program gets as arguments, the files that it names, standard input.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from whence.errors import UserError
from whence.inputs import InputSource, SourceKind

_KINDS = {
    "argv": SourceKind.ARGUMENT,
    "stdin": SourceKind.STDIN,
    "file": SourceKind.FILE,
    "env": SourceKind.VARIABLE,
    "literals": SourceKind.LITERAL,
}
# What stands behind the colon: a pattern, and whether it may be missing.
_PARTS = {"argv": (r"[1-9]\d*", True), "file": (r".+", False), "env": (r"[^=]+", False)}
_SHELL = re.compile(r"[<|]")  # signs of a shell command that lead something to standard input


class InputSpec(NamedTuple):
    """Some inputs of a program, as a user names them."""

    text: str  # as the user wrote it
    kind: SourceKind
    name: str = ""  # a pattern for the path of a file, or the name of a variable
    number: int | None = None  # of an argument; None: all of them

    def matches(self, source: InputSource) -> bool:
        """Is a source one of these inputs?"""
        if source.kind is not self.kind:
            return False
        if self.kind is SourceKind.ARGUMENT:
            return source.number > 0 and self.number in (None, source.number)
        if self.kind is SourceKind.FILE:
            return fnmatchcase(source.name, self.name.removeprefix("./"))
        return self.kind is not SourceKind.VARIABLE or source.name == self.name


def parse_input_spec(text: str) -> InputSpec:
    """Return the inputs that a value of `--input` names."""
    kind, colon, rest = text.partition(":")
    pattern, may_miss = _PARTS.get(kind, ("", True))
    is_right = re.fullmatch(pattern, rest) if colon else may_miss
    if kind not in _KINDS or not is_right:
        raise UserError(
            f"--input {text}: this names no input.\n"
            "Write argv (all arguments), argv:N, stdin, file:GLOB, env:NAME or literals.",
            slug="bad-input-spec",
        )
    is_number = kind == "argv" and colon
    return InputSpec(
        text, _KINDS[kind], "" if is_number else rest, int(rest) if is_number else None
    )


def chosen_inputs(
    specs: Sequence[InputSpec], known: Mapping[InputSource, bytes], test: str
) -> frozenset[InputSource]:
    """Return the inputs that may change, of those that are known.

    `known` are the inputs of the program that can be replaced; `test` is the test command.
    """
    if not specs:
        return _by_default(known, test)
    found: set[InputSource] = set()
    for spec in specs:
        own = {source for source in known if spec.matches(source)}
        if not own:
            raise no_such_input(spec, known)
        found |= own
    return frozenset(found)


def _by_default(known: Mapping[InputSource, bytes], test: str) -> frozenset[InputSource]:
    """Return the inputs that the test names; if it names none (a script does), all that are read.

    An argument that names a file is left as it is: the file's contents may change.
    """
    words = _words(test)
    files = {source for source in known if source.kind is SourceKind.FILE}
    paths = {source.name for source in files}
    texts = {
        source: known[source].decode("utf-8", "replace")
        for source in known
        if source.kind is SourceKind.ARGUMENT and source.number
    }
    arguments = {one for one, text in texts.items() if text.removeprefix("./") not in paths}
    stdin = {source for source in known if source.kind is SourceKind.STDIN}
    named = {one for one in arguments if texts[one] in words}
    spoken = {*words, *(text for one, text in texts.items() if text in words)}
    named |= {one for one in files if one.name in spoken or f"./{one.name}" in spoken}
    if stdin and _SHELL.search(test):
        named |= stdin
    return frozenset(named or arguments | files | stdin)


def _words(test: str) -> set[str]:
    try:
        return set(shlex.split(test))
    except ValueError:  # a quote is not closed; the shell may still take it, in a here-document
        return set(test.split())


def no_such_input(spec: InputSpec, known: Collection[InputSource]) -> UserError:
    """Return the error that the program has no such input."""
    inputs = sorted(one for one in known if one.kind is not SourceKind.VARIABLE)
    listed = ", ".join(source.words for source in inputs if source.number or source.name or
                       source.kind is SourceKind.STDIN)  # fmt: skip
    return UserError(
        f"--input {spec.text}: the program has no such input in this test, or it cannot be "
        f"replaced.\nIts inputs are: {listed or 'none'}.",
        slug="no-such-input",
    )
