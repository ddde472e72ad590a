"""What does each instruction of a module do, in the terms of a replay?

`lower` returns the tables of `tables.Description` and, for the instrumenter, what every instruction
must log.  Both come from the same walk, because they must agree to the byte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b

import numpy as np

from whence.frontend.c import flow
from whence.frontend.c.cache import c_source_hash
from whence.frontend.c.call_ops import returns_twice
from whence.frontend.c.constants import ModuleTables, Symbol, globals_in
from whence.frontend.c.debug import locations
from whence.frontend.c.ir import (
    Block,
    Function,
    Global,
    Instruction,
    Int,
    Label,
    Local,
    Module,
    Variable,
)
from whence.frontend.c.op_builder import CHECKED, CORRECTED, LINK, LOGGED, LoweredOp
from whence.frontend.c.operations import FAULTING, Operations
from whence.frontend.c.tables import (
    ARRAYS,
    CONSTANT,
    NONE,
    Array,
    BlockFlag,
    CallFlag,
    Description,
    FunctionFlag,
    OpCode,
    OpKind,
)
from whence.program import graph


@dataclass(frozen=True, slots=True)
class Logging:
    """What the instrumented code of one instruction must log."""

    value: bool = False  # log the result
    call: CallFlag | None = None  # the flags of a real call
    site: int = NONE  # the number of the place where a setjmp comes back
    faults: bool = False  # may end the run: the cursor must be stored before it
    point: int = 0  # the number of the instruction within the function


@dataclass(frozen=True, slots=True)
class BlockLog:
    number: int
    flags: BlockFlag
    site: int


@dataclass(frozen=True, slots=True)
class FunctionLog:
    """What the instrumented code of one function must log."""

    fid: int
    flags: FunctionFlag
    logged_params: tuple[int, ...]
    blocks: tuple[BlockLog, ...]
    instructions: tuple[tuple[Logging, ...], ...]  # block by block


@dataclass(frozen=True, slots=True)
class Lowered:
    description: Description
    functions: dict[str, FunctionLog]
    symbols: tuple[Symbol, ...]
    skipped: dict[str, str]  # functions that are not recorded, with the reason


@cache
def _version() -> str:
    """Return the version of log and tables.

    It is part of every module's id, so that no log is read with tables of another version of
    whence.
    """
    return c_source_hash().hex()


def lower(module: Module, text: str, mode: str) -> Lowered:
    """Return the description of `module`, whose text is `text`, and what its code must log."""
    return _Lowering(module, text, mode).lower()


class _Lowering(ModuleTables):
    """The tables of one module while they are filled."""

    def __init__(self, module: Module, text: str, mode: str) -> None:
        super().__init__(module)
        self.text = text
        self.mode = mode
        raw = f"{_version()} {mode}\n{text}".encode("utf-8", "surrogateescape")
        self.id = blake2b(raw, digest_size=16).hexdigest()
        self.skipped: dict[str, str] = {}
        self.addressed: set[str] = set()  # functions that may be called from anywhere

    def lower(self) -> Lowered:
        self._choose_functions()
        logs = {}
        names = sorted(self.recorded, key=lambda n: self.module.functions[n].line)
        self.function_number = {name: number for number, name in enumerate(names)}
        self.quiet = self._choose_quiet()
        for name in names:
            logs[name] = _FunctionLowering(self, self.module.functions[name]).lower()
        for variable in self.module.variables.values():
            if variable.initial is not None and self._has_address(variable):
                self.symbol(variable.name)
        rows = self.rows
        rows["use_start"].append(len(rows["use_def"]))
        arrays: dict[str, Array] = {
            name: np.array(rows[name], dtype=dtype) for name, dtype in ARRAYS.items()
        }
        arrays |= self._source_places(arrays["op_location"])
        description = Description(self.id, arrays, tuple(self.names), self.text)
        return Lowered(description, logs, tuple(self.symbol_list), self.skipped)

    def _has_address(self, variable: Variable) -> bool:
        """Is the variable in the program, and not only information for the compiler?"""
        line = self.module.text[variable.line]
        return not variable.name.startswith("llvm.") and '"llvm.metadata"' not in line

    def _source_places(self, numbers: Array) -> dict[str, Array]:
        """Return the place of each op in the source."""
        known = locations(self.module.metadata)
        files = np.array([*(self.name(file) for file in known.files), NONE], dtype="<u4")
        rows, columns = (np.array(part, dtype="<u4") for part in (known.line, known.column))
        if not len(rows):
            rows = columns = np.zeros(1, dtype="<u4")
        at = np.asarray(numbers, dtype=np.int64)
        at = np.where(at < len(rows), at, 0)
        file = np.array(known.file, dtype=np.int64) if len(known.file) else np.full(1, -1)
        # !0 is never a location in practice: 0 means that there is none.
        missing = at == 0
        return {
            "op_row": np.where(missing, 0, rows[at]).astype("<u4"),
            "op_column": np.where(missing, 0, columns[at]).astype("<u4"),
            "op_file": np.where(missing, NONE, files[file[at]]).astype("<u4"),
        }

    # --- which functions -------------------------------------------------------------------

    def _choose_functions(self) -> None:
        resolvers = set(re.findall(r"^@.* ifunc .*, ptr @([\w.$-]+)", self.text, re.MULTILINE))
        for name, function in self.module.functions.items():
            reason = _cannot_record(function)
            if name in resolvers:
                reason = "it chooses an implementation before the program is ready"
            if reason:
                self.skipped[name] = reason
            else:
                self.recorded.add(name)
        self._find_addressed()

    def _find_addressed(self) -> None:
        functions = self.module.functions
        for variable in self.module.variables.values():
            if variable.initial is not None:
                self.addressed.update(g.name for g in globals_in(variable.initial))
        for alias in self.module.aliases.values():
            self.addressed.update(g.name for g in globals_in(alias.target.value))
        for function in functions.values():
            for block in function.blocks:
                for instruction in block.instructions:
                    for operand in instruction.operands:
                        if type(operand.value) not in (Local, Int, Label):
                            found = (g.name for g in globals_in(operand.value))
                            self.addressed.update(found)
                    callee = instruction.callee
                    if isinstance(callee, Global) and callee.name in functions:
                        fits = functions[callee.name].type == instruction.function
                        if not fits or function.name in self.skipped:
                            self.addressed.add(callee.name)
                    elif callee is not None:
                        self.addressed.update(g.name for g in globals_in(callee))

    def _choose_quiet(self) -> set[str]:
        """Return the functions that are not recursive and that only sure calls enter.

        A replay knows without the log that they are entered.  Every cycle of calls must log
        something, so no function on a cycle is quiet.
        """
        calls: dict[str, set[str]] = {name: set() for name in self.recorded}
        twice = set()
        for name in self.recorded:
            for block in self.module.functions[name].blocks:
                for i in block.instructions:
                    if i.callee is not None and self.is_sure(i) and isinstance(i.callee, Global):
                        calls[name].add(i.callee.name)
                        if returns_twice(i):
                            twice.add(i.callee.name)
        candidates = {
            name
            for name in self.recorded
            if self.module.functions[name].linkage in ("internal", "private")
            and name not in self.addressed
        }
        names = list(self.function_number)
        numbers = [sorted(self.function_number[called] for called in calls[name]) for name in names]
        for component in graph.components(range(len(names)), lambda number: numbers[number]):
            if len(component) > 1 or component[0] in numbers[component[0]]:
                candidates -= {names[number] for number in component}
        return candidates - twice

    def logs_params(self, function: Function) -> bool:
        return function.linkage not in ("internal", "private") or function.name in self.addressed


def _cannot_record(function: Function) -> str | None:
    if "naked" in function.attributes:
        return "it is naked assembly"
    if function.linkage == "available_externally":
        return "its code is in another module"
    if "presplitcoroutine" in function.attributes:
        return "it is a coroutine"
    for block in function.blocks:
        for instruction in block.instructions:
            if instruction.opcode in ("callbr", "catchswitch", "catchpad", "cleanuppad"):
                return f"it uses {instruction.opcode}"
            if "musttail" in instruction.attributes:
                return "it ends with a tail call"
    return None


class _FunctionLowering(Operations):
    """Fills the tables for one function."""

    def __init__(self, module: _Lowering, function: Function) -> None:
        super().__init__(module, function)
        self.module = module
        rows = module.rows
        self.first_op = len(rows["ops"])
        self.first_stretch = len(rows["stretches"])
        self.first_site = len(rows["sites"])
        self.twice = any(returns_twice(i) for b in function.blocks for i in b.instructions)

    def lower(self) -> FunctionLog:
        m, function = self.module, self.function
        rows = m.rows
        params = self._params()
        n_slots = self._assign_slots()
        position = self.first_op
        for block in function.blocks:
            for instruction in block.instructions:
                if instruction.result is not None:
                    alloca = instruction.opcode == "alloca"
                    fixed = alloca and isinstance(instruction.operands[0].value, Int)
                    nowhere = fixed or instruction.result in self.private.places
                    self.use[instruction.result] = NONE if nowhere else position
                position += 1
        logs: list[tuple[Logging, ...]] = []
        costs: list[int] = []
        block_rows: list[list[int]] = []
        for block in function.blocks:
            first = len(rows["stretches"])
            log, cost = self._block(block)
            logs.append(log)
            costs.append(cost)
            block_rows.append([first, len(rows["stretches"]) - first])
        blocks = self._blocks(block_rows, costs)
        flags = self._flags()
        fid_text = f"{m.id} {function.name}".encode("utf-8", "surrogateescape")
        fid = int.from_bytes(blake2b(fid_text, digest_size=6).digest(), "little")
        rows["functions"].append((
            fid, m.name(function.name), self.first_block, len(function.blocks),
            self.first_stretch, len(rows["stretches"]) - self.first_stretch, self.first_op,
            len(rows["ops"]) - self.first_op, n_slots, self.private.size,
            params, len(function.parameters), self.first_site, len(self.sites),
            int(flags), m.symbol(function.name),
        ))  # fmt: skip
        rows["sites"].extend(self.sites)
        logged = tuple(
            i for i, parameter in enumerate(function.parameters)
            if parameter.byval is not None or FunctionFlag.PARAMS in flags
        )  # fmt: skip
        return FunctionLog(fid, flags, logged, blocks, tuple(logs))

    def _flags(self) -> FunctionFlag:
        flags = FunctionFlag(0)
        if self.module.logs_params(self.function):
            flags |= FunctionFlag.PARAMS
        if self.sites:
            flags |= FunctionFlag.LANDS
        if len(self.function.blocks) > 256:
            flags |= FunctionFlag.WIDE
        if self.function.type.variadic:
            flags |= FunctionFlag.VARIADIC
        if self.function.name in self.m.quiet:
            flags |= FunctionFlag.QUIET
        return flags

    def _params(self) -> int:
        rows = self.m.rows["params"]
        first = len(rows)
        slot = 0
        for k, parameter in enumerate(self.function.parameters):
            count = self.m.slots(parameter.type)
            size = self.m.logged_size(parameter.type)
            copied = self.m.layout.size(parameter.byval) if parameter.byval is not None else 0
            rows.append((slot, size, count, int(parameter.byval is not None), copied))
            self.slot[parameter.name] = slot
            self.use[parameter.name] = CONSTANT | k
            slot += count
        self.next_slot = slot
        return first

    def _assign_slots(self) -> int:
        """Assign slots to registers; those used only within a block share slots across blocks."""
        shared = set() if self.twice else self._block_local()
        for block in self.function.blocks:
            for instruction in block.instructions:
                if instruction.result is not None and instruction.result not in shared:
                    self.slot[instruction.result] = self.next_slot
                    self.next_slot += self.m.slots(instruction.type)
        highest = self.next_slot
        for block in self.function.blocks:
            slot = self.next_slot
            for instruction in block.instructions:
                if instruction.result in shared and instruction.result is not None:
                    self.slot[instruction.result] = slot
                    slot += self.m.slots(instruction.type)
            highest = max(highest, slot)
        return max(highest, 1)

    def _block_local(self) -> set[str]:
        home: dict[str, str] = {}
        escaping: set[str] = set()
        for block in self.function.blocks:
            for instruction in block.instructions:
                if instruction.result is not None:
                    home[instruction.result] = block.label
        for block in self.function.blocks:
            for instruction in block.instructions:
                far = instruction.opcode == "phi"
                values: list[object] = [operand.value for operand in instruction.operands]
                values.append(instruction.callee)
                for value in values:
                    if type(value) is Local and (far or home.get(value.name) != block.label):
                        escaping.add(value.name)
        # An invoke's result arrives on an edge of its own; the phis of a block read each other's.
        for block in self.function.blocks:
            for instruction in block.instructions:
                if instruction.opcode in ("invoke", "phi") and instruction.result:
                    escaping.add(instruction.result)
        return set(home) - escaping

    def _blocks(self, block_rows: list[list[int]], costs: list[int]) -> tuple[BlockLog, ...]:
        function = self.function
        marked = flow.marked(function, lambda number: costs[number])
        ipdoms = flow.postdominators(function)
        result = []
        for number, (block, (first, count)) in enumerate(
            zip(function.blocks, block_rows, strict=True)
        ):
            flags, site = BlockFlag(0), NONE
            if any(i.opcode == "landingpad" for i in block.instructions):
                flags, site = BlockFlag.LANDING, len(self.sites)
                self.sites.append((0, self.first_block + number))
            elif number in marked:
                flags = BlockFlag.MARKED
            ipdom = ipdoms[number]
            self.m.rows["blocks"].append(
                (first, count, NONE if ipdom is None else ipdom, int(flags), site)
            )
            result.append(BlockLog(number, flags, site))
        return tuple(result)

    def _block(self, block: Block) -> tuple[tuple[Logging, ...], int]:
        rows = self.m.rows
        block_number = self.first_block + self.number[block.label]
        first, links, cost = len(rows["ops"]), 0, 2
        log = []
        for instruction in block.instructions:
            op = self.op_of(instruction)
            if self.module.mode == "check" and self._can_be_checked(instruction, op):
                op.flags |= CHECKED
            elif self.module.mode == "patch" and op.code is OpCode.LLOAD:
                op.flags |= CORRECTED
            links += bool(op.flags & LINK)
            log.append(
                Logging(
                    value=bool(op.flags & (LOGGED | CHECKED | CORRECTED)),
                    call=op.call,
                    site=op.site,
                    faults=op.code in FAULTING,
                    point=len(rows["ops"]) - self.first_op,
                )
            )
            if log[-1].value or op.call is not None:
                cost += self.m.logged_size(instruction.type) + 12
            self._append(instruction, op)
            if op.call is not None or instruction is block.instructions[-1]:
                rows["stretches"].append((block_number, first, len(rows["ops"]) - first, links))
                first, links = len(rows["ops"]), 0
        return tuple(log), cost

    def _can_be_checked(self, instruction: Instruction, op: LoweredOp) -> bool:
        return (
            op.dst != NONE
            and not op.flags & LOGGED
            and op.call is None
            and (self.m.slots(instruction.type) == 1 or op.code is OpCode.OVERFLOW)
        )

    def _append(self, instruction: Instruction, op: LoweredOp) -> None:
        rows = self.m.rows
        rows["ops"].append((int(op.code), op.flags, op.bits, op.dst, op.a, op.b, op.c, op.x))
        rows["kind"].append(int(op.kind))
        rows["use_start"].append(len(rows["use_def"]))
        uses = (
            op.uses if op.kind in (OpKind.CALL, OpKind.PHI) else [u for u in op.uses if u != NONE]
        )
        rows["use_def"].extend(uses)
        rows["use_block"].extend(op.use_blocks or [NONE] * len(uses))
        rows["op_line"].append(instruction.line)
        rows["op_location"].append(instruction.location or 0)
