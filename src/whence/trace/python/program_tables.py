"""What does replay.c need to know about a program, as arrays?"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from whence.program.ids import Block
from whence.trace.columns import U32
from whence.trace.python.descriptions import LEFT_OUT, Display, OtherConstant
from whence.trace.python.events import TYPE_KINDS, PythonType
from whence.trace.python.kernel import Arrays, Kernel
from whence.trace.python.objects import MUTATING_METHODS
from whence.trace.python.program import (
    BODIES,
    BRANCHES,
    LOADS,
    VARIABLES,
    PythonProgram,
)

I64 = npt.NDArray[np.int64]

# Operations by their number in replay.c; all others are 0.
_OPERATIONS = (
    "", "load", "store", "delete", "param", "unpack", "phi", "set_attr", "set_item", "list",
    "tuple", "set", "dict", "next", "attr", "item", "del_attr", "del_item", "inplace", "call",
    "lambda", "genexpr", "def", "class", "comp", "import_from", "enter", "leave", "caught",
    "finally", "resume", "with_exit", "return", "yield", "branch", "either", "try", "match",
    "method", "raise", "reraise", "jump",
)  # fmt: skip
_CODES = {name: number for number, name in enumerate(_OPERATIONS)}
# Flags of operations, of names and of functions, as in replay.c.
(_LOGGED, _PLAIN, _RUNS_CODE, _GENEXPR, _ASYNC, _BRANCH, _EXTRA, _PRINTS, _ELEMENT, _AND,
 _INIT, _LINK) = (1 << bit for bit in range(12))  # fmt: skip
_MUTATING, _ADDING, _REWRITING, _PURE, _EXISTING, _APPEND, _GETATTR = (1 << bit for bit in range(7))
_MODULE_BODY, _CLASS_BODY, _IS_INIT, _NESTED = (1 << bit for bit in range(4))
_NO_USE, _CONSTANT = -1, -2  # instead of the operation of a use

# Operations that may run other code before they have a value.
_RUN_CODE = frozenset({
    "attr", "set_attr", "del_attr", "item", "set_item", "del_item", "binary", "inplace", "unary",
    "compare", "call", "list", "tuple", "set", "dict", "format", "comp", "next", "branch",
    "either", "phi", "raise", "resume", "with_enter", "with_exit", "import", "import_from", "def",
    "class", "genexpr", "match", "caught",
})  # fmt: skip
# Operations whose event contains more than a value, or depends on the operation before.
_SPECIAL_EVENTS = frozenset({"enter", "leave", "caught", "finally", "resume", "with_exit"})
# The source texts of callees that print to standard output.
_PRINT = frozenset({"print", "sys.stdout.write", "stdout.write", "sys.stdout.buffer.write"})
# Mutating methods that only add elements: the elements that were there stay where they are.
ADDING_METHODS = frozenset({"append", "add", "setdefault", "extend", "update"})
# Mutating methods after which no earlier write says where an element is.
REWRITING_METHODS = frozenset({"clear", "sort", "reverse"})
# Functions that do not change their arguments.
PURE_FUNCTIONS = frozenset({
    "len", "isinstance", "issubclass", "str", "repr", "int", "float", "bool", "bytes", "tuple",
    "list", "set", "frozenset", "dict", "sorted", "reversed", "min", "max", "sum", "any", "all",
    "abs", "round", "range", "enumerate", "zip", "map", "filter", "iter", "type", "id", "hash",
    "print", "hasattr", "getattr", "callable", "ord", "chr", "divmod", "pow", "format", "vars",
    "super", "cast", "deepcopy", "copy",
})  # fmt: skip
# Functions and methods that return an object which existed before the call.
RETURN_EXISTING = frozenset({
    "get", "setdefault", "pop", "popitem", "popleft", "next", "getattr", "max", "min", "cast",
    "vars", "globals", "__getitem__", "__next__",
})  # fmt: skip


class ProgramTables:
    """The arrays that describe one program; `for_kernel` adds the tokens of one log."""

    def __init__(self, program: PythonProgram) -> None:
        self._program = program
        self._names: dict[str, int] = {}  # each name with its index
        self._slots: list[dict[str, int]] = [{} for _ in program.functions]
        self._fixed = {**self._ops(), **self._uses(), **self._places(), **self._functions()}

    def for_kernel(self, kernel: Kernel, functions: Iterable[int]) -> Arrays:
        """Return the tables in the tokens of a kernel; `functions` are those that ran."""
        program = self._program
        names = np.append(kernel.tokens_of(list(self._names)), np.uint32(0))  # -1: no name
        constants = self._constant_tokens(kernel)
        tables = dict(self._fixed)
        for name in ("op_name", "op_extra_name", "function_last_name", "slot_name", "module_name"):
            tables[name] = names[tables[name]]
        tables["use_constant"] = constants[tables["use_constant"]]
        blocks: list[Sequence[Block]] = [()] * len(program.following)
        for function in functions:
            first = program.functions[function].first_block
            for at, controlling in enumerate(program.controlling_blocks(function)):
                blocks[first + at] = controlling
        tables["controlling_start"], tables["controlling"] = _rows(blocks)
        return tables

    # --- operations ----------------------------------------------------------------------------

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _ops(self) -> dict[str, npt.NDArray[np.generic]]:
        program = self._program
        self._names = {name: n for n, name in enumerate(filter(None, dict.fromkeys(program.name)))}
        names = np.array([self._names.get(name or "", -1) for name in program.name], np.int64)
        opcodes = list(dict.fromkeys(program.opcode))
        index = {opcode: n for n, opcode in enumerate(opcodes)}
        number = np.fromiter(map(index.__getitem__, program.opcode), np.int64)
        codes = np.array([_CODES.get(opcode, 0) for opcode in opcodes], np.uint8)[number]
        flags = np.array([*map(_opcode_flags, opcodes)], np.int64)[number]
        flags |= np.array(program.logged, np.int64) * _LOGGED
        kinds = np.array([function.kind == "genexpr" for function in program.functions], bool)
        is_generator = kinds[np.array(program.op_function, np.int64)]
        is_async = np.array([extra == "async" for extra in program.extra], bool)
        flags |= is_async * _ASYNC | is_generator * _GENEXPR
        flags[is_async | ((codes == _CODES["next"]) & is_generator)] &= ~_PLAIN
        flags |= np.fromiter(map(bool, program.extra), bool) * _EXTRA
        flags |= np.fromiter(map(_PRINT.__contains__, program.text), bool) * _PRINTS
        elements = [use for uses in program.elements.values() for use in uses]
        flags[np.array(elements, np.int64)] |= _ELEMENT
        by_name = np.array([*map(_name_flags, self._names), 0], np.int64)[names]
        flags |= np.array([*map(_special_name_flags, self._names), 0], np.int64)[names]
        extra, extra_name, slot = self._extras()
        return {
            "op_code": codes,
            "op_flags": flags,
            "op_name_flags": by_name,
            "op_name": names,
            "op_extra": extra,
            "op_extra_name": extra_name,
            "op_slot": slot,
            "op_stretch": np.array(program.op_stretch, np.uint32),
            "op_function": np.array(program.op_function, np.uint32),
        }

    def _extras(self) -> tuple[I64, I64, I64]:
        """Return for each operation what its extra is: a number, a name, a slot of a variable."""
        program = self._program
        extras, names, slots = (np.full(len(program.opcode), -1, np.int64) for _ in range(3))
        modules = {module.name: number for number, module in enumerate(program.modules)}
        for op, (opcode, extra) in enumerate(zip(program.opcode, program.extra, strict=True)):
            name = program.name[op] or ""
            if opcode in VARIABLES:
                if extra is not None:
                    extras[op] = extra
                    own = self._slots[extra]
                    slots[op] = own.setdefault(name, len(own))
            elif opcode in BODIES or opcode == "caught":
                extras[op] = -1 if extra is None else extra
            elif opcode == "unpack":
                extras[op] = int(name) if name.isdigit() else -1
            elif opcode == "inplace" and extra and extra != "item":
                names[op] = self._name(extra[1])
            elif opcode == "import_from":
                module, _, variable = name.rpartition(":")
                importing = program.modules[program.functions[program.op_function[op]].module]
                if module.startswith("."):
                    module = _absolute(importing.name, module, modules)
                extras[op] = modules.get(module, -1)
                names[op] = self._name(variable)
        return extras, names, slots

    def _uses(self) -> dict[str, npt.NDArray[np.generic]]:
        program = self._program
        uses, begins = (
            np.array(column, np.int64) for column in (program.uses.flat, program.uses.starts)
        )
        counts = np.diff(begins)
        starts = np.cumsum([0, *(len(module.constants) for module in program.modules)])
        module_of = np.array([function.module for function in program.functions], np.int64)
        of_op = module_of[np.array(program.op_function, np.int64)]
        start = starts[np.repeat(of_op, counts)]
        is_constant = (uses < 0) & (uses != LEFT_OUT)
        found = np.where(uses == LEFT_OUT, _NO_USE, np.where(is_constant, _CONSTANT, uses))
        return {
            "use_start": begins,
            "use": found,
            "use_constant": np.where(is_constant, start - uses, 0),  # 1 + index; 0: none
        }

    def _constant_tokens(self, kernel: Kernel) -> U32:
        """Return the tokens of the constants of all modules; the first stands for no constant."""
        constants = [one for module in self._program.modules for one in module.constants]
        is_plain = np.array(
            [not isinstance(one, Display | OtherConstant) for one in constants], bool
        )
        found = np.zeros(len(constants) + 1, np.uint32)
        plain = [one for one, kept in zip(constants, is_plain, strict=True) if kept]
        found[1 + np.flatnonzero(is_plain)] = kernel.tokens_of(plain)
        for at in np.flatnonzero(~is_plain).tolist():
            found[1 + at] = kernel.constant(constants[at])
        return found

    # --- stretches, blocks and functions ---------------------------------------------------------

    def _places(self) -> dict[str, npt.NDArray[np.generic]]:
        program = self._program
        start, following = _rows(program.following)
        return {
            "stretch_first": np.array(program.stretch_first, np.uint32),
            "stretch_ops": np.array(program.stretch_ops, np.uint32),
            "stretch_block": np.array(program.stretch_block, np.uint32),
            "block_first_stretch": np.array(program.block_first_stretch, np.uint32),
            "block_stretches": np.array(program.block_stretches, np.uint32),
            "following_start": start,
            "following": following,
        }

    def _functions(self) -> dict[str, npt.NDArray[np.generic]]:
        program, functions = self._program, self._program.functions
        scopes = np.zeros(len(program.modules), np.int64)
        for number, function in enumerate(functions):
            if function.kind == "module":
                scopes[function.module] = number
        slot_start, slot_name = _rows([[*map(self._name, own)] for own in self._slots])
        element_start, element = _rows([program.elements.get(n, ()) for n in range(len(functions))])
        return {
            "function_first_op": np.array([function.first_op for function in functions], np.int64),
            "function_ops": np.array([function.n_ops for function in functions], np.int64),
            "function_first_block": np.array(
                [function.first_block for function in functions], np.int64
            ),
            "function_blocks": np.array([function.n_blocks for function in functions], np.int64),
            "function_parent": np.array([function.parent for function in functions], np.int64),
            "function_module": np.array([function.module for function in functions], np.int64),
            "function_flags": np.array(
                [_function_flags(f.name, f.kind) for f in functions], np.int64
            ),
            "function_last_name": np.array(
                [self._name(function.name.rpartition(".")[2]) for function in functions], np.int64
            ),
            "slot_start": slot_start,
            "slot_name": slot_name.astype(np.int64),
            "element_start": element_start,
            "element": element,
            "module_name": np.array(
                [self._name(module.name) for module in program.modules], np.int64
            ),
            "module_scope": scopes,
        }


def type_tables(types: Mapping[int, PythonType]) -> Arrays:
    """Return the tables about the types of a log."""
    count = max(types, default=-1) + 1
    kinds, addresses = np.zeros(count, np.uint8), np.zeros(count, np.uint64)
    ancestors: list[Sequence[int]] = [()] * count
    for number, one in types.items():
        kinds[number] = TYPE_KINDS.index(one.kind)
        addresses[number], ancestors[number] = one.identity, one.ancestors
    start, flat = _rows(ancestors)
    return {
        "type_kind": kinds,
        "type_address": addresses,
        "ancestor_start": start,
        "ancestor": flat.astype(np.uint64),
    }


def _rows(rows: Sequence[Sequence[int]]) -> tuple[U32, npt.NDArray[np.uint64]]:
    """Return where each row starts, and all rows one after the other."""
    start = np.zeros(len(rows) + 1, np.uint32)
    np.cumsum([len(row) for row in rows], out=start[1:], dtype=np.uint32)
    return start, np.fromiter(itertools.chain(*rows), np.uint64, int(start[-1]))


def _opcode_flags(opcode: str) -> int:
    return (
        _RUNS_CODE * (opcode in _RUN_CODE)
        | _PLAIN * (opcode not in _SPECIAL_EVENTS)
        | _LINK * (opcode in LOADS)
        | _BRANCH * (opcode in BRANCHES)
    )


def _name_flags(name: str) -> int:
    return (
        _MUTATING * (name in MUTATING_METHODS)
        | _ADDING * (name in ADDING_METHODS)
        | _REWRITING * (name in REWRITING_METHODS)
        | _PURE * (name in PURE_FUNCTIONS)
        | _EXISTING * (name in RETURN_EXISTING)
        | _APPEND * (name == "append")
        | _GETATTR * (name == "getattr")
    )


def _special_name_flags(name: str) -> int:
    return _AND * (name == "and") | _INIT * (name == "__init__")


def _function_flags(name: str, kind: str) -> int:
    return (
        _MODULE_BODY * (kind == "module")
        | _CLASS_BODY * (kind == "class")
        | _IS_INIT * name.endswith(".__init__")
        | _NESTED * ("<locals>" in name and "." in name)
    )


def _absolute(importing: str, relative: str, modules: Mapping[str, int]) -> str:
    """Return the name of the module that a relative import means."""
    dots = len(relative) - len(relative.lstrip("."))
    for package in (importing, importing.rpartition(".")[0]):  # a package, or a module in one
        parts = package.split(".") if package else []
        base = parts[: len(parts) - dots + 1]
        name = ".".join([*base, relative.lstrip(".")]).strip(".")
        if name in modules:
            return name
    return relative
