"""Are values and addresses named as in the source?"""

from __future__ import annotations

import pytest

from tests.frontend.names.conftest import Compile, Say
from tests.frontend.names.statements import C_ROWS, CPP_ROWS, Row
from whence.frontend.c import ir
from whence.frontend.c.expression_context import unmangled_name
from whence.frontend.c.names import CNames, name_of_value


def statement_of(row: Row) -> str:
    return row[0]


@pytest.mark.parametrize("row", C_ROWS, ids=statement_of)
def test_c_statements_are_described_as_written(row: Row, describe_c: Say) -> None:
    assert describe_c(row) == row[1]


@pytest.mark.parametrize("row", CPP_ROWS, ids=statement_of)
def test_cpp_statements_are_described_as_written(row: Row, describe_cpp: Say) -> None:
    assert describe_cpp(row) == row[1]


def stores_of(names: CNames, function: str) -> list[ir.Instruction]:
    blocks = names.module.functions[function].blocks
    found = (each for block in blocks for each in block.instructions)
    return [each for each in found if each.opcode == "store" and each.location is not None]


def row_function(statement: str) -> str:
    return f"row_{[each for each, _ in C_ROWS].index(statement)}"


def test_an_index_whose_value_is_known_is_a_number(c_names: CNames) -> None:
    function = row_function("opt->name[n] = 'x';")
    (store,) = stores_of(c_names, function)
    assert c_names.target(function, store) == "opt->name[n]"
    assert c_names.target(function, store, lambda _: 7) == "opt->name[7]"
    assert c_names.target(function, store, lambda _: None) == "opt->name[n]"


def test_an_index_is_signed(c_names: CNames) -> None:
    function = row_function("c = text[n];")
    (store,) = stores_of(c_names, function)
    assert c_names.source(function, store, lambda _: (1 << 64) - 2) == "text[-2]"


def test_members_in_a_method_are_written_with_this(cpp_names: CNames) -> None:
    function = "_ZN5OwnerC2ERi"
    written = {
        f"{cpp_names.target(function, each)} = {cpp_names.source(function, each)}"
        for each in stores_of(cpp_names, function)
    }
    assert {"this->own = to", "this->inherited = 3", "this->referred = this->own"} <= written


def test_a_value_without_a_name_has_none(c_names: CNames) -> None:
    function = row_function("n = 3;")
    assert name_of_value(c_names, function, ir.Local("no such register")) is None
    assert name_of_value(c_names, function, ir.Int(3)) == "3"


def test_endless_expressions_are_cut(compile_names: Compile) -> None:
    """However deep they are, and whatever was written before."""
    choices = "".join(f"x == {i} ? {i + 1} : " for i in range(150)) + "0"
    truths = " && ".join(f"(x > {i} || y < {i})" for i in range(150))
    sums = " + ".join(f"x * {i}" for i in range(400))
    text = f"int f(int x, int y) {{ y = {choices}; y = {truths}; y = {sums}; return y; }}"
    asked, names = compile_names("deep.c", text), compile_names("deep.c", text)
    stores = stores_of(names, "f")
    found = [names.source("f", each) for each in stores]
    assert found[0].startswith("x == 0 ? 1 : x == 1 ? 2 : ")
    assert found[1].startswith("(x > 0 || y < 0) && ")
    assert all("…" in each for each in found[:3])
    assert [asked.source("f", each) for each in reversed(stores)] == found[::-1]


def test_returned_values_are_called_return_value(c_names: CNames) -> None:
    returning = c_names.module.functions["make"].blocks[-1].instructions[-1]
    assert c_names.expression("make", returning.operands[0]) == "next"


@pytest.mark.parametrize(
    ("mangled", "plain"),
    [
        ("main", "main"),
        ("_ZN2ns3Foo3barEi", "ns::Foo::bar"),
        ("_Z4free", "free"),
        ("_ZNSt3__16vectorIiNS_9allocatorIiEEE5beginEv", "std::vector::begin"),
        ("_Znwm", "operator new"),
        ("__const.main.table", "table"),
    ],
)
def test_simple_mangled_names_are_demangled(mangled: str, plain: str) -> None:
    assert unmangled_name(mangled) == plain


@pytest.mark.parametrize(
    ("variable", "path", "raw", "shown"),
    [
        ("n", "n", 0xFFFFFFFF, "-1"),
        ("u", "u", 0xFFFFFFFF, "4294967295"),
        ("c", "c", 97, "'a' (97)"),
        ("c", "c", 0xFF, "'\\xff' (-1)"),
        ("p", "p", 0, "NULL"),
        ("p", "p", 0x7FFC, "0x7ffc"),
        ("d", "d", 0x3FB999999999999A, "0.1"),
        ("g", "g", 0x3DCCCCCD, "0.1"),
        ("s", "s.color", 6, "BLUE"),
        ("s", "s.color", 7, "7"),
        ("s", "s.flag", 1, "true"),
        ("s", "s.h", 0x7F, "-1"),
        ("s", "s.f", 0x7, "7"),
    ],
)
def test_a_raw_value_is_described_by_its_type(
    c_names: CNames, variable: str, path: str, raw: int, shown: str
) -> None:
    found = next(each for each in c_names.variables_at("row_0") if each.name == variable)
    _, place = c_names.path(found.type, path)
    assert c_names.describe_value(place.type, raw, place.bits and place.bits[1]) == shown


@pytest.mark.parametrize(
    ("variable", "offset", "size", "name"),
    [
        ("table", 0, 400, "it"),
        ("table", 40, 40, "it[1]"),
        ("table", 88, 8, "it[2].next"),
        ("table", 92, 1, "it[2].next"),
        ("table", 16, 4, "it[0].at.x"),
        ("table", 20, 4, "it[0].at.y"),
        ("a", 20, 4, "it[1][1]"),
        ("a", 16, 16, "it[1]"),
        ("a", 18, 1, "it[1][0]"),
        ("n", 0, 4, "it"),
    ],
)
def test_bytes_of_an_object_have_a_name(
    c_names: CNames, variable: str, offset: int, size: int, name: str
) -> None:
    found = next(each for each in c_names.variables_at("row_0") if each.name == variable)
    assert c_names.object_name(found.type, offset, size, "it") == name
