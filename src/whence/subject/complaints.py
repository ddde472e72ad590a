"""What do compilers, linkers and interpreters complain about?

A variant that mixes old and new code is often inconsistent: a use without its declaration, a call
with the old arguments.  The search learns from such messages which changes belong together.  So the
places and the identifiers of a message matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePath

from whence.model import Complaint
from whence.subject.output_text import MAX_LINE, inside, without_colours
from whence.subject.tracebacks import SYNTAX_ERRORS, RaisedException, read_pytest, read_tracebacks

MAX_COMPLAINTS = 50  # limit on complaints of one run; guessed


def read_complaints(text: str, *, tree: Path) -> tuple[Complaint, ...]:
    """Return the complaints in the output of a failed build or test, the most important first."""
    text = without_colours(text)
    lines = [line[:MAX_LINE].rstrip() for line in text.split("\n")]
    compiled = _Compilers(tree).read(lines)
    found = [*compiled, *_from_python(text, tree), *_from_node(lines, tree)]
    return tuple(dict.fromkeys(found))[:MAX_COMPLAINTS]


# Identifiers


_QUOTED = re.compile(r"(?<!\w)['`‘]([^'`‘’\"]{1,300})['’`](?!\w)")  # noqa: RUF001 - what gcc prints
_IDENTIFIERS = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)~?[A-Za-z_$][\w$]*)*")
_HEADER = re.compile(r"[\w./+-]+\.(?:h|hh|hpp|hxx|inc|c|cc|cpp|py|js|ts)")
_SUGGESTION = re.compile(r"[;.(]? ?\(?[dD]id you |; include ")
_KEYWORD = re.compile(
    r"(?:struct|union|enum|class|const|volatile|unsigned|signed|int|char|short|long|float|double"
    r"|void|bool|_Bool|static|extern|inline|restrict|auto|typename|fn|mut|self|Self|str)$"
)


def _names(*texts: str) -> tuple[str, ...]:
    """Return the identifiers in the texts; the last part of a dotted one first."""
    found: list[str] = []
    for text in texts:
        if _HEADER.fullmatch(text):  # the name of a missing file is its stem
            text = PurePath(text).stem
        for chain in _IDENTIFIERS.findall(text):
            found += reversed(re.split(r"\.|::~?|->|#", chain))
    return tuple(dict.fromkeys(name for name in found if name and not _KEYWORD.match(name)))


def _quoted(text: str) -> list[str]:
    """Return the quoted parts of a message, without a suggested spelling."""
    return _QUOTED.findall(_SUGGESTION.split(text, maxsplit=1)[0])


# Compilers and linkers


_LOCATED = re.compile(
    r"(?P<file>[^\s:(][^:(]*)(?::(?P<line>\d{1,9})(?::\d+)?:?|\((?P<at>\d{1,9}),\d+\):)"
    r"(?: -)? (?P<level>error|fatal error|warning|note)(?: \w+)?: (?P<what>.*)"
)
_NO_RULE = re.compile(r".*No rule to make target [`'‘]([^'’]+)['’]")  # noqa: RUF001
_NO_FILE = re.compile(r"(\S+): No such file or directory")
_DECLARED = re.compile(r"declared here|previous (?:implicit )?(?:declaration|definition)")
_GO = re.compile(r"(?:vet: )?([^\s:]+\.go):(\d{1,9}):\d+: (.*)")
# The lookbehind prevents a match attempt at each letter of a long word.
_GO_NAMES = re.compile(
    r"(?<![\w.])(?:undefined: ([\w.]+)|([\w.]+) undefined|in call to ([\w.]+)|(\w+) redeclared"
    r"|declared and not used: (\w+)|(?:type|field or method|missing method) ([\w.]+))"
)
_JAVA_SYMBOL = re.compile(r"  (?:symbol|location): +(.*)")
_JAVA_KINDS = re.compile(
    r"\b(?:variable|method|class|interface|constructor|package|of type) ([\w.]+)"
)
_RUST_ERROR = re.compile(r"error(?:\[\w+\])?: (.*)")
_RUST_PLACE = re.compile(r"\s*--> ([^:]+):(\d{1,9}):\d+")
_GNU_LINK = re.compile(r"(undefined reference to|multiple definition of) [`'‘]([^'’]+)['’]")  # noqa: RUF001
_LINK_PLACE = re.compile(r"(?<![^\s:()])([^\s:()]+):(?:(\d{1,9})|\([^()]*\)): $")
_LLD_LINK = re.compile(r"(?:undefined|duplicate) symbol: (.+)")
_LLD_PLACE = re.compile(r">>> (?:referenced by|defined at) ([^\s:]+):(\d{1,9})(?: \((.+):\d+\))?")
_MAC_LINK = re.compile(r'  "_?([^"]+)", referenced from:')
_ENTERING = re.compile(r".*: Entering directory [`'‘]([^'’]+)['’]")  # noqa: RUF001
_LEAVING = re.compile(r".*: Leaving directory ")


class _Compilers:
    """Reads the output of a build line by line; some messages have several lines."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree
        self.directories: list[str] = []  # the directories that make has entered
        self.places: dict[str, str | None] = {}  # printed path -> path in the tree
        self.errors: list[Complaint] = []
        self.latest = 0  # index of the error that the following lines may add to
        self.warnings: list[Complaint] = []
        self.pending: str | None = None  # a message of rustc whose place follows
        self.linking: Complaint | None = None  # a complaint of lld whose place follows

    def read(self, lines: Iterable[str]) -> list[Complaint]:
        for line in lines:
            # A line without these holds no message; this skips the expressions for most lines.
            if ":" not in line and "-->" not in line and not line.startswith(">>>"):
                continue
            if len(self.errors) >= MAX_COMPLAINTS:
                break
            self._read_line(line)
        self._end_linking()
        return self.errors + self.warnings

    def _read_line(self, line: str) -> None:
        if self.linking and self._read_lld_place(self.linking, line):
            return
        self._end_linking()
        if located := _LOCATED.match(line):
            self._read_located(located)
        elif entering := _ENTERING.match(line):
            self.directories.append(entering[1])
        elif _LEAVING.match(line):
            self.directories[-1:] = []
        elif lacking := _NO_RULE.match(line):
            # A file that one version has, and a rule of the other version.
            self._complain(None, None, [PurePath(lacking[1]).name], line)
        elif not self._read_linker(line) and not self._read_rust(line):
            self._read_go_and_java(line)

    def _complain(
        self, file: str | None, line: str | None, names: Iterable[str], text: str
    ) -> None:
        complaint = self._complaint(file, line, names, text)
        if complaint not in self.errors:
            self.errors.append(complaint)
        self.latest = self.errors.index(complaint)

    def _add_names(self, names: Iterable[str]) -> Complaint:
        """Add names from a following line to the latest complaint; return that complaint."""
        error = self.errors[self.latest]
        both = tuple(dict.fromkeys([*error.names, *names]))
        self.errors[self.latest] = replace(error, names=both)
        return self.errors[self.latest]

    def _complaint(
        self, file: str | None, line: str | None, names: Iterable[str], text: str
    ) -> Complaint:
        place = self._place(file) if file else None
        return Complaint(place, int(line) if place and line else None, _names(*names), text)

    def _place(self, file: str) -> str | None:
        path = str(PurePath(*self.directories[-1:], file))
        if path not in self.places:
            self.places[path] = inside(path, self.tree) or inside(file, self.tree)
        return self.places[path]

    def _read_located(self, found: re.Match[str]) -> None:
        """Read a message with a place, as gcc, clang, javac and tsc print it."""
        file, line, what = found["file"], found["line"] or found["at"], found["what"]
        names = _quoted(what) or _JAVA_KINDS.findall(what)
        if missing := _NO_FILE.match(what):
            names = [missing[1]]
        elif "has no member named" in what:
            names.reverse()  # the member comes before its owner
        if found["level"].endswith("error"):
            self._complain(file, line, names, what)
        elif found["level"] == "warning" and "implicit declaration of function" in what:
            # Whether this matters, only the linker knows; but it does not know the line.
            self.warnings[MAX_COMPLAINTS:] = []
            self.warnings.append(self._complaint(file, line, names, what))
        elif found["level"] == "note" and self.errors and _DECLARED.search(what):
            # For "too few arguments", clang names the function only in the note.
            error = self._add_names(_names(*names))
            self._complain(file, line, error.names, what)

    def _read_linker(self, line: str) -> bool:
        if gnu := _GNU_LINK.search(line):
            place = _LINK_PLACE.search(line[: gnu.start()])
            file, number = (place[1], place[2]) if place else (None, None)
            if file and file.endswith((".o", ".a", ".so")):
                file = None
            self._complain(file, number, [gnu[2]], line)
        elif lld := _LLD_LINK.search(line):
            self.linking = self._complaint(None, None, [lld[1]], line)
        elif mac := _MAC_LINK.match(line):
            self._complain(None, None, [mac[1]], line)
        else:
            return False
        return True

    def _read_lld_place(self, linking: Complaint, line: str) -> bool:
        if place := _LLD_PLACE.match(line):
            known = place[3] and inside(place[3], self.tree)  # lld may print the full path
            self._complain(known or place[1], place[2], linking.names, linking.text)
        return line.startswith(">>>")

    def _end_linking(self) -> None:
        """Keep a complaint of lld without a place if lld printed none."""
        if self.linking and not (self.errors and self.errors[-1].text == self.linking.text):
            self.errors.append(self.linking)
        self.linking = None

    def _read_rust(self, line: str) -> bool:
        if error := _RUST_ERROR.match(line):
            self.pending = error[1]
        elif (place := _RUST_PLACE.match(line)) and self.pending is not None:
            self._complain(place[1], place[2], _quoted(self.pending), self.pending)
            self.pending = None
        else:
            return False
        return True

    def _read_go_and_java(self, line: str) -> None:
        if go := _GO.match(line):
            names = ["".join(groups) for groups in _GO_NAMES.findall(go[3])]
            self._complain(go[1], go[2], names, go[3])
        elif self.errors and (symbol := _JAVA_SYMBOL.match(line)):
            self._add_names(_names(*_JAVA_KINDS.findall(symbol[1])))


# Python


_PYTHON = ("NameError", "UnboundLocalError", "ImportError", "ModuleNotFoundError", "AttributeError")
_CALLED = re.compile(
    r"([\w.<>]+)\(\) (?:got an unexpected keyword argument|got multiple values for|missing \d"
    r"|takes |got some positional-only)"
)
_ABSTRACT = re.compile(r"Can't instantiate abstract class (\w+) .*abstract methods? (.*)")
_MODULE_FILE = re.compile(r".*\(([^()]+\.py)\)$")


def _from_python(text: str, tree: Path) -> Iterator[Complaint]:
    raised = [*read_tracebacks(text), *(raised for _, raised in read_pytest(text))]
    naming = [(each, names) for each in raised if (names := _python_names(each)) is not None]
    naming = naming[-MAX_COMPLAINTS:]
    for each, names in naming:
        own = [(file, f.line) for f in each.frames if (file := inside(f.file, tree))]
        file, line = own[-1] if own else (None, None)
        yield Complaint(file, line, names, each.summary)
        module = _MODULE_FILE.match(each.message)
        if module and (lacking := inside(module[1], tree)):
            yield Complaint(lacking, None, names, each.summary)
    for frame in reversed(naming[-1][0].frames if naming else ()):
        if place := inside(frame.file, tree):
            function = re.sub("<.*>", "", frame.function or "")  # such as <module>, <lambda>
            yield Complaint(place, frame.line, _names(function), frame.source)


def _python_names(raised: RaisedException) -> tuple[str, ...] | None:
    """Return the identifiers in an exception's message; None if nothing seems to be missing."""
    kind, message = raised.type.rpartition(".")[2], raised.message
    if kind in SYNTAX_ERRORS:
        return ()
    if kind == "AttributeError":
        return _names(*reversed(_quoted(message)))  # the attribute comes before its owner
    if kind in _PYTHON:
        linked = _LLD_LINK.search(message)  # an extension module failed to load
        return _names(linked[1]) if linked else _names(*_quoted(message))
    if kind == "TypeError" and (called := _CALLED.match(message)):
        return _names(called[1].replace("<locals>.", ""), *_quoted(message))
    if kind == "TypeError" and (abstract := _ABSTRACT.match(message)):
        return _names(abstract[1], abstract[2])
    return None


# Node


_NODE_ERROR = re.compile(
    r"(?:Uncaught )?(?:ReferenceError|TypeError|SyntaxError|Error)(?: \[\w+\])?: (.*)"
)
_NODE_NAMES = re.compile(r"(?<![\w.$])([\w.$]+) is not (?:defined|a function|a constructor)")
_NODE_PLACE = re.compile(r"    at (?:[^()]*\()?(?:file://)?([^\s():]+):(\d{1,9}):\d+\)?$")


def _from_node(lines: Iterable[str], tree: Path) -> Iterator[Complaint]:
    message: str | None = None  # of an error whose place follows
    for line in lines:
        if error := _NODE_ERROR.match(line):
            message = error[1]
        elif message and (place := _NODE_PLACE.match(line)) and (file := inside(place[1], tree)):
            names = _names(*_NODE_NAMES.findall(message)[:1], *_quoted(message))
            if names:
                yield Complaint(file, int(place[2]), names, message)
            message = None
