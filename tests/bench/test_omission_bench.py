"""Does the benchmark of omissions count what an answer tells?"""

from __future__ import annotations

from bench.omission.run import Row, summary


def right(name: str, *, has_dodge: bool = False, is_told: bool = False) -> Row:
    return Row(name, "1 of 1", True, True, True, has_dodge, is_told)


def test_a_dodge_counts_as_told_only_if_the_answer_tells_it() -> None:
    rows = [
        right("no dodge"),
        right("told", has_dodge=True, is_told=True),
        right("found before the dodge", has_dodge=True),
        Row("the dodge is the answer", has_dodge=True),
    ]
    assert summary(rows) == "3 of 4 right; of 3 dodges 1 told, 1 not met"
    assert [row.cells()[4] for row in rows] == ["-", "told", "not met", "NO"]


def test_without_dodges_nothing_is_said_of_them() -> None:
    assert summary([right("one"), Row("lost")]) == "1 of 2 right"
