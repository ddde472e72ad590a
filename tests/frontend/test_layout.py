"""Sizes and offsets are LLVM's, and addresses are those that the machine computes."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import llvmlite.binding as llvm
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frontend.compiled import ARM, TOURS, X86, host_layout, ir, module, oracle, run
from tests.frontend.spelling import spelled, written
from whence.frontend.c.ir import (
    ArrayType,
    Float,
    FloatType,
    Int,
    IntType,
    Local,
    NamedType,
    OtherType,
    PointerType,
    StructType,
    Type,
    Typed,
    VectorType,
)
from whence.frontend.c.layout import Layout
from whence.frontend.c.reader import read_module
from whence.frontend.c.tokens import IRTokens

I8, I16, I32, I64 = (IntType(bits) for bits in (8, 16, 32, 64))
PTR, FP80 = PointerType(), FloatType("x86_fp80")
LAYOUTS = [module("tour.c", target, "-O0").layout for target in (X86, ARM)]

scalars: st.SearchStrategy[Type] = st.one_of(
    st.sampled_from([1, 7, 8, 16, 24, 32, 33, 64, 77, 128, 129, 256]).map(IntType),
    st.sampled_from(["half", "bfloat", "float", "double", "x86_fp80", "fp128"]).map(FloatType),
    st.sampled_from([0, 270, 272]).map(PointerType),
)
vectors = st.builds(VectorType, st.integers(1, 17), scalars)
types: st.SearchStrategy[Type] = st.recursive(
    scalars | vectors,
    lambda inner: st.one_of(
        st.builds(ArrayType, st.integers(0, 5), inner),
        st.builds(StructType, st.lists(inner, max_size=5).map(tuple), st.booleans()),
    ),
    max_leaves=12,
)


def measured(layout: str, kind: Type) -> tuple[Layout, Any, Any]:
    """Return our layout, and LLVM's with its own form of the type."""
    text = f'target datalayout = "{layout}"\n@v = external global {spelled(kind)}\n'
    [variable] = llvm.parse_assembly(text).global_variables
    return Layout(read_module(text)), llvm.create_target_data(layout), variable.global_value_type


@given(layout=st.sampled_from(LAYOUTS), kind=types)
@settings(deadline=None)
def test_sizes_alignments_and_offsets_are_those_of_llvm(layout: str, kind: Type) -> None:
    mine, theirs, same = measured(layout, kind)
    assert mine.size(kind) == theirs.get_abi_size(same)
    assert mine.alignment(kind) == theirs.get_abi_alignment(same)
    if isinstance(kind, StructType):
        offsets = [theirs.get_element_offset(same, i) for i in range(len(kind.fields))]
        assert list(mine.offsets(kind)) == offsets


@pytest.mark.parametrize("tour", TOURS, ids="-".join)
def test_structs_of_programs_are_laid_out_as_llvm_does(tour: tuple[str, str, str]) -> None:
    seen = module(*tour)
    mine, theirs = Layout(seen), llvm.create_target_data(seen.layout)
    for kind in oracle(ir(*tour)).struct_types:
        if kind.is_opaque_struct:
            continue
        same = IRTokens(written(kind), 0).type()
        assert mine.size(same) == theirs.get_abi_size(kind)
        offsets = [theirs.get_element_offset(kind, i) for i in range(len(list(kind.elements)))]
        assert list(mine.offsets(same)) == offsets


@given(kind=types)
def test_leaves_fill_the_value_in_order_without_overlap(kind: Type) -> None:
    layout = Layout(module(*TOURS[0]))
    end = 0
    for leaf, offset in layout.leaves(kind):
        assert not isinstance(leaf, ArrayType | StructType | NamedType)
        assert offset >= end
        end = offset + layout.store_size(leaf)
    assert end <= layout.size(kind)


def test_leaves_of_named_types_are_found() -> None:
    layout = Layout(module(*TOURS[0]))
    assert layout.leaves(NamedType("struct.small")) == ((I8, 0), (I16, 2), (I32, 4))
    assert layout.leaves(NamedType("struct.large"))[-2:] == ((FloatType("double"), 24), (FP80, 32))
    assert layout.leaves(VectorType(4, I8)) == ((VectorType(4, I8), 0),)


@pytest.mark.parametrize(
    ("kind", "stored", "size", "alignment"),
    [
        (IntType(1), 1, 1, 1),
        (IntType(77), 10, 16, 16),
        (IntType(128), 16, 16, 16),
        (FP80, 10, 16, 16),
        (VectorType(3, I32), 12, 16, 16),
        (VectorType(9, IntType(1)), 2, 2, 2),
        (ArrayType(0, I64), 0, 0, 8),
        (StructType((I8, I64), packed=True), 9, 9, 1),
        (NamedType("struct.tight"), 13, 13, 1),
    ],
)
def test_the_stored_size_may_be_less_than_the_size(
    kind: Type, stored: int, size: int, alignment: int
) -> None:
    layout = Layout(module(*TOURS[0]))
    found = (layout.store_size(kind), layout.size(kind), layout.alignment(kind))
    assert found == (stored, size, alignment)


def test_a_type_without_a_size_is_refused() -> None:
    layout = Layout(read_module("%t = type opaque\n"))
    for kind in (NamedType("t"), OtherType("void")):
        for question in (layout.size, layout.leaves, layout.offsets):
            with pytest.raises(TypeError):
                question(kind)


# --- addresses ---------------------------------------------------------------------------


@st.composite
def paths(draw: st.DrawFn) -> tuple[Type, list[Typed]]:
    """Draw a type, and indices into it: constants, or %0 for any index of an array."""
    element = kind = draw(types)
    indices = [draw(index(1 << 20))]
    while isinstance(kind, ArrayType | StructType) and draw(st.booleans()):
        if isinstance(kind, StructType):
            if not kind.fields:
                break
            field = draw(st.integers(0, len(kind.fields) - 1))
            indices.append(Typed(I32, Int(field)))
            kind = kind.fields[field]
        else:
            indices.append(draw(index(kind.count)))
            kind = kind.element
    return element, indices


def index(limit: int) -> st.SearchStrategy[Typed]:
    values = st.integers(-limit, limit).map(Int) | st.just(Local("0"))
    return values.map(lambda value: Typed(I64, value))


@given(path=paths(), number=st.integers(-1000, 1000))
@settings(deadline=None, max_examples=40)
def test_an_address_is_the_one_that_the_machine_computes(
    path: tuple[Type, list[Typed]], number: int
) -> None:
    element, indices = path
    text = (
        f'target datalayout = "{host_layout()}"\n'
        "define i64 @f(i64 %0) {\n"
        f"  %2 = getelementptr {spelled(element)}, ptr null, {', '.join(map(shown, indices))}\n"
        "  %3 = ptrtoint ptr %2 to i64\n  ret i64 %3\n}\n"
    )
    seen = read_module(text)
    [address, *_] = seen.functions["f"].blocks[0].instructions
    assert list(address.operands[1:]) == indices
    assert address.element == element
    constant, variable = Layout(seen).gep(element, indices)
    engine = run(text)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(engine.get_function_address("f"))
    assert function(number) == constant + sum(number * scale for _, scale in variable)


def shown(operand: Typed) -> str:
    value = operand.value
    return f"{spelled(operand.type)} {value.value if isinstance(value, Int) else '%0'}"


# --- floating-point constants ------------------------------------------------------------

FLOATS = {
    "half": ["0xH3E00", "0xHFC00", "0xH7D01"],
    "bfloat": ["0xR3FC0"],
    "float": ["1.500000e+00", "0x3FB99999A0000000", "0x7FF0000000000000", "0xFFF8000000000000",
              "0x7FF4000020000000", "0x36A0000000000000", "-0.000000e+00"],
    "double": ["1.000000e-01", "-1.000000e+300", "0x7FF8000000000001", "0x3FF0000000000001"],
    "x86_fp80": ["0xK3FFF8000000000000000", "0xK3FFBCCCCCCCCCCCCCCCD"],
    "fp128": ["0xL00000000000000013FFF000000000002"],
}  # fmt: skip


def test_floating_point_constants_have_the_bits_that_llvm_puts_in_memory() -> None:
    constants = [(kind, text) for kind, texts in FLOATS.items() for text in texts]
    text = f'target datalayout = "{host_layout()}"\n' + "".join(
        f"@v{number} = global {kind} {constant}\n"
        for number, (kind, constant) in enumerate(constants)
    )
    seen, engine = read_module(text), run(text)
    layout = Layout(seen)
    for name, variable in seen.variables.items():
        size = layout.store_size(variable.type)
        real = ctypes.string_at(engine.get_global_value_address(name), size)
        assert variable.initial == Float(int.from_bytes(real, "little")), name


def test_a_float_is_narrowed_from_the_double_that_llvm_writes() -> None:
    [bits] = struct.unpack("<I", struct.pack("<f", 0.1))
    assert read_module("@v = global float 0x3FB99999A0000000\n").variables["v"].initial == Float(
        bits
    )
