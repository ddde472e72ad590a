"""Is each statement described by the right operations and blocks?"""

from __future__ import annotations

import ast
from typing import Any

from whence.frontend.python.hook.whence_recorder.module import InstrumentedModule


def described(source: str) -> dict[str, Any]:
    """Return the description of a module."""
    module = InstrumentedModule(ast.parse(source), source.encode())
    return module.description("m", "m.py")


def ops_of(source: str, function: int = 0) -> list[str]:
    """Return the operations of a function without those of its beginning and end.

    A line is the number, "s" if it is silent, opcode, name and [uses].
    """
    found = described(source)
    ops, chosen = found["ops"], found["functions"][function]
    numbers = range(chosen["first_op"], chosen["first_op"] + chosen["n_ops"])

    def use(number: int | None) -> str:
        if number is None:
            return "-"
        return str(number - chosen["first_op"]) if number >= 0 else _constant(found, -1 - number)

    lines = []
    for k in numbers:
        opcode, name = ops["opcode"][k], ops["name"][k]
        if opcode not in ("enter", "leave", "return"):
            uses = ", ".join(map(use, ops["uses"][k]))
            silent = "" if ops["logged"][k] else "s "
            named = f" {name}" if name is not None else ""
            lines.append(f"{k - chosen['first_op']} {silent}{opcode}{named} [{uses}]")
    return lines


def _constant(found: dict[str, Any], number: int) -> str:
    constant = found["constants"][number]
    return repr(next(iter(constant.values())) if isinstance(constant, dict) else constant)


def edges(source: str, function: int = 0) -> dict[str, list[str]]:
    """Return the successors of each block; a block is named by its last operation."""
    found = described(source)
    ops, chosen = found["ops"], found["functions"][function]
    first = chosen["first_block"]
    blocks = found["blocks"][first : first + chosen["n_blocks"]]

    def name(number: int) -> str:
        if number < 0:
            return "out"
        first_op, count, _ = found["blocks"][number]
        last = first_op + count - 1
        return f"{ops['opcode'][last]} {ops['text'][last]}".strip()

    return {name(first + i): [name(to) for to in block[2]] for i, block in enumerate(blocks)}


def test_a_method_call() -> None:
    assert ops_of("a.b(1, *c, k=2)") == [
        "1 s load a []",
        "2 s method b [1]",
        "3 s load c []",
        "4 call [2, '1', 3, '2']",
    ]


def test_assignments() -> None:
    assert ops_of("x, a.b = c[0]") == [
        "1 s load c []",
        "2 item [1, '0']",
        "3 s unpack 0 [2]",
        "4 s store x [3]",
        "5 s unpack 1 [2]",
        "6 s load a []",
        "7 set_attr b [6, 5]",
    ]
    assert ops_of("x += 1") == ["1 s load x []", "2 inplace + [1, '1']", "3 s store x [2]"]
    assert ops_of("o.x += 1") == ["1 s load o []", "2 inplace += [1, '1']"]


def test_both_sides_of_a_branch_meet() -> None:
    assert edges("if a: b()\nelse: c()\nd()") == {
        "branch a": ["call b()", "call c()"],
        "call b()": ["return"],
        "call c()": ["return"],
        "return": ["out"],
        "leave if a: b()": ["out"],
    }


def test_a_loop_leads_back() -> None:
    found = edges("for x in a:\n    if x: break\n    b()\nelse: c()")
    assert found["next a"] == ["branch x", "call c()"]
    assert found["branch x"] == ["jump break", "call b()"]
    assert found["jump break"] == ["return"]
    assert found["call b()"] == ["next a"]


def test_nested_operands_lead_where_python_goes() -> None:
    found = edges("if (a and b) or c: d()")
    assert found["either a"] == ["either b", "load c"]
    assert found["either b"] == ["load c", "branch (a and b) or c"]


def test_leaving_passes_through_finally() -> None:
    found = edges("def f():\n    try:\n        return 1\n    finally:\n        g()", 1)
    assert found["return return 1"] == ["call g()"]
    assert found["call g()"] == ["return", "out"]


def test_names_are_those_of_the_variables() -> None:
    found = described(
        "class C:\n    def f(self, x):\n        self.__y = [x for x in x]\n"
        "        return lambda: x\n"
    )
    names = {
        (opcode, name, extra)
        for opcode, name, extra in zip(
            *(found["ops"][column] for column in ("opcode", "name", "extra")), strict=True
        )
        if opcode in ("load", "store", "set_attr", "param")
    }
    assert {("param", "x", 2), ("store", "x'", 2), ("load", "x'", 2), ("load", "x", 2)} <= names
    assert ("set_attr", "_C__y", None) in names
    assert [function["name"] for function in found["functions"]] == [
        "<module>", "C", "C.f", "C.f.<locals>.<lambda>",
    ]  # fmt: skip


def test_positions_are_of_the_source() -> None:
    found = described("x = (1 +\n     y)\n\ndef f(a,\n      b):\n    return a\n")
    ops = found["ops"]
    at = ops["opcode"].index("binary")
    assert (ops["row"][at], ops["end"][at], ops["text"][at]) == (1, 2, "1 + y")
    at = ops["opcode"].index("def")
    assert (ops["row"][at], ops["text"][at]) == (4, "def f(a,")
    at = ops["opcode"].index("param")
    assert (ops["row"][at], ops["text"][at]) == (4, None)
