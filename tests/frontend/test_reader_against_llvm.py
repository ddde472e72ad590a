"""The reader sees in a module what LLVM itself sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.frontend.compiled import TOURS, ir, module, oracle
from tests.frontend.spelling import sigil, spelled, written
from whence.frontend.c.instructions import Instructions
from whence.frontend.c.ir import (
    Block,
    Function,
    Instruction,
    Label,
    Local,
    Module,
    Undefined,
    Value,
)
from whence.frontend.c.reader import attribute_groups
from whence.frontend.c.tokens import plain_name

tours = pytest.mark.parametrize("tour", TOURS, ids="-".join)


def instructions(function: Function) -> Iterator[Instruction]:
    for block in function.blocks:
        yield from block.instructions


def bodies(tour: tuple[str, str, str]) -> Iterator[tuple[Function, Any]]:
    """Yield each function with a body, as we and as LLVM see it."""
    mine = module(*tour).functions
    theirs = {f.name: f for f in oracle(ir(*tour)).functions if not f.is_declaration}
    assert list(mine) == list(theirs)
    for name, function in mine.items():
        yield function, theirs[name]


@tours
def test_functions_have_the_blocks_and_instructions_that_llvm_sees(
    tour: tuple[str, str, str],
) -> None:
    for mine, theirs in bodies(tour):
        for block, real in zip(mine.blocks, theirs.blocks, strict=True):
            assert real.name in ("", block.label)
            for instruction, actual in zip(block.instructions, real.instructions, strict=True):
                assert instruction.opcode == actual.opcode
                assert spelled(instruction.type) == written(actual.type)
                assert operand_types(instruction) == oracle_operand_types(actual), str(actual)


def operand_types(instruction: Instruction) -> list[str]:
    """Return the types of the operands, in LLVM's order."""
    found = [spelled(operand.type) for operand in instruction.operands]
    if instruction.opcode in ("phi", "switch"):  # llvmlite shows the labels of only one of the two
        skipped = "label" if instruction.opcode == "phi" else spelled(instruction.operands[0].type)
        return found[: len(found) % 2 or 1] + [k for k in found[1:] if k != skipped]
    if instruction.opcode == "shufflevector":
        return found[:2]  # its mask is a constant of its own kind
    return found + ["label"] * len(instruction.labels) + ["ptr"] * bool(instruction.callee)


def oracle_operand_types(actual: Any) -> list[str]:
    found = [written(operand.type) for operand in actual.operands]
    if actual.opcode == "landingpad":
        return []  # its clauses, which we do not use
    if actual.opcode == "call":  # the operands of its bundles stand before the callee
        bundles = re.findall(r'"[\w.]+"\(([^)]*)\)(?=[^"]* \])', str(actual))
        extra = sum(len(bundle.split(",")) for bundle in bundles)
        return found[: -1 - extra] + found[-1:]
    return found


@tours
def test_lines_of_an_instruction_are_its_text(tour: tuple[str, str, str]) -> None:
    """LLVM prints each instruction as it stands on the lines that we report."""
    lines = ir(*tour).splitlines()
    for mine, theirs in bodies(tour):
        for block, real in zip(mine.blocks, theirs.blocks, strict=True):
            for instruction, actual in zip(block.instructions, real.instructions, strict=True):
                text = "\n".join(lines[instruction.line : instruction.line + instruction.lines])
                assert unnumbered(text) == unnumbered(str(actual))


def unnumbered(text: str) -> str:
    """Return a text without numbers of metadata and attributes, which differ when printed alone."""
    return re.sub(r"([!#])\d+", r"\1", text)


@tours
def test_functions_blocks_variables_and_declares_have_their_lines(
    tour: tuple[str, str, str],
) -> None:
    lines = ir(*tour).splitlines()
    seen = module(*tour)
    for function in seen.functions.values():
        assert lines[function.line].startswith("define ")
        assert sigil("@", function.name) + "(" in lines[function.line]
        assert lines[function.end] == "}"
        for number, block in enumerate(function.blocks):
            check_block_line(lines, block, is_entry=number == 0)
        for declare in function.declares:
            assert f"#dbg_declare(ptr {operand_text(declare.address)}, " in lines[declare.line]
            assert f", !{declare.variable}, {declare.expression}, " in lines[declare.line]
    for variable in seen.variables.values():
        assert lines[variable.line].startswith(sigil("@", variable.name) + " = ")
    declared = sum("#dbg_declare(" in line for line in lines)
    assert declared == sum(len(function.declares) for function in seen.functions.values())
    assert seen.text == tuple(lines)


def check_block_line(lines: list[str], block: Block, *, is_entry: bool) -> None:
    if is_entry and block.line == block.instructions[0].line:
        assert not lines[block.line - 1].endswith(":")
    else:
        assert lines[block.line].split(":")[0].strip('"') == block.label


def operand_text(value: Value) -> str:
    if isinstance(value, Local):
        return sigil("%", value.name)
    return "poison" if value == Undefined() else str(value)


@tours
def test_both_ways_of_reading_an_instruction_agree(
    tour: tuple[str, str, str],
) -> None:
    lines, seen = ir(*tour).splitlines(), module(*tour)
    reader = Instructions(seen.types, attribute_groups(lines))
    for function in seen.functions.values():
        for found in instructions(function):
            assert reader.read(lines, found.line, fast=False) == found


def test_most_instructions_have_a_common_shape() -> None:
    lines, seen = ir(*TOURS[0]).splitlines(), module(*TOURS[0])
    reader = Instructions(seen.types, attribute_groups(lines))
    found = [i for function in seen.functions.values() for i in instructions(function)]
    assert sum(reader.has_common_shape(lines[i.line]) for i in found) > 0.7 * len(found)


@tours
def test_every_value_used_in_a_function_is_defined_in_it(tour: tuple[str, str, str]) -> None:
    for function in module(*tour).functions.values():
        names = {parameter.name for parameter in function.parameters}
        names |= {i.result for i in instructions(function) if i.result is not None}
        labels = {block.label for block in function.blocks}
        for instruction in instructions(function):
            for operand in instruction.operands:
                if isinstance(operand.value, Local):
                    assert operand.value.name in names
                elif isinstance(operand.value, Label):
                    assert operand.value.name in labels
            assert set(instruction.labels) <= labels


@tours
def test_registers_of_an_instruction_are_those_in_its_text_in_order(
    tour: tuple[str, str, str],
) -> None:
    lines, seen = ir(*tour).splitlines(), module(*tour)
    for function in seen.functions.values():
        for found in instructions(function):
            text = " ".join(lines[found.line : found.line + found.lines])
            right = text.split(" = ", 1)[-1] if found.result is not None else text
            right = re.sub(r' \[ ".*\) \]|asm .*", ".*?"(?=\()|blockaddress\(.*?\)', "", right)
            names = [plain_name(name) for name in re.findall(r'%(?:"[^"]*"|[-\w.$]+)', right)]
            assert registers(found) == [name for name in names if name not in seen.types]


def registers(found: Instruction) -> list[str]:
    """Return the registers and blocks that an instruction names, in the order of its text."""
    values = [found.callee, *(operand.value for operand in found.operands)]
    names = [v.name for v in values if isinstance(v, Local | Label)]
    return names + list(found.labels)


@tours
def test_globals_are_those_that_llvm_sees(tour: tuple[str, str, str]) -> None:
    mine, theirs = module(*tour), oracle(ir(*tour))
    assert set(mine.variables) == {v.name for v in theirs.global_variables}
    for variable in theirs.global_variables:
        found = mine.variables[variable.name]
        assert spelled(found.type) == written(variable.global_value_type)
        assert (found.initial is None) == variable.is_declaration
    # llvmlite does not show ifuncs; for us they are declarations.
    declared = {f.name: f for f in theirs.functions if f.is_declaration}
    assert mine.declarations.keys() - declared.keys() <= {"indirect"}
    for name, function in declared.items():
        assert spelled(mine.declarations[name].type) == written(function.global_value_type)
    named = [str(k).split(" = type ") for k in theirs.struct_types if not k.is_literal_struct]
    assert {sigil("%", name): spelled(kind) for name, kind in mine.types.items()} == dict(named)
    assert mine.triple == theirs.triple
    assert mine.layout == theirs.data_layout


def test_the_module_of_a_tour_is_read_whole() -> None:
    seen: Module = module(*TOURS[0])
    assert seen.source.endswith("tour.c")
    assert {"aliased", "other_name"} <= {*seen.functions, *seen.aliases}
    assert "returns_twice" in seen.declarations["_setjmp"].attributes
    assert seen.metadata[seen.functions["main"].subprogram or 0].startswith(
        'distinct !DISubprogram(name: "main"'
    )
    assert seen.constructors_line is not None
    assert seen.text[seen.constructors_line].startswith("@llvm.global_ctors")
