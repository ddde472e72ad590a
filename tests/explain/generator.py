"""Which random pairs of programs have one line that is known to be at fault?

`pairs()` draws a pair in the notation of `explaining`: programs without input that compute with
unsigned numbers and print their results.  One line is changed so that it can compute something
else, or is removed.  Some other lines are rewritten with the same meaning: `a + b` became `b + a`.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

_VARIABLES = ("a", "b", "c", "d")
_GLOBALS = ("total", "count")
_OPERATORS = ("+", "*", "^", "|", "&")
_INDENT = "    "


@dataclass(frozen=True)
class Line:
    """A statement with other texts of the same and of another meaning."""

    text: str
    same: str = ""
    other: tuple[str, ...] = ()  # "": the line is removed
    depth: int = 1


def _operand(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    return draw(st.sampled_from(names) | st.integers(1, 9).map(str))


def _assignment(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> Line:
    target = draw(st.sampled_from(names))
    left, right = _operand(draw, names), _operand(draw, names)
    op = draw(st.sampled_from(_OPERATORS))
    other = draw(st.sampled_from([one for one in _OPERATORS if one != op]))
    return Line(
        f"{target} = {left} {op} {right};",
        f"{target} = {right} {op} {left};",
        (f"{target} = {left} {other} {right};", f"{target} = {left} {op} {right} + 1;", ""),
        depth,
    )


def _store(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> Line:
    index, value = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    return Line(
        f"cells[{index} & 3] += {value};",
        f"cells[3 & {index}] += {value};",
        (f"cells[{index} & 1] += {value};", f"cells[{index} & 3] -= {value};", ""),
        depth,
    )


def _load(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> Line:
    index, target = draw(st.sampled_from(names)), draw(st.sampled_from(names))
    return Line(
        f"{target} = cells[{index} & 3];",
        f"{target} = cells[3 & {index}];",
        (f"{target} = cells[{index} & 2];", ""),
        depth,
    )


def _block(draw: st.DrawFn, names: tuple[str, ...], depth: int, calls: int) -> list[Line]:
    lines: list[Line] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["set", "set", "store", "load", "if", "for", "call"]))
        if kind in ("if", "for") and depth < 3:
            lines += _nested(draw, names, depth, calls, kind)
        elif kind == "call" and calls:
            callee = draw(st.integers(0, calls - 1))
            target, value = draw(st.sampled_from(names)), draw(st.sampled_from(names))
            call = f"{target} = work_{callee}({value}"
            lines.append(Line(f"{call});", other=(f"{call} + 1);", ""), depth=depth))
        elif kind == "store":
            lines.append(_store(draw, names, depth))
        elif kind == "load":
            lines.append(_load(draw, names, depth))
        else:
            lines.append(_assignment(draw, names, depth))
    return lines


def _nested(
    draw: st.DrawFn, names: tuple[str, ...], depth: int, calls: int, kind: str
) -> list[Line]:
    inside = _block(draw, names, depth + 1, calls)
    if kind == "if":
        name, bound = draw(st.sampled_from(names)), draw(st.integers(1, 6))
        head = Line(
            f"if ({name} % 7 > {bound}) {{",
            f"if ({bound} < {name} % 7) {{",
            (f"if ({name} % 7 <= {bound}) {{", f"if ({name} % 5 > {bound}) {{"),
            depth,
        )
    else:
        iterations = draw(st.integers(1, 3))
        name = f"i{depth}"
        head = Line(
            f"for (unsigned {name} = 0; {name} < {iterations}; {name}++) {{",
            f"for (unsigned {name} = 0; {iterations} > {name}; {name}++) {{",
            (f"for (unsigned {name} = 0; {name} <= {iterations}; {name}++) {{",),
            depth,
        )
    return [head, *inside, Line("}", depth=depth)]


@st.composite
def pairs(draw: st.DrawFn) -> str:
    """Draw a pair in which only the line `[fault]` may change the output."""
    names = (*_VARIABLES, *_GLOBALS)
    lines = [
        Line("#include <stdio.h>", depth=0),
        Line("static unsigned total = 3, count, cells[4] = {5, 6, 7, 8};", depth=0),
    ]
    functions = draw(st.integers(0, 2))
    for number in range(functions):
        lines.append(Line(f"static unsigned work_{number}(unsigned a) {{", depth=0))
        lines.append(Line("unsigned b = 2, c = 4, d = 1;"))
        lines += _block(draw, names, 1, number)
        lines.append(Line("return a + b + total;", "return b + a + total;", ("return a + b;",)))
        lines.append(Line("}", depth=0))
    lines.append(Line("int main(void) {", depth=0))
    lines.append(Line("unsigned a = 1, b = 2, c = 3, d = 4;"))
    lines += _block(draw, names, 1, functions)
    lines += _block(draw, names, 1, functions)
    lines.append(Line('printf("%u %u %u %u\\n", a, b, c, d);'))
    lines.append(Line('printf("%u %u %u\\n", total, count, cells[0] + cells[1] * 3);'))
    lines += [Line("return 0;"), Line("}", depth=0)]
    fault = draw(st.sampled_from([n for n, line in enumerate(lines) if line.other]))
    reworded = draw(
        st.sets(st.sampled_from([n for n, line in enumerate(lines) if line.same]), max_size=4)
    )
    return "\n".join(_written(draw, lines, fault, reworded))


def _written(draw: st.DrawFn, lines: list[Line], fault: int, reworded: set[int]) -> list[str]:
    found: list[str] = []
    for number, line in enumerate(lines):
        indent = _INDENT * line.depth
        if number == fault:
            other = draw(st.sampled_from(line.other))
            found.append(f"-{indent}{line.text}  // [fault]")
            found += [f"+{indent}{other}  // [fault]"] if other else []
        elif number in reworded:
            found += [f"-{indent}{line.text}", f"+{indent}{line.same}"]
        else:
            found.append(f" {indent}{line.text}")
    return found
