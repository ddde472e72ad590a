"""Is the way from the root to the failure shown as far as it is known, with its gap marked?"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.explain.explaining import GCC, PYTHON, ExplainedPair, explain, explain_python
from whence.explain.candidates import CandidateChanges
from whence.explain.context import ExplainContext
from whence.explain.loop import find_root
from whence.model import LinkKind
from whence.report.dot import explain_dot
from whence.report.explain_html import explain_page
from whence.report.explanation import GAP, explain_document
from whence.report.sarif import explain_sarif
from whence.report.story import explain_text
from whence.search.isolate import Answer, IsolateProblem

C_DATA = """
     #include <assert.h>
     #include <stdio.h>
     int main(void) {
         int limit = 0;
         FILE *f = fopen("limits.txt", "r");
         if (!f || fscanf(f, "%d", &limit) != 1)
             return 2;
         int twice = 2 * limit;
         assert(twice == 8);  // [fails]
         return 0;
     }
    == limits.txt
    -4
    +5
"""
CPP_FLAG = """
     #include <cassert>
     #ifndef WIDTH
     #define WIDTH 4
     #endif
     static int area(int height) { return WIDTH * height; }
     int main() {
         int found = area(3);
         assert(found == 12);  // [fails]
         return 0;
     }
    == flags
    --DWIDTH=4
    +-DWIDTH=5
"""
PYTHON_DATA = """
     from pathlib import Path
     limit = int(Path(__file__).with_name("limits.txt").read_text())
     twice = 2 * limit
     assert twice == 8, twice  # [fails]
    == limits.txt
    -4
    +5
"""
CASES = {
    "c": (C_DATA, "program.c", GCC, "./program"),
    "c++": (CPP_FLAG, "program.cpp", "$CXX -g $(cat flags) -o program program.cpp", "./program"),
    "python": (PYTHON_DATA, "program.py", None, PYTHON),
}


C_FILE = """
     #include <assert.h>
     #include <stdio.h>
     static int width(void) {
    -    return 4;
    +    return 5;
     }
     int main(void) {
         int read = 0, wide = width();
         FILE *f = fopen("SCRATCH", "w");
         fprintf(f, "%d", wide);
         fclose(f);
         f = fopen("SCRATCH", "r");
         if (fscanf(f, "%d", &read) != 1)
             return 2;
         assert(read == 4);  // [fails]
         return 0;
     }
"""
PYTHON_FILE = """
     import os
     def width():
    -    return 4
    +    return 5
     file = os.open("SCRATCH", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
     wide = width()
     os.write(file, b"%d" % wide)
     found = int(os.pread(file, 9, 0))
     assert found == 4, found  # [fails]
"""


@pytest.mark.parametrize("language", ["c", "python"])
def test_what_ran_and_differs_after_the_root_comes_before_the_gap(
    tmp_path: Path, language: str
) -> None:
    """The value goes through a file, which no cause follows."""
    _, file, build, test = CASES[language]
    text = C_FILE if language == "c" else PYTHON_FILE
    answer = explain(tmp_path, text, test, build=build, file=file, harmless=False)
    places = [link.text.strip() for link in answer.chain]
    gap = next(k for k, link in enumerate(answer.chain) if link.gap)
    assert places[0].startswith("return 5")
    assert "wide" in "".join(places[1:gap])
    assert all("not followed" in link.says for link in answer.chain[1:gap])
    assert answer.chain[-1].step is LinkKind.FAILURE


def explained(folder: Path, language: str) -> ExplainedPair:
    text, file, build, test = CASES[language]
    return explain(folder, text, test, build=build, file=file, harmless=False)


@pytest.mark.parametrize("language", CASES)
def test_a_root_that_no_cause_meets_begins_a_chain_with_a_gap(
    tmp_path: Path, language: str
) -> None:
    answer = explained(tmp_path, language)
    assert answer.result.status == "isolated"
    assert answer.result.reason is not None
    assert answer.result.reason.startswith("the chain has a gap: how ")
    (root,) = answer.result.root
    first, *_, last = answer.chain
    assert (first.step, first.file, first.changes) == (LinkKind.CHANGE, root.file, root.ids)
    assert last.step is LinkKind.FAILURE
    assert [link.gap for link in answer.chain].count(True) == 1
    assert not first.gap


def test_every_report_shows_the_gap(tmp_path: Path) -> None:
    explanation = explained(tmp_path, "c").explanation
    links = explain_document(explanation)["chain"]
    assert [link["gap"] for link in links].count(True) == 1
    assert GAP in explain_text(explanation, width=100).plain
    assert f'<p class="gap">⋮ {GAP}</p>' in explain_page(explanation)
    assert "How the step before led here was not followed." in json.dumps(
        explain_sarif(explanation)
    )
    assert 'label="not followed"' in explain_dot(explanation)


TWO_CHANGES = """
    -idle = 2  # [idle]
    +idle = 3  # [idle]
     class Order:
         def __init__(self, cents):
    -        self.cents = cents  # [fault]
    +        self.amount = cents  # [fault]
     order = Order(5)
     assert order.cents == 5  # [fails]
"""


def test_an_auxiliary_change_from_which_a_chain_leads_becomes_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search may take for the root what only brings the failure back in entangled code."""

    def entangled(
        context: ExplainContext,
        candidates: CandidateChanges,
        problem: IsolateProblem,
        pause: int | None = None,
    ) -> Answer:
        found = find_root(context, candidates, problem, pause)
        idle = context.changes.everything - found.reverted
        return replace(found, root=(idle,), auxiliary=found.root, needs_all=False)

    monkeypatch.setattr("whence.explain.session.find_root", entangled)
    answer = explain_python(tmp_path, TWO_CHANGES, harmless=False)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
