"""Cause trees for the reports under test: of a triangle program, and of any size."""

from __future__ import annotations

from pathlib import Path

from whence.model import Cause, Failure, Influence, Mark, Predicate, Statement, WhyResult

FILE = "shape.c"
SOURCE = tuple(Path(__file__).with_name(FILE).read_text("utf-8").splitlines())


def statement(line: int, function: str = "area", **values: str) -> Statement:
    return Statement(FILE, line, function, SOURCE[line - 1].strip(), values)


def predicate(line: int, text: str, outcome: str, **values: str) -> Predicate:
    return Predicate(FILE, line, "main" if line > 31 else "area", text, outcome, values)


_SIDES = statement(34, "main", a="6", b="5", c="4")

CAUSES = (
    Cause(
        id=0,
        key="failure",
        parent=None,
        level=0,
        influence=Influence.FAILURE,
        predicate=predicate(
            36, "found == atol(argv[4])", "false", **{"found": "1600", "atol(argv[4])": "1575"}
        ),
        because="`found` was 1600 because line 20 computed `4 * b * b * c * c` with b=5, c=4",
        statements=(
            _SIDES,
            statement(20, b="5", c="4", found="1600"),
            statement(29, found="1600"),
            statement(35, "main", found="1600"),
            statement(36, "main", found="1600"),
        ),
        instances=23,
        children=(1, 2),
    ),
    Cause(
        id=1,
        key="switch 18",
        parent=0,
        level=1,
        influence=Influence.DIRECT,
        predicate=predicate(18, "kind", "RIGHT", kind="RIGHT"),
        because="`kind` was RIGHT because line 15 set it",
        statements=(statement(15, kind="RIGHT"), statement(18, kind="RIGHT")),
        instances=3,
        children=(3, 4),
    ),
    Cause(
        id=2,
        key="if 10",
        parent=0,
        level=1,
        influence=Influence.DIRECT,
        predicate=predicate(10, "a >= b && b >= c", "true", a="6", b="5", c="4"),
        because="`a >= b` held with a=6, b=5, and `b >= c` with b=5, c=4",
        statements=(_SIDES, statement(10, a="6", b="5", c="4")),
        instances=11,
        children=(),
    ),
    Cause(
        id=3,
        key="if 14",
        parent=1,
        level=2,
        influence=Influence.DIRECT,
        predicate=predicate(14, "a * a != b * b + c * c", "true", a="6", b="5", c="4"),
        because="`a * a != b * b + c * c` held with a=6, b=5, c=4: 36 is not 41",
        statements=(_SIDES, statement(14, a="6", b="5", c="4")),
        instances=14,
    ),
    Cause(
        id=4,
        key="if 16",
        parent=1,
        level=2,
        influence=Influence.INDIRECT,
        predicate=predicate(16, "a == b", "false", a="6", b="5"),
        because="`a == b` did not hold with a=6, b=5",
        statements=(_SIDES, statement(16, a="6", b="5")),
        instances=8,
        also=(0,),
        children=(),
    ),
)


def triangle(**marks: Mark) -> WhyResult:
    """Return the tree of a program that mistakes a triangle for a right one (`!=` in line 14).

    Marks are given by number: `triangle(c2=Mark.BENIGN)`.
    """
    return WhyResult(
        status="explained",
        reason=None,
        failure=Failure(
            "assert", "Assertion `found == atol(argv[4])' failed.", "assert main found", FILE, 36
        ),
        point="the failed assertion at shape.c:36",
        causes=CAUSES,
        marks={int(name[1:]): mark for name, mark in marks.items()},
        sources={FILE: SOURCE},
        of_steps=87,
        of_lines=15,
        solver_calls=5,
        events=41,
        seconds={"trace": 0.42, "semantics": 0.03, "total": 0.45},
        notes=("line 16 is one condition for C and two branches for the machine",),
    )


def large(causes: int, statements: int = 3, *, width: int = 3) -> WhyResult:
    """Return a tree in which each cause has `width` causes below it; 1 makes a path."""
    lines = tuple(f"    x{n} = f(x{n - 1}, {n});" for n in range(2000))
    levels = [0]
    for number in range(1, causes):
        levels.append(levels[(number - 1) // width] + 1)
    return WhyResult(
        status="explained",
        reason=None,
        failure=Failure("abort", "Aborted", "abort", "large.c", 1999),
        point="the abort at large.c:1999",
        causes=tuple(
            Cause(
                id=number,
                key=f"cause {number}",
                parent=(number - 1) // width if number else None,
                level=level,
                influence=Influence.DIRECT if number else Influence.FAILURE,
                predicate=Predicate("large.c", 1 + number % 2000, "f", f"x{number} > 0", "true"),
                because=f"`x{number}` was {number}",
                statements=tuple(
                    Statement("large.c", line, "f", lines[line - 1].strip(), {"x": str(number)})
                    for line in (1 + (number * 7 + step * 13) % 2000 for step in range(statements))
                ),
                instances=statements * 4,
                children=tuple(range(causes)[number * width + 1 : number * width + width + 1]),
            )
            for number, level in enumerate(levels)
        ),
        marks={},
        sources={"large.c": lines},
        of_steps=1_000_000,
        of_lines=2000,
        solver_calls=causes,
        events=500_000,
        seconds={"total": 1.0},
    )
