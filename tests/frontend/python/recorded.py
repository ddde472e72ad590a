"""Runs programs plain and recorded, and checks that the log is a run of what is described."""

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

from whence.frontend.python.logged import MODULE, read_log
from whence.frontend.python.record import COMPARABLE, hooked

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
ADDRESS = re.compile(r"0x[0-9a-f]+")
VERSIONS = ("3.10", "3.11", "3.12", "3.13")


@cache
def pythons() -> dict[str, str]:
    """The Pythons on this machine that can be recorded, by version."""
    found = {HERE: sys.executable}
    places = [*Path.home().glob(".pyenv/versions/*/bin")]
    for version in VERSIONS:
        ways = [shutil.which(f"python{version}"), *(str(p / f"python{version}") for p in places)]
        for way in filter(None, ways):
            if version not in found and _runs(way):
                found[version] = way
    return {version: found[version] for version in sorted(found)}


def _runs(program: str) -> bool:
    try:
        return subprocess.run([program, "-c", ""], capture_output=True).returncode == 0
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Both:
    """What a command printed and how it ended, plain and recorded, and where the trace is."""

    plain: str
    recorded: str
    trace: Path


def run_both(root: Path, files: dict[str, str], *command: str) -> Both:
    """Run a command in a tree of these files."""
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
    return Both(plain, recorded, trace)


def _run(command: tuple[str, ...], tree: Path, env: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, timeout=60)
    printed = f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return ADDRESS.sub("0x", printed)


# --- is the log a run of the program that is described? ---


@dataclass
class Program:
    """The operations of all modules that a process loaded, in one numbering."""

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
        """Is there a way from one logged operation to another past no third?

        The operation -1 is that of leaving the function.
        """
        waiting, seen = [(after + 1, self.block[after])], set()
        while waiting:
            start, block = waiting.pop()
            first, count, following = self.blocks[block]
            ways = following
            for k in range(start, first + count):
                if k == op:
                    return True
                if self.logged[k]:
                    # The end of a comprehension's loop is not logged.
                    ways = following[1:] if self.opcode[k] == "next" else []
                    break
            for to in ways:
                if to == op:  # -1: it leaves the function
                    return True
                if to >= 0 and to not in seen:
                    seen.add(to)
                    waiting.append((self.blocks[to][0], to))
        return False


ANYWHERE = ("caught", "finally", "leave", "with_exit")  # an exception can lead there
IDENTIFIED = ("enter", "leave", "caught", "resume")


@dataclass
class Activation:
    frame: int
    function: int
    last: int


def load(trace: Path, log: Path) -> Program:
    program = Program()
    for op, value in read_log(log.with_name("0.log")):
        if op == MODULE:
            base, _, _, digest, count = value
            assert base == len(program.opcode)
            program.add(json.loads((trace / "modules" / f"{digest}.json").read_text("utf-8")))
            assert base + count == len(program.opcode)
    return program


def check(trace: Path) -> int:
    """Every log is a run of the operations described; how many events there are."""
    total = 0
    for log in sorted(trace.glob("*/*.log")):
        program = load(trace, log)
        stack: list[Activation] = []
        asleep: dict[int, Activation] = {}
        for op, value in read_log(log):
            if op < MODULE:
                total += 1
                _step(program, stack, asleep, op, value)
    return total


def _step(
    program: Program, stack: list[Activation], asleep: dict[int, Activation], op: int, value: Any
) -> None:
    opcode, function = program.opcode[op], program.function[op]
    where = f"{opcode} in line {program.row[op]}"
    assert program.logged[op], where
    frame = _frame(program, op, value)
    if frame is not None:
        _find(program, stack, asleep, frame, opcode, function, op)
    # Lambdas and generator expressions that are left by an exception say nothing.
    while stack and stack[-1].function != function:
        gone = stack.pop()
        asleep[gone.frame] = gone
        waits = program.opcode[gone.last] == "await"  # another yielded in its place
        unseen = program.kinds[gone.function] in ("lambda", "genexpr")
        assert waits or unseen or program.can_follow(-1, gone.last), (where, gone)
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
        asleep[top.frame] = stack.pop()


def _frame(program: Program, op: int, value: Any) -> int | None:
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


def _find(
    program: Program, stack: list[Activation], asleep: dict[int, Activation],
    frame: int, opcode: str, function: int, op: int,
) -> None:  # fmt: skip
    if opcode == "enter":
        stack.append(Activation(frame, function, op))
        return
    if any(one.frame == frame and one.function == function for one in stack):
        while stack[-1].frame != frame or stack[-1].function != function:
            asleep[stack[-1].frame] = stack[-1]
            stack.pop()
        return
    known = asleep.pop(frame, None)
    if known is not None and known.function == function:
        stack.append(known)
        return
    assert program.kinds[function] == "genexpr", (opcode, program.row[op])
    stack.append(Activation(frame, function, op))


def lines(trace: Path) -> Iterator[str]:
    from whence.frontend.python.dump import event_lines

    for log in sorted(trace.glob("*/*.log")):
        yield from event_lines(trace, log)
