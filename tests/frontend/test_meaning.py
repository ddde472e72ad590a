"""Instructions have the meaning that LLVM gives them."""

from __future__ import annotations

import pytest

from whence.frontend.c.ir import Float, FloatType, Instruction, Int, IntType, Typed, Zero
from whence.frontend.c.meaning import Meaning, Meanings
from whence.frontend.c.reader import read_module
from whence.program.operations import COp, Operation

MODULE = """
target datalayout = "e-m:e-p270:32:32-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "{triple}"
%pair = type {{ i8, i32 }}
@global = global i32 0
define void @f(i32 %i, i64 %l, ptr %p, double %d, float %g, bfloat %b, i1 %c, <2 x i32> %v) {{
{text}
  ret void
}}
{attributes}
"""


def first(text: str, triple: str = "x86_64-linux", attributes: str = "") -> Meaning | None:
    """Return the meaning of the first instruction of a text."""
    lines = [line if line.endswith(":") else "  " + line for line in text.splitlines()]
    body = "\n".join(lines)
    module = read_module(MODULE.format(text=body, triple=triple, attributes=attributes))
    instructions = module.functions["f"].blocks[0].instructions
    by_name: dict[str, Instruction] = {i.result: i for i in instructions if i.result}
    tested = next((i for i in instructions if i.opcode == "extractvalue"), instructions[0])
    return Meanings(module).of(tested, by_name.get)


def operation(text: str, triple: str = "x86_64-linux", attributes: str = "") -> Operation:
    meaning = first(text, triple, attributes)
    assert meaning is not None
    assert len(meaning.operands) == len(meaning.operation.widths)
    return meaning.operation


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%x = add nsw i32 %i, 1", Operation(COp.ADD, 32, (32, 32))),
        ("%x = icmp sle i64 %l, 0", Operation(COp.SLE, 1, (64, 64))),
        ("%x = icmp eq ptr %p, null", Operation(COp.EQ, 1, (64, 64))),
        ("%x = fcmp une double %d, 0.0", Operation(COp.FCMP, 1, (64, 64), (14,))),
        ("%x = ptrtoint ptr %p to i32", Operation(COp.TRUNC, 32, (64,))),
        ("%x = inttoptr i32 %i to ptr", Operation(COp.ZEXT, 64, (32,))),
        ("%x = bitcast double %d to i64", Operation(COp.COPY, 64, (64,))),
        ("%x = sext i32 %i to i128", Operation(COp.SEXT, 128, (32,))),
        ("%x = fptrunc double %d to float", Operation(COp.FPTRUNC, 32, (64,))),
        ("%x = select i1 %c, float %g, float 1.0", Operation(COp.SELECT, 32, (1, 32, 32))),
        ("store i32 %i, ptr %p", Operation(COp.COPY, 32, (32,))),
        ("%x = call i32 @llvm.abs.i32(i32 %i, i1 true)", Operation(COp.ABS, 32, (32,))),
        ("%x = call i32 @llvm.ctlz.i32(i32 %i, i1 true)", Operation(COp.CTLZ, 32, (32,), (1,))),
        ("%x = call i1 @llvm.is.fpclass.f64(double %d, i32 3)",
         Operation(COp.FPCLASS, 1, (64,), (3,))),
        ("%x = call float @sqrtf(float %g)", Operation(COp.SQRT, 32, (32,))),
        ("%x = call double @llvm.exp.f64(double %d)", Operation(COp.OPAQUE, 64, (64,))),
        ("%x = fadd bfloat %b, %b", Operation(COp.OPAQUE, 16, (16, 16))),
    ],
)  # fmt: skip
def test_instructions_are_operations(text: str, expected: Operation) -> None:
    assert operation(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "%x = load i32, ptr %p",
        "%x = call i32 @unknown(i32 %i)",
        "%x = call i32 @round(i32 %i)",  # not the C library's: it takes an int
        "%x = add <2 x i32> %v, %v",
        "%x = freeze i32 poison",
        "%x = alloca i32",
    ],
)
def test_loads_calls_and_vectors_have_no_meaning(text: str) -> None:
    assert first(text) is None


def test_the_constant_parts_of_an_address_are_added_up() -> None:
    found = first(
        "%x = getelementptr [4 x %pair], ptr %p, i64 1, i32 %i, i32 1"  # 32 bytes, and 4
    )
    assert found is not None
    assert found.operation == Operation(COp.ADDRESS, 64, (64, 32), (8, 36))
    back = operation("%x = getelementptr %pair, ptr %p, i64 -1")
    assert back == Operation(COp.ADDRESS, 64, (64,), (-8,))


def test_branches_mean_their_condition() -> None:
    one = "br i1 %c, label %yes, label %yes\nyes:"
    assert operation(one) == Operation(COp.COPY, 1, (1,))
    cases = "switch i32 %i, label %yes [\n  i32 7, label %yes\n  i32 -1, label %yes\n]\nyes:"
    assert operation(cases) == Operation(COp.SWITCH, 32, (32,), (7, 2**32 - 1))
    assert first("br label %yes\nyes:") is None


def test_both_parts_of_a_checked_sum_are_known() -> None:
    text = (
        "%s = call { i32, i1 } @llvm.usub.with.overflow.i32(i32 %i, i32 5)\n"
        "%x = extractvalue { i32, i1 } %s, "
    )
    assert operation(text + "0") == Operation(COp.SUB, 32, (32, 32))
    assert operation(text + "1") == Operation(COp.OVERFLOW, 1, (32, 32), (3,))


FUSED = 'attributes #0 = { nounwind "target-features"="+fma,+sse2" }'
PLAIN = 'attributes #0 = { nounwind "target-features"="+sse2,-fma4" }'


@pytest.mark.parametrize(
    ("stem", "triple", "attributes", "expected"),
    [
        ("fmuladd", "x86_64-linux", PLAIN, COp.FMULADD),
        ("fmuladd", "x86_64-linux", FUSED, COp.FMA),
        ("fmuladd", "x86_64-linux", FUSED + "\n" + PLAIN.replace("#0", "#1"), COp.OPAQUE),
        ("fmuladd", "aarch64-linux", "", COp.FMA),
        ("fma", "x86_64-linux", FUSED, COp.FMA),
        ("fma", "x86_64-linux", PLAIN, COp.OPAQUE),  # a library function, which may round wrongly
    ],
)
def test_a_product_and_sum_is_fused_where_the_machine_does_it(
    stem: str, triple: str, attributes: str, expected: COp
) -> None:
    call = f"%x = call double @llvm.{stem}.f64(double %d, double %d, double %d)"
    assert operation(call, triple, attributes).op is expected


def test_constants_are_their_bits() -> None:
    body = "  fence seq_cst"
    meanings = Meanings(read_module(MODULE.format(text=body, triple="x86_64-linux", attributes="")))
    assert meanings.constant(Typed(IntType(8), Int(-1))) == 255
    assert meanings.constant(Typed(FloatType("float"), Float(0x3F800000))) == 0x3F800000
    assert meanings.constant(Typed(IntType(128), Zero())) == 0
    found = first("store ptr @global, ptr %p")
    assert found is not None
    assert meanings.constant(found.operands[0]) is None
