"""Which input bytes did a Python thread read, and which of them did some of its steps read?

The recorder logs values, not system calls.  So input is recognised by the objects that give it:
`sys.argv`, `os.environ`, `sys.stdin`, and what `open` returned.  A read moves the position in its
file by the length of what it returned, as UTF-8 without newline translation.  Where that is not
known (another encoding, a long text, a file handed to library code), the range is empty: the
source is named, and which of its bytes were read is not known.

The literals of a test are inputs too, see `literals`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from whence.frontend.python.values import STOP, Long, Obj, Value, items
from whence.inputs import (
    STDIN,
    InputRange,
    InputSource,
    SourceKind,
    argument,
    merged,
    variable,
)
from whence.program.ids import Op, Step
from whence.trace.columns import U32, Stream
from whence.trace.python.literals import Literals
from whence.trace.python.objects import identity
from whence.trace.python.program import PythonProgram
from whence.trace.python.replayed_run import ReplayedRun
from whence.trace.queries import Queries

_READS = frozenset({"read", "read1", "readline", "readlines", "__next__"})
_KEEPS = frozenset({"close", "flush", "tell", "fileno", "write", "writelines", "isatty"})
_LOOKUPS = frozenset({"get", "pop", "setdefault", "__getitem__"})  # of os.environ, by name
_WITH_VALUE = frozenset({"-W", "-X", "--check-hash-based-pycs"})  # options of the interpreter
_PASSES = frozenset({
    "load", "store", "param", "return", "attr", "method", "with_enter", "with_exit", "import_from",
    "phi", "delete", "comp",
})  # fmt: skip
_OBJECTS = frozenset({"argv", "environ", "stdin", "buffer"})  # attributes that give input
_NUMBERING = frozenset({"enumerate"})  # functions that read a file line by line for the program
_NAMES = _OBJECTS | {
    "open", "input", "getenv", "read_text", "read_bytes", "parse_args", "parse_known_args",
}  # fmt: skip
_MAX_PATH_STEPS = 20  # operations that a path is followed through; guessed


class StepValues(Protocol):
    """A thread's steps, and their values."""

    program: PythonProgram
    run: ReplayedRun
    stream: Stream
    queries: Queries

    def value(self, step: int) -> Value: ...
    def constant(self, op: int, use: int) -> Value: ...


@dataclass
class _OpenFile:
    """A file object that the program reads from."""

    source: InputSource
    type: int  # the number of its type in the log: another object can get its identity later
    position: int | None = 0  # of the next byte; None: not known

    def read(self, value: Value, more: int = 0) -> InputRange:
        """Return the bytes that a read returned, and move on by these and `more`."""
        size = _size(value)
        start = self.position
        if size is None or start is None:
            self.position = None
            return InputRange(self.source, 0, 0)
        self.position = start + size + more
        return InputRange(self.source, start, start + size)


@dataclass
class _NumberedLines(_OpenFile):
    """What `enumerate` makes of a file: each item is a tuple, and the line is in it."""

    of: _OpenFile | None = None

    def read(self, value: Value, more: int = 0) -> InputRange:
        parts = items(value) if isinstance(value, Obj) else None
        lines = [one for one in parts or () if isinstance(one, str | bytes)]
        assert self.of is not None
        return self.of.read(lines[0] if len(lines) == 1 else None, more)


class PythonInputs:
    """The inputs of one thread, found in one pass over its steps."""

    def __init__(self, thread: StepValues, command: Sequence[str], tree: str, cwd: str) -> None:
        """`command` is that of the process, `cwd` the folder in which it started."""
        self.thread, self.run, self.program = thread, thread.run, thread.program
        self.arguments = program_arguments(command)
        self._tree, self._cwd = tree, cwd
        self._entered = {*self.run.columns["activations"]["call"].tolist()}
        self._arguments: tuple[int, Value] | None = None  # identity of sys.argv, and its value
        self._environment: int | None = None  # identity of os.environ
        self._stdin = _OpenFile(STDIN, 0)
        self._files: dict[int, _OpenFile] = {}  # by identity
        self.read_by: dict[int, list[InputRange]] = {}  # for each step, what it read
        for step, op in self._candidates():
            found = list(self._read(step, op, self.program.opcode[op]))
            if found:
                self.read_by[step] = found

    def _candidates(self) -> Iterator[tuple[int, int]]:
        """Yield the steps that can have read input, in order, each with its operation.

        These are the steps that look up or make an object that gives input, those that use such
        an object, and the calls of its methods.  Few steps do: Python looks at no others.
        """
        program, run = self.program, self.run
        if not _NAMES & {*program.name}:
            return
        first = self._executions([op for op in range(len(program.opcode)) if self._is_named(op)])
        tokens = [run.values[step] for step in first.tolist()]
        known = {token[0] for token in tokens if identity(token) is not None}
        holders = run.values.with_address(sorted(known))
        using = run.users_of(holders)
        used_by = zip(using.tolist(), ops_of(self.thread, using).tolist(), strict=True)
        methods = [step for step, op in used_by if program.opcode[op] == "method"]
        found = np.unique(np.concatenate([first, using, run.users_of(methods)]))
        yield from zip(found.tolist(), ops_of(self.thread, found).tolist(), strict=True)

    def _executions(self, ops: Sequence[int]) -> U32:
        """Return the steps that executed one of some operations, in order."""
        found = [self.thread.queries.executions(Op(op))[:] for op in ops]
        return np.sort(np.concatenate([np.zeros(0, np.uint32), *found])).astype(np.uint32)

    def _is_named(self, op: int) -> bool:
        """Does an operation look up an object that gives input, or call what makes one?"""
        opcode = self.program.opcode[op]
        if opcode in ("attr", "import_from"):
            return self.program.name[op] in _OBJECTS
        callee = self.program.uses[op][0] if opcode == "call" and self.program.uses[op] else None
        name = self.program.name[callee] if callee is not None and callee >= 0 else None
        return name in _NAMES or name in _NUMBERING

    # --- steps ---------------------------------------------------------------------------------

    def _read(self, step: int, op: int, opcode: str) -> Iterator[InputRange]:
        operands = self.run.operands_of(step)
        if opcode in ("attr", "import_from"):
            self._found(step, self.program.name[op] or "", operands)
        elif opcode == "call" and step not in self._entered:
            yield from self._called(step, op, operands)
        elif opcode not in _PASSES and operands:
            yield from self._used(step, op, opcode, operands)

    def _found(self, step: int, name: str, operands: Sequence[int]) -> None:
        """Note the objects of modules that give input."""
        token = self.run.values[step]
        if not operands or not isinstance(token, tuple):
            return
        holder = self.run.values[operands[0]]
        module = holder[2] if isinstance(holder, tuple) and len(holder) == 3 else None
        if (module, name) == ("sys", "argv"):
            self._arguments = token[0], self.thread.value(step)
        elif (module, name) == ("os", "environ"):
            self._environment = token[0]
        elif (module, name) == ("sys", "stdin"):
            self._stdin.type = token[1]
            self._files[token[0]] = self._stdin
        elif name == "buffer" and (file := self._file(operands[0])) is not None:
            self._files[token[0]] = _OpenFile(file.source, token[1], file.position)

    def _called(self, step: int, op: int, operands: Sequence[int]) -> Iterator[InputRange]:
        callee = self.program.uses[op][0]
        if callee is None or callee < 0:
            return
        name, opcode = self.program.name[callee] or "", self.program.opcode[callee]
        if opcode == "method":
            holder = self.run.operands_of(operands[0])[:1] if operands[0] else ()
            if holder and (name in _NAMES or self._gives_input(holder[0])):
                yield from self._method(step, name, holder[0], self._given(step, op))
        elif name in _NUMBERING and len(operands) > 1 and (file := self._file(operands[1])):
            token = self.run.values[step]
            if isinstance(token, tuple):
                self._files[token[0]] = _NumberedLines(file.source, token[1], of=file)
            return
        elif name in _NAMES:
            yield from self._function(step, name, self._given(step, op))
        for operand in operands[1:]:
            file = self._file(operand)
            if file is not None:
                yield file.read(None)
            elif self._is(operand, self._arguments and self._arguments[0]):
                yield from self.all_arguments()

    def _method(
        self, step: int, name: str, holder: int, given: list[tuple[str | None, Value]]
    ) -> Iterator[InputRange]:
        value, on = self.thread.value(step), self.thread.value(holder)
        file = self._file(holder)
        first = given[0][1] if given else None
        if file is not None:
            if name == "seek":
                file.position = first if isinstance(first, int) and len(given) == 1 else None
            elif name in _READS:
                yield file.read(value)
            elif name not in _KEEPS:
                file.position = None
        elif self._is(holder, self._environment) and name in _LOOKUPS:
            yield from self._variable(first, value)
        elif self._is(holder, self._arguments and self._arguments[0]):
            yield from self._argument_of(value)
        elif isinstance(on, Obj) and on.type == "argparse.ArgumentParser" and not given:
            if name in ("parse_args", "parse_known_args"):
                yield from self.all_arguments()
        elif isinstance(on, Obj) and on.type.startswith("pathlib."):
            yield from self._path_method(step, name, self._path(holder), given)
        elif isinstance(on, Obj) and on.kind == "module":
            yield from self._function(step, name, given)

    def _path_method(
        self, step: int, name: str, path: str | None, given: list[tuple[str | None, Value]]
    ) -> Iterator[InputRange]:
        if path is None:
            return
        if name == "open":
            self._opened(step, path, [(None, path), *given])
        elif name in ("read_text", "read_bytes"):
            file = _OpenFile(self._source(path), 0, None if _is_recoded(given) else 0)
            yield file.read(self.thread.value(step))

    def _function(
        self, step: int, name: str, given: list[tuple[str | None, Value]]
    ) -> Iterator[InputRange]:
        first = given[0][1] if given else None
        if name == "open" and given:
            path = first if isinstance(first, str) else self._path(self._operand(step, 1))
            if path is not None:
                self._opened(step, path, given)
        elif name == "input":
            yield self._stdin.read(self.thread.value(step), more=1)
        elif name == "getenv":
            yield from self._variable(first, self.thread.value(step))

    def _used(
        self, step: int, op: int, opcode: str, operands: Sequence[int]
    ) -> Iterator[InputRange]:
        """Yield what an operation other than a call read of the objects that give input."""
        for at, operand in enumerate(operands):
            file = self._file(operand)
            if file is not None and opcode == "next":
                value = self.thread.value(step)
                if value != STOP:
                    yield file.read(value)
            elif self._is(operand, self._environment):
                key = self._values(op, operands)[1 - at] if len(operands) == 2 else None
                yield from self._variable(key, self.thread.value(step))
            elif self._is(operand, self._arguments and self._arguments[0]):
                yield from self._argument(step, op, opcode, operands)

    # --- arguments and variables ---------------------------------------------------------------

    def _argument(
        self, step: int, op: int, opcode: str, operands: Sequence[int]
    ) -> Iterator[InputRange]:
        key: Value = None
        if opcode == "item" and len(operands) == 2:
            key = self._values(op, operands)[1]
        elif opcode == "unpack" and (self.program.name[op] or "").isdigit():
            key = int(self.program.name[op] or 0)
        if isinstance(key, int) and isinstance(value := self.thread.value(step), str):
            number = key if key >= 0 else key + self._count()
            yield InputRange(argument(number), 0, _size(value) or 0)
        else:
            yield from self._argument_of(self.thread.value(step))

    def _argument_of(self, value: Value) -> Iterator[InputRange]:
        """Yield the arguments that a value read from sys.argv can be."""
        texts = self._texts()
        if isinstance(value, str) and value in texts:
            yield InputRange(argument(texts.index(value)), 0, _size(value) or 0)
        elif value != STOP:
            yield from self.all_arguments()

    def all_arguments(self) -> Iterator[InputRange]:
        for number, text in enumerate(self._texts()[1:], 1):
            yield InputRange(argument(number), 0, _size(text) or 0)

    def _texts(self) -> list[str]:
        return ["", *self.arguments]

    def _count(self) -> int:
        return len(self._texts())

    def _variable(self, name: Value, value: Value) -> Iterator[InputRange]:
        if isinstance(name, str):
            yield InputRange(variable(name), 0, (isinstance(value, str) and _size(value)) or 0)

    # --- files ---------------------------------------------------------------------------------

    def _opened(self, step: int, path: str, given: list[tuple[str | None, Value]]) -> None:
        token = self.run.values[step]
        names = dict(given[2:])
        mode = names.get("mode", given[1][1] if len(given) > 1 and not given[1][0] else "r")
        if len(given) > 1 and given[1][0] == "mode":
            mode = given[1][1]
        if isinstance(token, tuple) and isinstance(mode, str) and "r" in mode:
            position = None if _is_recoded(given) else 0
            self._files[token[0]] = _OpenFile(self._source(path), token[1], position)

    def _source(self, path: str) -> InputSource:
        whole = posixpath.normpath(posixpath.join(self._cwd, path))
        inside = whole.startswith(f"{self._tree}/") and self._tree
        return InputSource(
            SourceKind.FILE, posixpath.relpath(whole, self._tree) if inside else whole
        )

    def _path(self, step: int, left: int = _MAX_PATH_STEPS) -> str | None:
        """Return the path that a `pathlib` object stands for, from how it was made."""
        while step in self.run.source and left:
            step, left = self.run.source[step], left - 1
        value = self.thread.value(step) if step else None
        if isinstance(value, str):
            return value
        if not step or not left or not isinstance(value, Obj):
            return None
        op = self.thread.queries.op_of(Step(step))
        opcode, operands = self.program.opcode[op], self.run.operands_of(step)
        if opcode == "attr" and self.program.name[op] == "parent":
            holder = self._path(operands[0], left - 1)
            return None if holder is None else posixpath.dirname(holder)
        if opcode == "store":
            return self._path(operands[0], left - 1)
        if opcode not in ("call", "binary"):
            return None
        parts: list[str | None] = []
        callee = self.program.uses[op][0] if opcode == "call" else None
        if callee is not None and callee >= 0 and self.program.opcode[callee] == "method":
            name, holder_steps = self.program.name[callee], self.run.operands_of(operands[0])
            if name not in ("joinpath", "resolve", "absolute", "Path"):
                return None
            if name != "Path":
                parts.append(self._path(holder_steps[0], left - 1))
        start = 1 if opcode == "call" else 0
        for at, use in enumerate(self.program.uses[op]):
            if at < start:
                continue
            if use is not None and use < 0:
                constant = self.thread.constant(op, use)
                parts.append(constant if isinstance(constant, str) else None)
            else:
                parts.append(self._path(operands[at], left - 1))
        known = [part for part in parts if part is not None]
        return posixpath.join(*known) if known and len(known) == len(parts) else None

    # --- operands ------------------------------------------------------------------------------

    def _gives_input(self, step: int) -> bool:
        """Is the value of a step one of the objects that give input?"""
        arguments = self._arguments and self._arguments[0]
        is_known = self._is(step, arguments) or self._is(step, self._environment)
        return is_known or self._file(step) is not None

    def _file(self, step: int) -> _OpenFile | None:
        token = self.run.values[step] if step else None
        if not isinstance(token, tuple) or token[0] not in self._files:
            return None
        file = self._files[token[0]]
        return file if file.type == token[1] else None

    def _is(self, step: int, identity: int | None) -> bool:
        token = self.run.values[step] if step else None
        return identity is not None and isinstance(token, tuple) and token[0] == identity

    def _operand(self, step: int, at: int) -> int:
        operands = self.run.operands_of(step)
        return operands[at] if at < len(operands) else 0

    def _values(self, op: int, operands: Sequence[int]) -> list[Value]:
        return [
            None
            if use is None
            else self.thread.constant(op, use)
            if use < 0
            else self.thread.value(step)
            if step
            else None
            for use, step in zip(self.program.uses[op], operands, strict=True)
        ]

    def _given(self, step: int, op: int) -> list[tuple[str | None, Value]]:
        """Return the arguments of a call, each with its keyword, if it has one."""
        values = self._values(op, self.run.operands_of(step))[1:]
        names = self.program.extra[op] or [None] * len(values)
        return list(zip(names, values, strict=True))


def ops_of(thread: StepValues, steps: U32) -> npt.NDArray[np.int64]:
    """Return the operations of many steps."""
    stream, code = thread.stream, thread.stream.code
    instances = thread.queries.instances_at(steps)
    firsts = code.stretch_first_op[stream.stretch[instances]].astype(np.int64)
    return firsts + steps - stream.first[instances]


def inputs_of(
    inputs: PythonInputs, literals: Literals, steps: U32 | None
) -> tuple[InputRange, ...]:
    """Return the input bytes that a thread read, or that these steps of it read.

    Without steps, variables and literals do not count, and all arguments do.
    """
    if steps is None:
        found = [
            one
            for ranges in inputs.read_by.values()
            for one in ranges
            if one.source.kind not in (SourceKind.VARIABLE, SourceKind.ARGUMENT)
        ]
        return merged([*found, *inputs.all_arguments()])
    wanted = {*steps.tolist()}
    found = [one for step, own in inputs.read_by.items() if step in wanted for one in own]
    for op in np.unique(ops_of(inputs.thread, steps)).tolist():
        found += literals.of(op)
    return merged(found)


def program_arguments(command: Sequence[str]) -> list[str]:
    """Return what a Python program finds in sys.argv[1:], given the command of its process."""
    at = 1
    while at < len(command) and command[at].startswith("-") and command[at] != "-":
        if command[at][:2] in ("-c", "-m"):
            return list(command[at + 1 + (len(command[at]) == 2) :])
        at += 2 if command[at] in _WITH_VALUE else 1
    return list(command[at + 1 :])


def _size(value: Any) -> int | None:
    """Return how many bytes of a file a value was read from; None if that is not known."""
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, str):
        return len(value.encode("utf-8", "surrogateescape"))
    if isinstance(value, Long):
        return value.length if value.kind == "bytes" else None
    if isinstance(value, Obj) and value.kind == "list" and value.shape[1] is not None:
        count, items = value.shape
        sizes = [_size(item) for item in items]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == count else None
    return None


def _is_recoded(given: list[tuple[str | None, Value]]) -> bool:
    """Do arguments of `open` ask for another encoding than UTF-8?"""
    return any(
        name == "encoding" and str(value).lower().replace("-", "") not in ("utf8", "none", "ascii")
        for name, value in given
    )
