"""Does the benchmark of tracing report what was measured?  No test here reads a clock."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from bench.trace import run, table
from bench.trace.measure import Cost, best, interleaved, times_for
from bench.trace.table import Aim, Check, Growth, Question, Row, aims, ratios

FAST = Cost(wall=0.5, user=0.4, system=0.0, peak=table.MIB)
SLOW = Cost(wall=4.0, user=2.0, system=0.8, peak=table.MIB)
ASKED = Question(seconds=1.0, peak=table.MIB, steps=1_000_000, lines=200)
ROW = Row(
    project="one", lines=10, size=3, build_plain=1, build_recorded=2, same=True, times=20,
    plain=FAST, recorded=SLOW, instructions=100, memory_events=50_000_000, events=20, log=80,
    index=400, open=3.0, open_peak=200 * table.MIB, open_again=0.1, slice=ASKED, relevant=ASKED,
    check=Check(compared=90, mismatches=0, same=True),
)  # fmt: skip


def grown(*sizes: int) -> list[Growth]:
    return [Growth(n, n / 1000, n / 100, n * 1000, n / 500, n / 900) for n in sizes]


def aim(words: str, rows: list[Row], growth: list[Growth] | None = None) -> Aim:
    (found,) = [each for each in aims(rows, growth or []) if words in each.words]
    return found


def test_all_aims_are_met_by_a_row_that_is_good_enough() -> None:
    assert all(each.met for each in aims([ROW], grown(1, 2, 4)))


@pytest.mark.parametrize(
    ("words", "worse"),
    [
        ("CPU time", {"recorded": Cost(4, 4, 1, 1)}),
        ("wall time", {"recorded": Cost(6.1, 2, 1, 1)}),
        ("bytes an executed", {"log": 101}),
        ("opening", {"open": 10.1}),
        ("opening", {"open": 3.0, "memory_events": 10_000_000}),
        ("1.5 GiB", {"open_peak": 1600 * table.MIB}),
        ("slice of an output byte under 5 s", {}),
        ("output and status", {"same": False}),
        ("checked value", {"check": Check(compared=90, mismatches=1, same=True)}),
        ("checked value", {"check": Check(compared=0, mismatches=0, same=True)}),
        ("checked value", {"check": Check(compared=90, mismatches=0, same=False)}),
    ],
)
def test_one_worse_row_is_named_and_the_aim_is_not_met(
    words: str, worse: dict[str, object]
) -> None:
    slow = Question(5.1, 1, 1, 1)
    change: Any = worse or {"slice": slow, "relevant": slow}
    other = dataclasses.replace(ROW, project="other", **change)
    for found in aims([ROW, other]):
        if words in found.words:
            assert not found.met
            assert "other" in found.seen
        elif "of an output byte" not in found.words:
            assert found.met, found


def test_growth_is_scaled_to_twice_the_size() -> None:
    assert {round(ratio, 6) for ratio, _ in ratios(grown(10, 20, 80))} == {2.0}
    assert aim("linear", [ROW], grown(1, 2)).met
    slower = [*grown(1, 2), dataclasses.replace(grown(4)[0], slice=1.0)]
    assert not aim("linear", [ROW], slower).met
    assert "slice, 2-4" in aim("linear", [ROW], slower).seen


def test_only_measured_things_have_aims() -> None:
    words = [each.words for each in aims([dataclasses.replace(ROW, check=None)], [])]
    assert not [each for each in words if "checked" in each or "linear" in each]


def test_the_best_of_several_is_the_least_of_each() -> None:
    found = best([Cost(3, 1, 1, 9), Cost(2, 2, 2, 7)])
    assert found == Cost(wall=2, user=1, system=1, peak=7)


def test_rounds_are_in_turns_and_the_runs_of_one_are_added() -> None:
    seen = []

    def measured(name: str, cost: float) -> Cost:
        seen.append(name)
        return Cost(cost, cost, 0, 1)

    first, second = interleaved(lambda: measured("a", 1), lambda: measured("b", 2), 2, 3)
    assert "".join(seen) == "aaabbb" * 2
    assert (first.wall, second.cpu) == (3, 6)


@pytest.mark.parametrize(("one", "times"), [(0.1, 3), (0.11, 3), (0.07, 5), (5.0, 1)])
def test_runs_in_a_row_take_long_enough(one: float, times: int) -> None:
    assert times_for(0.3, one) == times


@pytest.mark.parametrize("shown", [table.text_table, table.markdown_table])
def test_the_report_has_every_project_and_says_which_aims_are_met(shown: table.Table) -> None:
    far = dataclasses.replace(ROW, project="far", log=200)
    text = table.report([ROW, far], grown(1, 2), shown)
    assert "7.0x" in text
    assert "8.0x" in text
    assert "2.00 (far)" in text
    assert text.count("NOT MET") == 1


def test_the_document_is_json_with_every_row() -> None:
    document = json.loads(table.document([ROW], grown(1, 2), {"gone": "no network"}))
    assert document["rows"][0]["slowdown"] == pytest.approx(7)
    assert [each["size"] for each in document["growth"]] == [1, 2]
    assert document["unavailable"] == {"gone": "no network"}


def test_unknown_projects_are_refused() -> None:
    assert run.parse(["--only", "lz4"]).only == ["lz4"]
    with pytest.raises(SystemExit):
        run.parse(["--only", "lz5"])
