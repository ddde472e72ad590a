"""Are the changes tried first in functions that got the same and gave something else?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.explain.explaining import explain, explain_python
from whence.causes.comparison import Comparison
from whence.causes.differing_calls import DifferingFunction, differing_functions
from whence.explain import beginnings
from whence.search.session import Watcher

RATES = """
     def rate_on(day, rates):
         found = None
         for since, value in rates:
    -        if since > day:  # [fault]
    +        if since >= day:  # [fault]
                 break
             found = value
         return found
    -def total(items, rates):
    -    found = 0
    -    for day, amount in items:
    -        found += amount * rate_on(day, rates)
    -    return found
    +def amounts(items, rates):
    +    yield from (amount * rate_on(day, rates) for day, amount in items)
    +def total(items, rates):
    +    return sum(amounts(items, rates))
     RATES = [(0, 2), (10, 3), (20, 4)]
     assert total([(5, 100), (10, 100), (21, 100)], RATES) == 900  # [fails]
"""
LEAP = """
     #include <assert.h>
     static int days_of(int month, int year) {
         if (month == 2)
    -        return year % 4 == 0 && (year % 100 || year % 400 == 0) ? 29 : 28;  // [fault]
    +        return year % 4 == 0 && year % 100 ? 29 : 28;  // [fault]
         return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
     }
    -static int day_of_year(int day, int month, int year) {
    -    for (int m = 1; m < month; m++)
    -        day += days_of(m, year);
    -    return day;
    -}
    +static int days_before(int month, int year) {
    +    return month <= 1 ? 0 : days_before(month - 1, year) + days_of(month - 1, year);
    +}
    +static int day_of_year(int day, int month, int year) { return days_before(month, year) + day; }
     int main(void) {
         assert(day_of_year(1, 3, 2000) == 61);  // [fails]
         return 0;
     }
"""
NESTED = """
     def half(number):
    -    return number // 2  # [fault]
    +    return number / 2  # [fault]
     def text_of(number):
    -    return "is " + str(half(number))
    +    return f"is {half(number)}"
     assert text_of(7) == "is 3"  # [fails]
"""
UNKNOWN = """
     class Box:
         def __init__(self, size):
    -        self.size = size  # [fault]
    +        self.size = size + 1  # [fault]
     def shown(box):
    -    return "size " + str(vars(box)["size"])
    +    return f"size {vars(box)['size']}"
     assert shown(Box(3)) == "size 3"  # [fails]
"""
OTHER_STATE = """
     class Box:
         def __init__(self, size):
    -        self.size = size  # [fault]
    +        self.size = size + 1  # [fault]
         def shown(self, unit):
    -        return str(self.size) + " " + unit
    +        return f"{self.size} {unit}"
     class Frame(Box):
         pass
     assert Box(1).shown("cm") and Frame(3).shown("cm") == "3 cm"  # [fails]
"""


class Phases(Watcher):
    """Keeps what is reported as begun."""

    def __init__(self) -> None:
        self.begun: list[str] = []

    def phase(self, text: str) -> None:
        self.begun.append(text)

    @property
    def tried(self) -> list[str]:
        return [text for text in self.begun if text.startswith("trying the")]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions in which the runs part, once a pair was explained."""
    found: list[str] = []

    def differing(
        comparison: Comparison, pairs: Mapping[int, int]
    ) -> tuple[DifferingFunction, ...]:
        functions = differing_functions(comparison, pairs)
        known = comparison.failing.thread.image.function_names
        found.extend(known[function.bad] for function in functions)
        return functions

    monkeypatch.setattr(beginnings, "differing_functions", differing)
    return found


def test_a_python_function_below_rewritten_callers_is_tried_first(
    tmp_path: Path, names: list[str]
) -> None:
    phases = Phases()
    answer = explain_python(tmp_path, RATES, watcher=phases)
    assert names == ["rate_on"]
    assert answer.root == {"fault"}
    assert phases.tried == ["trying the changes where the runs part: 1"]


def test_a_c_function_below_rewritten_callers_is_tried_first(
    tmp_path: Path, names: list[str]
) -> None:
    phases = Phases()
    answer = explain(tmp_path, LEAP, watcher=phases)
    assert names == ["days_of"]
    assert answer.root == {"fault"}
    assert phases.tried == ["trying the changes where the runs part: 1"]


def test_of_nested_calls_the_innermost_counts(tmp_path: Path, names: list[str]) -> None:
    explain_python(tmp_path, NESTED)
    assert names == ["half"]


def test_a_function_that_got_an_object_of_another_content_is_not_named(
    tmp_path: Path, names: list[str]
) -> None:
    answer = explain_python(tmp_path, OTHER_STATE)
    assert names == []
    assert answer.root == {"fault"}


def test_what_a_function_got_in_an_unknown_way_leads_to_no_wrong_root(tmp_path: Path) -> None:
    """`vars` reads the object, so whence does not see that it is another one."""
    assert explain_python(tmp_path, UNKNOWN).root == {"fault"}
