"""Helpers: run a program plain and recorded, and check its log against its description."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from whence.frontend.python.logged import MODULE, THREAD, read_log
from whence.frontend.python.record import COMPARABLE, hooked

OWN_VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
ADDRESS = re.compile(r"0x[0-9a-f]+")  # differs from run to run
VERSIONS = ("3.10", "3.11", "3.12", "3.13")


@cache
def pythons() -> dict[str, str]:
    """Return the Pythons on this machine that can be recorded, by version."""
    found = {OWN_VERSION: sys.executable}
    folders = [*Path.home().glob(".pyenv/versions/*/bin")]
    for version in VERSIONS:
        name = f"python{version}"
        paths = [shutil.which(name), *(str(folder / name) for folder in folders)]
        for path in filter(None, paths):
            if version not in found and _runs(path):
                found[version] = path
    return {version: found[version] for version in sorted(found)}


def _runs(program: str) -> bool:
    try:
        return subprocess.run([program, "-c", ""], capture_output=True).returncode == 0
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class PlainAndRecorded:
    """The exit status and output of a command, plain and recorded, and its trace."""

    plain: str
    recorded: str
    trace: Path


def run_both(root: Path, files: dict[str, str], *command: str) -> PlainAndRecorded:
    """Run a command, plain and recorded, in a tree of these files."""
    tree, trace, scratch = root / "tree", root / "trace", root / "scratch"
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, "utf-8")
    for folder in (trace / "modules", scratch):
        folder.mkdir(parents=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env = {**kept, **COMPARABLE, "WHENCE_CACHE": str(root / "cache")}
    plain = _run(command, tree, env)
    hook = hooked(scratch, tree, trace, env)
    recorded = _run(command, tree, env | {"PYTHONPATH": str(hook.folder)})
    return PlainAndRecorded(plain, recorded, trace)


def _run(command: tuple[str, ...], tree: Path, env: dict[str, str]) -> str:
    ended = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, timeout=60)
    printed = f"{ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    return ADDRESS.sub("0x", printed)


# --- does the log follow the description of the program? ---


@dataclass
class DescribedProgram:
    """The operations of all modules that a process loaded, numbered together."""

    opcode: list[str] = field(default_factory=list)
    logged: list[bool] = field(default_factory=list)
    name: list[str | None] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    extra: list[Any] = field(default_factory=list)
    block: list[int] = field(default_factory=list)
    function: list[int] = field(default_factory=list)
    blocks: list[tuple[int, int, list[int]]] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    def add(self, found: dict[str, Any]) -> None:
        """Append the operations of a module, and check that its description is consistent."""
        base, first, functions = len(self.opcode), len(self.blocks), len(self.kinds)
        ops = found["ops"]
        assert {len(column) for column in ops.values()} == {len(ops["opcode"])}
        self.opcode += ops["opcode"]
        self.logged += map(bool, ops["logged"])
        self.name += ops["name"]
        self.row += ops["row"]
        self.extra += ops["extra"]
        expected = 0
        for start, count, following in found["blocks"]:
            assert start == expected
            expected += count
            assert count > 0
            to = [first + target if target >= 0 else -1 for target in following]
            self.block += [len(self.blocks)] * count
            self.blocks.append((base + start, count, to))
        assert expected == len(ops["opcode"])
        for number, function in enumerate(found["functions"]):
            self.kinds.append(function["kind"])
            self.function += [functions + number] * function["n_ops"]
        assert len(self.function) == len(self.opcode)
        for k, uses in enumerate(ops["uses"]):
            for use in uses:
                known = use is None or -len(found["constants"]) <= use < 0
                assert known or 0 <= use < len(ops["opcode"]), (ops["opcode"][k], use)

    def can_follow(self, op: int, after: int) -> bool:
        """Can `op` be the next logged operation after `after`?

        The operation -1 stands for leaving the function.
        """
        waiting, seen = [(after + 1, self.block[after])], set()
        while waiting:
            start, block = waiting.pop()
            first, count, following = self.blocks[block]
            exits = following
            for k in range(start, first + count):
                if k == op:
                    return True
                if self.logged[k]:
                    # The end of a comprehension's loop is not logged.
                    exits = following[1:] if self.opcode[k] == "next" else []
                    break
            for to in exits:
                if to == op:  # also for -1
                    return True
                if to >= 0 and to not in seen:
                    seen.add(to)
                    waiting.append((self.blocks[to][0], to))
        return False


ANYWHERE = ("caught", "finally", "leave", "with_exit")  # operations that an exception can lead to
IDENTIFIED = ("enter", "leave", "caught", "resume")  # operations whose event contains a frame


@dataclass
class LoggedActivation:
    frame: int
    function: int
    last: int  # the last logged operation


def load_program(trace: Path, log: Path) -> DescribedProgram:
    program = DescribedProgram()
    for op, value in read_log(log.with_name("0.log")):
        if op == MODULE:
            base, _, _, digest, count = value
            assert base == len(program.opcode)
            program.add(json.loads((trace / "modules" / f"{digest}.json").read_text("utf-8")))
            assert base + count == len(program.opcode)
    return program


def check(trace: Path) -> int:
    """Check that every log follows the description, and return the number of events."""
    total = 0
    for log in sorted(trace.glob("*/*.log")):
        program = load_program(trace, log)
        stack: list[LoggedActivation] = []
        suspended: dict[int, LoggedActivation] = {}
        stacks: dict[int, list[LoggedActivation]] = {}  # by thread
        for op, value in read_log(log):
            if op == THREAD:
                # Until now there was only one thread.
                stack = stacks.setdefault(value, [] if stacks else stack)
            if op < MODULE:
                total += 1
                _check_event(program, stack, suspended, op, value)
    return total


def _check_event(
    program: DescribedProgram,
    stack: list[LoggedActivation],
    suspended: dict[int, LoggedActivation],
    op: int,
    value: Any,
) -> None:
    """Check that an event may follow the last event of its activation."""
    opcode, function = program.opcode[op], program.function[op]
    where = f"{opcode} in line {program.row[op]}"
    assert program.logged[op], where
    frame = _frame(program, op, value)
    if frame is not None:
        _activate(program, stack, suspended, frame, opcode, function, op)
    # No event says that an exception left a lambda or a generator expression.
    while stack and stack[-1].function != function:
        left = stack.pop()
        suspended[left.frame] = left
        waits = program.opcode[left.last] == "await"  # the awaited generator yielded
        is_unlogged = program.kinds[left.function] in ("lambda", "genexpr")
        assert waits or is_unlogged or program.can_follow(-1, left.last), (where, left)
    assert stack, where
    top = stack[-1]
    if opcode not in ANYWHERE and top.last != op:
        assert program.can_follow(op, top.last), (where, program.row[top.last])
    elif opcode not in ANYWHERE and opcode != "enter":
        assert program.kinds[function] == "genexpr" or program.can_follow(op, op), where
    top.last = op
    passes_finally = opcode == "return" and program.blocks[program.block[op]][2] != [-1]
    if opcode in ("return", "leave") and not passes_finally:
        stack.pop()
    elif opcode == "yield":
        suspended[top.frame] = stack.pop()


def _frame(program: DescribedProgram, op: int, value: Any) -> int | None:
    """Return the frame that an event contains."""
    opcode = program.opcode[op]
    if opcode in IDENTIFIED:
        return int(value[0])
    if opcode == "finally":
        return int(value)
    if opcode in ("next", "with_enter") and program.extra[op] == "async":
        return int(value[0])
    if opcode == "with_exit" and program.extra[op] == "async":
        return int(value)
    if opcode == "next" and program.kinds[program.function[op]] == "genexpr":
        return int(value[0])
    return None


def _activate(
    program: DescribedProgram, stack: list[LoggedActivation],
    suspended: dict[int, LoggedActivation], frame: int, opcode: str, function: int, op: int,
) -> None:  # fmt: skip
    """Make the activation of a frame the top of the stack."""
    if opcode == "enter":
        stack.append(LoggedActivation(frame, function, op))
        return
    if any(active.frame == frame and active.function == function for active in stack):
        while stack[-1].frame != frame or stack[-1].function != function:
            suspended[stack[-1].frame] = stack[-1]
            stack.pop()
        return
    known = suspended.pop(frame, None)
    if known is not None and known.function == function:
        stack.append(known)
        return
    assert program.kinds[function] == "genexpr", (opcode, program.row[op])
    stack.append(LoggedActivation(frame, function, op))


def lines(trace: Path) -> Iterator[str]:
    """Yield the events of a trace in readable form."""
    from whence.frontend.python.dump import event_lines

    for log in sorted(trace.glob("*/*.log")):
        yield from event_lines(trace, log)
