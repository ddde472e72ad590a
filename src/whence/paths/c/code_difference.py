"""Which instructions of two builds of a C or C++ program are not the same?

Source lines do not tell: a changed type alters the comparisons on lines far from it.  So the
instructions are compared.  Two are the same if they do the same with operands that are the same,
in blocks that correspond, and branch to blocks that correspond.  What cannot be paired so counts
as different; pairs are dropped until all that is left agrees.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from whence.frontend.c import ir
from whence.frontend.c.normal_form import normal_forms
from whence.paths.code_difference import CodeDifference
from whence.program.ids import Op
from whence.trace.c.image import CImage
from whence.trace.recording import Image

Pairs = dict[int, int]  # instructions of the bad version -> those of the good one


def c_code_difference(bad: Image, good: Image) -> CodeDifference:
    """Compare all modules of two programs."""
    assert isinstance(bad, CImage)
    assert isinstance(good, CImage)
    if len(bad.modules) != len(good.modules):
        return _without_operations("the program has other modules")
    own: set[Op] = set()
    theirs: set[Op] = set()
    same: dict[Op, Op] = {}
    for number in range(len(bad.modules)):
        ours, other = _Module(bad, number), _Module(good, number)
        beyond = _data_difference(ours, other)
        if beyond is not None:
            return _without_operations(beyond)
        for name in {**ours.functions, **other.functions}:
            found = _paired(ours.functions.get(name), other.functions.get(name))
            pairs = {ours.op(name, i): other.op(name, j) for i, j in found.items()}
            only_bad, only_good = ours.ops(name) - {*pairs}, other.ops(name) - {*pairs.values()}
            if only_bad or only_good:
                own |= only_bad
                theirs |= only_good
                same |= pairs
    return CodeDifference(frozenset(own), frozenset(theirs), same)


def c_same_form(bad: Image, good: Image, file: str) -> bool:
    """Do two programs do the same in every run, by the form that LLVM gives to their functions?

    Or is it so in the only module that is made from a source file?
    """
    assert isinstance(bad, CImage)
    assert isinstance(good, CImage)
    if len(bad.modules) != len(good.modules):
        return False
    pairs = [(_Module(bad, at), _Module(good, at)) for at in range(len(bad.modules))]
    if all(_is_same_module(*pair) for pair in pairs):
        return True
    if not file:
        return False
    name = f'"{file.rpartition("/")[2]}"', f'/{file.rpartition("/")[2]}"'
    using = [pair for pair in pairs if any(one in each.text for one in name for each in pair)]
    return len(using) == 1 and _is_same_module(*using[0])


def _is_same_module(bad: _Module, good: _Module) -> bool:
    return _data_difference(bad, good) is None and _have_same_form(bad.text, good.text)


@lru_cache(maxsize=64)
def _have_same_form(bad: str, good: str) -> bool:
    if bad == good:
        return True
    for with_calls in (True, False):
        found = normal_forms(bad, with_calls=with_calls)
        if found is not None and found == normal_forms(good, with_calls=with_calls):
            return True
    return False


def _without_operations(beyond: str) -> CodeDifference:
    return CodeDifference(frozenset(), frozenset(), {}, beyond)


class _Module:
    """One module of a program, with the numbers of its operations."""

    def __init__(self, image: CImage, number: int) -> None:
        self.source = image.modules[number]
        self.module = self.source.module
        self._base = image.program.bases[number].op
        recorded = self.source.description_function_names
        self.functions = {name: _Function(self, self.module.functions[name]) for name in recorded}

    @property
    def text(self) -> str:
        return self.source.description.text

    def op(self, function: str, at: int) -> Op:
        """Return instruction number `at` of a function."""
        return Op(self._base + self.source.ops(function).start + at)

    def ops(self, function: str) -> set[Op]:
        if function not in self.functions:
            return set()
        return {Op(self._base + op) for op in self.source.ops(function)}

    def value(self, value: ir.Value | None) -> Hashable:
        """Return a value as both versions would write it: texts without a name by contents."""
        if isinstance(value, ir.Local):
            return "%"
        if isinstance(value, ir.Label):
            return "label"
        if isinstance(value, ir.Global):
            return self._global(value.name)
        if isinstance(value, ir.Elements):
            return tuple((one.type, self.value(one.value)) for one in value.elements)
        if isinstance(value, ir.Expression):
            operands = tuple((one.type, self.value(one.value)) for one in value.operands)
            return value.opcode, operands, value.element
        return value

    def _global(self, name: str) -> Hashable:
        variable = self.module.variables.get(name)
        if variable is None or variable.linkage != "private":
            return name
        return "private", variable.type, self.value(variable.initial)


def _data_difference(bad: _Module, good: _Module) -> str | None:
    """Return which data of a module is not the same."""
    own, theirs = bad.module, good.module
    if dict(own.types) != dict(theirs.types):
        return "a type differs"
    if dict(own.aliases).keys() != dict(theirs.aliases).keys():
        return "the program has other aliases"
    for name in {**own.variables, **theirs.variables}:
        if name.startswith("llvm.") and name != "llvm.global_ctors":
            continue
        one, other = own.variables.get(name), theirs.variables.get(name)
        if "private" in {each.linkage for each in (one, other) if each is not None}:
            continue  # it is compared where it is used
        if one is None or other is None or _held(bad, one) != _held(good, other):
            return f"the data `{name}` differs"
    return None


def _held(module: _Module, variable: ir.Variable) -> Hashable:
    return (
        variable.type, module.value(variable.initial), variable.constant, variable.linkage,
        variable.thread_local,
    )  # fmt: skip


# --- functions -----------------------------------------------------------------------------------


class _Function:
    """The instructions of a function, in order."""

    def __init__(self, module: _Module, function: ir.Function) -> None:
        self._module = module
        self.function = function

    @cached_property
    def instructions(self) -> list[ir.Instruction]:
        return [one for block in self.function.blocks for one in block.instructions]

    @cached_property
    def blocks(self) -> list[int]:
        """The number of the block of each instruction."""
        blocks = self.function.blocks
        return [at for at, block in enumerate(blocks) for _ in block.instructions]

    @cached_property
    def labels(self) -> dict[str, int]:
        return {block.label: at for at, block in enumerate(self.function.blocks)}

    @cached_property
    def definitions(self) -> dict[str, object]:
        """What defines each register: the number of an instruction, or a parameter."""
        parameters: dict[str, object] = {
            one.name: ("parameter", at) for at, one in enumerate(self.function.parameters)
        }
        return {
            **parameters,
            **{i.result: at for at, i in enumerate(self.instructions) if i.result},
        }

    @property
    def head(self) -> Hashable:
        function = self.function
        kinds = tuple((one.type, one.byval, one.sret) for one in function.parameters)
        return function.type, kinds, function.attributes

    @cached_property
    def keys(self) -> list[Hashable]:
        """What each instruction does, without the registers and blocks that it names."""
        return [self._key(one) for one in self.instructions]

    def _key(self, one: ir.Instruction) -> Hashable:
        value = self._module.value
        name = one.result.rstrip("0123456789") if one.opcode == "alloca" and one.result else ""
        operands = tuple((each.type, value(each.value)) for each in one.operands)
        return (
            one.opcode, name, one.type, operands, one.element, one.predicate, one.indices,
            len(one.labels), value(one.callee),
            one.function, one.byval, one.sret, one.attributes, one.volatile, one.atomic,
        )  # fmt: skip

    def named(self, at: int) -> Iterator[ir.Value]:
        """Yield the registers and blocks that an instruction names, in order."""
        one = self.instructions[at]
        for value in (*(each.value for each in one.operands), one.callee):
            if isinstance(value, ir.Local | ir.Label):
                yield value
        yield from map(ir.Label, one.labels)


def _paired(bad: _Function | None, good: _Function | None) -> Pairs:
    """Return the instructions of a function that are the same in both versions."""
    if bad is None or good is None or bad.head != good.head:
        return {}
    pairs: Pairs = {}
    matcher = SequenceMatcher(None, bad.keys, good.keys, autojunk=False)
    for i, j, size in matcher.get_matching_blocks():
        pairs.update(zip(range(i, i + size), range(j, j + size), strict=True))
    while True:
        blocks = _paired_blocks(bad, good, pairs)
        kept = {i: j for i, j in pairs.items() if _agree(bad, good, i, j, pairs, blocks)}
        if len(kept) == len(pairs):
            return pairs
        pairs = kept


def _paired_blocks(bad: _Function, good: _Function, pairs: Pairs) -> dict[int, int]:
    """Return which blocks correspond: those with the most instructions in common."""
    counts = Counter((bad.blocks[i], good.blocks[j]) for i, j in pairs.items())
    found: dict[int, int] = {}
    taken: set[int] = set()
    for (own, other), _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if own not in found and other not in taken:
            found[own] = other
            taken.add(other)
    return found


def _agree(
    bad: _Function, good: _Function, i: int, j: int, pairs: Pairs, blocks: dict[int, int]
) -> bool:
    """Do two instructions stand in blocks that correspond and name things that do?"""
    if blocks.get(bad.blocks[i]) != good.blocks[j]:
        return False
    return all(
        _is_same(bad, good, own, other, pairs, blocks)
        for own, other in zip(bad.named(i), good.named(j), strict=True)
    )


def _is_same(
    bad: _Function, good: _Function, own: ir.Value, other: ir.Value, pairs: Pairs,
    blocks: dict[int, int],
) -> bool:  # fmt: skip
    if isinstance(own, ir.Label) and isinstance(other, ir.Label):
        at, there = bad.labels[own.name], good.labels[other.name]
        is_free = at not in blocks and there not in blocks.values()
        return is_free or blocks.get(at) == there
    if isinstance(own, ir.Local) and isinstance(other, ir.Local):
        from_own, from_other = bad.definitions.get(own.name), good.definitions.get(other.name)
        if isinstance(from_own, int) and isinstance(from_other, int):
            if from_own in pairs:
                return pairs[from_own] == from_other
            # Both are changed.  A variable that only one version has is no value to compare.
            is_variable = bad.instructions[from_own].opcode == "alloca"
            return from_other not in pairs.values() and not is_variable
        return from_own == from_other
    return False
