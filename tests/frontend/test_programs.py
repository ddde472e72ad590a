"""Our test programs end as declared, and together they cover everything that clang emits at -O0."""

from __future__ import annotations

import platform
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, settings

from tests.frontend import corpus
from tests.frontend.corpus import PLAIN, ZIG, Compiler, Program, check_same, words
from tests.frontend.generator import programs

INTEGER_WIDTHS = (5, 7, 8, 13, 16, 24, 32, 33, 48, 63, 64, 65, 100, 128)
INSTRUCTIONS = words("""
    ret br switch indirectbr invoke callbr resume unreachable fneg fadd fsub fmul fdiv frem
    extractelement insertelement shufflevector extractvalue insertvalue alloca load store fence
    cmpxchg atomicrmw getelementptr trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp
    ptrtoint inttoptr bitcast icmp fcmp phi select freeze call landingpad""")
INTRINSICS = words("""
    abs assume bitreverse bswap canonicalize ceil clear_cache copysign ctlz ctpop cttz
    eh.typeid.for fabs floor fma fmuladd frameaddress fshl fshr get.rounding is.constant is.fpclass
    maxnum memcpy memcpy.inline memmove memset memset.inline minnum nearbyint objectsize powi
    prefetch ptrmask readcyclecounter returnaddress rint round sadd.sat sadd.with.overflow smax smin
    smul.with.overflow sqrt ssub.sat ssub.with.overflow stackrestore stacksave threadlocal.address
    trap trunc uadd.sat uadd.with.overflow umax umin umul.with.overflow usub.sat usub.with.overflow
    va_copy va_end va_start var.annotation vector.reduce.add vector.reduce.and vector.reduce.or
    vector.reduce.smax vector.reduce.smin vector.reduce.xor vector.reduce.umax vector.reduce.mul
    sin cos exp log pow lround llrint roundeven experimental.constrained.fdiv
    experimental.constrained.fcmp experimental.constrained.fptosi""")
EXPECTED = {
    *INSTRUCTIONS,
    *(f"@{name}" for name in INTRINSICS),
    *(f"{op} i{bits}" for op in sorted(corpus.ARITHMETIC) for bits in INTEGER_WIDTHS),
    *(f"icmp {predicate}" for predicate in words("eq ne ugt uge ult ule sgt sge slt sle")),
    *(f"fcmp {predicate}" for predicate in words("oeq ogt oge olt ole one uno une")),
    *(
        f"atomicrmw {op}"
        for op in words("xchg add sub and nand or xor max min umax umin fadd fsub")
    ),
    *("load atomic", "store atomic", "load volatile", "store volatile", "cmpxchg weak"),
    "musttail call",
}


@pytest.fixture(scope="module")
def covered() -> set[str]:
    with ThreadPoolExecutor() as pool:
        found = pool.map(lambda program: corpus.kinds(corpus.ir(program)), corpus.programs())
    return set().union(*found)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other machines lack some of the kinds")
def test_the_programs_cover_every_instruction_and_intrinsic(covered: set[str]) -> None:
    assert sorted(EXPECTED - covered) == []


def test_programs_begin_with_a_comment() -> None:
    for program in corpus.programs():
        assert program.source.read_text().startswith("// "), program.source


def test_a_program_is_described_by_the_comments_at_its_top(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text(
        "// What it is.\n// flags: -lm\n// args: -v 'two words'\n// stdin: a\\n\\xff\n"
        "// env: A=b=c\n// signal: SIGABRT\nint x; // exit: 4\n"
    )
    assert corpus.program(source) == Program(
        source, ("-lm",), ("-v", "two words"), b"a\n\xff", {"A": "b=c"}, -6
    )


def misbehaving(flag: str) -> Compiler:
    return replace(PLAIN, cc=(*PLAIN.cc, flag))


@pytest.mark.parametrize(
    "flag", ["-DSTATUS=1", '-DTEXT="x"', '-DERROR="x"', '-DNAME="x"', '-DCONTENTS="x"']
)
def test_each_kind_of_difference_is_noticed(flag: str, tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text("""
        #include <stdio.h>
        #ifndef STATUS
        #define STATUS 0
        #endif
        #ifndef TEXT
        #define TEXT ""
        #endif
        #ifndef ERROR
        #define ERROR ""
        #endif
        #ifndef NAME
        #define NAME "left"
        #endif
        #ifndef CONTENTS
        #define CONTENTS ""
        #endif
        int main(void) {
            fputs(TEXT, stdout), fputs(ERROR, stderr);
            fputs(CONTENTS, fopen(NAME, "w"));
            return STATUS;
        }
    """)
    with pytest.raises(AssertionError, match="behaves differently"):
        check_same(Program(source), misbehaving(flag), tmp_path / "runs")


def test_a_program_that_does_not_end_as_declared_is_noticed(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text("int main(void) { return 4; }")
    with pytest.raises(AssertionError, match="ended differently"):
        check_same(Program(source), PLAIN, tmp_path / "runs")


def test_compiler_errors_are_shown(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text("int main(void) { return undeclared; }")
    with pytest.raises(AssertionError, match="undeclared"):
        corpus.build(Program(source), PLAIN, tmp_path)


# Ends a program at its first undefined behaviour.
TRAPPING = Compiler(
    (*ZIG, "cc", "-fsanitize=undefined", "-fsanitize-trap=undefined"),
    (*ZIG, "c++", "-fsanitize=undefined", "-fsanitize-trap=undefined"),
)


@settings(max_examples=15, deadline=None, derandomize=True, phases=[Phase.generate])
@given(text=programs())
def test_generated_programs_have_no_undefined_behaviour(text: str) -> None:
    with TemporaryDirectory() as folder:
        source = Path(folder, "generated.c")
        source.write_text(text)
        check_same(Program(source), TRAPPING, Path(folder, "runs"))


def test_undefined_behaviour_would_be_noticed(tmp_path: Path) -> None:
    source = tmp_path / "x.c"
    source.write_text("int main(int n, char **a) { return ((n + 2147483647) >> 31) & 0; }")
    with pytest.raises(AssertionError, match="behaves differently"):
        check_same(Program(source), TRAPPING, tmp_path / "runs")


def test_generated_programs_use_the_language() -> None:
    texts = []

    @settings(max_examples=100, deadline=None, derandomize=True, phases=[Phase.generate])
    @given(text=programs())
    def collect(text: str) -> None:
        texts.append(text.partition("show(void)")[2])

    collect()
    wanted = (
        *("goto ", "switch (", "default:", "continue;", "break;", "do {", "while (", " ? ", "&&"),
        *("memcpy(", "memmove(", "memset(", "++;", "(*p", "struct s0 v", "struct s0 *", "double"),
        *(" : 3;", "below", "(*[])", " = &", "++)", "tame(", "_i64(", "_i32(", "] = ", ", (i32)"),
    )
    assert [feature for feature in wanted if not any(feature in text for text in texts)] == []
