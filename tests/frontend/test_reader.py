"""The reader reads each shape of IR correctly."""

from __future__ import annotations

import re

import pytest

from whence.frontend.c.ir import (
    VOID,
    ArrayType,
    Asm,
    Bytes,
    Declare,
    Elements,
    Expression,
    Float,
    FloatType,
    FunctionType,
    Global,
    Instruction,
    Int,
    IntType,
    Label,
    Local,
    Meta,
    NamedType,
    PointerType,
    StructType,
    Type,
    Typed,
    Undefined,
    Value,
    VectorType,
    Zero,
)
from whence.frontend.c.reader import IRError, read_module

I1, I8, I32, I64 = IntType(1), IntType(8), IntType(32), IntType(64)
PTR, FLOAT, DOUBLE = PointerType(), FloatType("float"), FloatType("double")


def one(text: str, types: str = "") -> Instruction:
    """Read the instruction that `text` spells, in a function of a module."""
    source = (
        f"{types}\ndefine void @f(ptr %p, i32 %x) {{\n  {text}\n}}\nattributes #1 = {{ cold }}\n"
    )
    [block] = read_module(source).functions["f"].blocks
    [found] = block.instructions
    return found


def initial(text: str) -> Value | None:
    """Return the initial value of the global whose type and value are `text`."""
    return read_module(f"@v = global {text}\n").variables["v"].initial


def typed(kind: Type, *numbers: int) -> tuple[Typed, ...]:
    return tuple(Typed(kind, Int(number)) for number in numbers)


def test_a_call_keeps_callee_type_arguments_and_attributes() -> None:
    found = one(
        "%1 = musttail call fastcc noundef range(i32 0, 5) i32 (ptr, ...) @g(ptr noundef "
        'byval(%struct.S) align 8 captures(none) %p, i32 signext "k"="v" -3, metadata !"m") '
        '#1 memory(read) [ "align"(ptr %p, i64 8), "x"() ], !dbg !7, !srcloc !8'
    )
    assert found.callee == Global("g")
    assert found.function == FunctionType(I32, (PTR,), variadic=True)
    assert found.type == I32
    assert [operand.value for operand in found.operands] == [Local("p"), Int(-3), Meta('!"m"')]
    assert found.byval == (NamedType("struct.S"), None, None)
    assert found.attributes == {"cold", "memory(read)", "musttail"}
    assert found.location == 7


def test_a_call_without_a_written_function_type_has_that_of_its_arguments() -> None:
    found = one("call void %p(i32 %x, i64 1)")
    assert found.callee == Local("p")
    assert found.function == FunctionType(VOID, (I32, I64))


def test_inline_assembly_is_a_callee() -> None:
    text = 'asm sideeffect "a, \\22b\\22 (", "=r,~{memory}"'
    found = one(f"%1 = call i32 {text}(i32 %x) #1")
    assert found.callee == Asm(text)
    assert found.operands == (Typed(I32, Local("x")),)


def test_an_invoke_takes_two_lines_and_names_two_blocks() -> None:
    found = one("invoke void @g()\n          to label %a unwind label %b, !dbg !3")
    assert (found.labels, found.lines, found.location) == (("a", "b"), 2, 3)


def test_a_switch_has_its_cases_in_pairs() -> None:
    found = one(
        "switch i32 %x, label %d [\n    i32 -1, label %a\n    i32 7, label %a\n  ], !dbg !3"
    )
    assert [operand.value for operand in found.operands] == [
        Local("x"), Label("d"), Int(-1), Label("a"), Int(7), Label("a"),
    ]  # fmt: skip
    assert (found.lines, found.location) == (4, 3)


def test_a_landingpad_takes_the_lines_of_its_clauses() -> None:
    found = one(
        "%1 = landingpad { ptr, i32 }\n          cleanup\n          catch ptr @t\n"
        "          filter [1 x ptr] [ptr @u], !dbg !3"
    )
    assert (found.type, found.lines, found.location) == (StructType((PTR, I32)), 4, 3)


def test_an_alloca_has_a_type_and_a_count() -> None:
    assert one("%1 = alloca [3 x i8], align 1").operands == typed(I32, 1)
    found = one("%1 = alloca i8, i64 %n, align 16, addrspace(5), !dbg !3")
    assert (found.element, found.operands[0].value) == (I8, Local("n"))
    assert (found.type, found.location) == (PointerType(5), 3)


def test_atomic_and_volatile_accesses_are_flagged() -> None:
    load = one('%1 = load atomic volatile i32, ptr %p syncscope("agent") acquire, align 4')
    assert (load.atomic, load.volatile, load.type) == (True, True, I32)
    store = one("store volatile i32 1, ptr %p, align 4")
    assert (store.atomic, store.volatile) == (False, True)
    add = one("%1 = atomicrmw volatile add ptr %p, i32 1 seq_cst, align 4")
    assert (add.predicate, add.atomic, add.volatile, add.type) == ("add", True, True, I32)
    swap = one("%1 = cmpxchg weak ptr %p, i32 0, i32 1 acq_rel monotonic, align 4")
    assert swap.type == StructType((I32, I1))


def test_a_comparison_of_vectors_gives_a_vector_of_bits() -> None:
    found = one("%1 = fcmp nnan nsz olt <4 x float> %a, zeroinitializer")
    assert (found.predicate, found.type) == ("olt", VectorType(4, I1))
    assert found.operands[1].value == Zero()


def test_extractvalue_follows_its_path_through_named_types() -> None:
    found = one("%1 = extractvalue %a.b %x, 1, 2, !dbg !3", "%a.b = type { i8, [4 x double] }")
    assert (found.type, found.indices, found.location) == (DOUBLE, (1, 2), 3)


def test_a_getelementptr_by_a_vector_gives_a_vector_of_pointers() -> None:
    assert one("%1 = getelementptr i8, ptr %p, <2 x i64> %i").type == VectorType(2, PTR)


def test_va_arg_has_the_requested_type() -> None:
    assert one("%1 = va_arg ptr %p, double").type == DOUBLE


def test_a_phi_has_values_and_blocks_in_pairs() -> None:
    found = one("%1 = phi i1 [ false, %a ], [ %c, %b ], !dbg !3")
    assert [operand.value for operand in found.operands] == [
        Int(0), Label("a"), Local("c"), Label("b"),
    ]  # fmt: skip


def test_quoted_names_lose_their_quotes_and_escapes() -> None:
    found = one('%"a\\22b\\\\" = load %"class.std::x", ptr @"g h\\C3\\A9", align 4')
    assert found.result == 'a"b\\'
    assert found.type == NamedType("class.std::x")
    assert found.operands[0].value == Global("g h\u00e9")


def test_constant_expressions_nest() -> None:
    value = initial(
        "i32 trunc (i64 sub nuw (i64 ptrtoint (ptr getelementptr inbounds inrange(-8, 16) "
        "({ i8, i32 }, ptr @a, i32 0, i32 1) to i64), i64 ptrtoint (ptr blockaddress(@f, %b) "
        "to i64)) to i32)"
    )
    address = Expression(
        "getelementptr",
        (Typed(PTR, Global("a")), *typed(I32, 0, 1)),
        element=StructType((I8, I32)),
    )
    block = Expression(
        "blockaddress",
        (Typed(PTR, Global("f")), Typed(one("br label %b").operands[0].type, Label("b"))),
    )
    first, second = (
        Typed(I64, Expression("ptrtoint", (Typed(PTR, value),))) for value in (address, block)
    )
    assert value == Expression("trunc", (Typed(I64, Expression("sub", (first, second))),))


def test_aggregates_are_read_element_by_element() -> None:
    assert initial("[2 x i8] [i8 1, i8 -2]") == Elements(typed(I8, 1, -2))
    assert initial("<{ i8, [0 x i8] }> <{ i8 1, [0 x i8] zeroinitializer }>") == Elements(
        (*typed(I8, 1), Typed(ArrayType(0, I8), Zero()))
    )
    assert initial("<3 x i8> splat (i8 7)") == Elements(typed(I8, 7, 7, 7))
    assert initial('[3 x i8] c"\\00a\\FF"') == Bytes(b"\0a\xff")
    assert initial("{} {}") == Elements(())
    assert initial("ptr dso_local_equivalent @f") == Expression(
        "dso_local_equivalent", (Typed(PTR, Global("f")),)
    )
    assert initial("ptr null") == initial("[9 x i8] zeroinitializer") == Zero()
    assert initial("i8 undef") == initial("i8 poison") == Undefined()
    assert initial("float 1.000000e+00") == Float(0x3F800000)


def test_globals_with_every_decoration() -> None:
    seen = read_module(
        "$c = comdat any\n"
        "@a = private dso_local thread_local(localexec) unnamed_addr addrspace(1) constant i32 5, "
        'section "s", partition "p", comdat($c), align 4, !dbg !9, no_sanitize_address\n'
        "@b = extern_weak hidden dllimport externally_initialized global %t, align 8\n"
        "@c = weak protected alias i32, ptr getelementptr (i8, ptr @a, i64 2)\n"
        "@d = internal ifunc void (), ptr @resolver\n"
        "@llvm.global_ctors = appending global [0 x ptr] zeroinitializer\n"
    )
    a, b = seen.variables["a"], seen.variables["b"]
    assert (a.linkage, a.thread_local, a.constant, a.initial, a.debug) == (
        "private", True, True, Int(5), 9,
    )  # fmt: skip
    assert (b.linkage, b.initial, b.constant, b.line) == ("extern_weak", None, False, 2)
    assert isinstance(seen.aliases["c"].target.value, Expression)
    assert seen.declarations["d"].type == FunctionType(VOID, ())
    assert seen.constructors_line == 5


def test_a_header_with_every_decoration() -> None:
    seen = read_module(
        "declare !dbg !4 extern_weak noundef nonnull ptr @g(ptr noundef, metadata, ...) #1\n"
        "define linkonce_odr dso_local hidden fastcc noundef zeroext i1 @f(i32 %0, ptr sret(%t) "
        "align 8 %r, ptr byval([2 x i8]), ...) unnamed_addr #1 nounwind "
        'section "s" comdat($f) align 2 gc "g" prefix i32 3 prologue i8 4 personality ptr @p '
        "!dbg !5 !kcfi_type !6 {\n  ret i1 true\n}\n"
        'attributes #1 = { cold memory(argmem: read) "a"="{ b }" }\n'
    )
    function = seen.functions["f"]
    assert (function.linkage, function.dso_local, function.personality) == (
        "linkonce_odr", True, True,
    )  # fmt: skip
    assert function.attributes == {"cold", "memory(argmem: read)", "nounwind"}
    assert function.subprogram == 5
    assert [p.name for p in function.parameters] == ["0", "r", "1"]
    assert function.parameters[1].sret == NamedType("t")
    assert function.parameters[2].byval == ArrayType(2, I8)
    assert function.type.variadic
    assert [block.label for block in function.blocks] == ["2"]
    assert seen.declarations["g"].attributes == {"cold", "memory(argmem: read)"}


def test_variables_declared_by_calls_are_found() -> None:
    """Before debug records, debug information was calls; they do not count as instructions."""
    [function] = read_module(
        "define void @f() {\nentry:\n  %x = alloca i32, align 4\n"
        "  call void @llvm.dbg.declare(metadata ptr %x, metadata !5, metadata !DIExpression()), "
        "!dbg !6\n"
        "  call void @llvm.dbg.value(metadata i32 0, metadata !5, metadata !DIExpression())\n"
        "    #dbg_label(!7, !8)\n"
        "    #dbg_declare(ptr @g, !9, !DIExpression(DW_OP_plus_uconst, 8), !6)\n"
        "  ret void\n}\n"
    ).functions.values()
    assert [i.opcode for block in function.blocks for i in block.instructions] == ["alloca", "ret"]
    assert function.declares == (
        Declare(Local("x"), 5, "!DIExpression()", 3),
        Declare(Global("g"), 9, "!DIExpression(DW_OP_plus_uconst, 8)", 6),
    )


def test_metadata_is_kept_as_text_by_number() -> None:
    seen = read_module(
        '!llvm.ident = !{!0}\n!0 = !{!"x = y"}\n!12 = distinct !DILocation(line: 1)\n'
    )
    assert seen.metadata == {0: '!{!"x = y"}', 12: "distinct !DILocation(line: 1)"}


def test_the_name_of_the_source_is_unescaped() -> None:
    assert read_module('source_filename = "a\\22\\C3\\A9.c"\n').source == 'a"\u00e9.c'


@pytest.mark.parametrize(
    "text",
    [
        "frobnicate i32 %x",
        "%1 = load i32 %p",
        "%1 = add i32 %x, 1 2",
        "store i32 %x, ptr %p, align",
        "call i32 @g()",  # the number of its result is missing
        "call void @g() #77",
        "%1 = fadd x86_fp80 %a, 1.5",
        "cleanupret from %x unwind to caller",
        "br label",
    ],
)
def test_an_unreadable_instruction_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(IRError, match=re.escape(text)) as caught:
        one(text)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "text",
    [
        "nonsense",
        "@a = i32 5",
        "%t = i32",
        "define void @f() {\n  ret void",
        "define void @f() 5 {\n}",
    ],
)
def test_an_unreadable_line_of_the_module_is_refused(text: str) -> None:
    with pytest.raises(IRError):
        read_module(f"{text}\n")
