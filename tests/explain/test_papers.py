"""Are programs like those in AFTER's figures explained as in the paper?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import ExplainedPair, explain
from whence.search.session import IsolateRequest, Watcher, run_request

# Fig. 6: four changes on separate lines; the second and the third cause the failure.
FARE = """
     #include <assert.h>
     #include <stdlib.h>
    -int reduced = 1;  // [c1]
    +int reduced = 0;  // [c1]
     int fare(int adult, int child, int extra) {
         int price = 0;
         if (!reduced)
    -        if (adult > child)  // [c2]
    +        if (adult < child)  // [c2]
                 price += adult;
             else
                 price += child;  // [child]
         else
             price += adult;
         if (extra > 0)
    -        price += extra;  // [c3]
    +        price -= extra;  // [c3]
         else
    -        price += -extra;  // [c4]
    +        price = price + extra;  // [c4]
         return price;
     }
     int main(int argc, char **argv) {
         int price = fare(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
         assert(price == 9);  // [fails]
         return 0;
     }
"""


@pytest.fixture(scope="module")
def fare(tmp_path_factory: pytest.TempPathFactory) -> ExplainedPair:
    return explain(tmp_path_factory.mktemp("fare"), FARE, "./program 7 4 2")


def test_the_root_of_fig_6_is_c2_and_c3(fare: ExplainedPair) -> None:
    assert fare.result.status == "explained"
    assert fare.root == {"c2", "c3"}
    assert fare.auxiliary == set()


def test_both_causes_of_fig_6_are_in_the_tree(fare: ExplainedPair) -> None:
    assert {"c2", "c3"} <= fare.in_tree


def test_the_chain_of_fig_6_names_both_lines_with_both_values(fare: ExplainedPair) -> None:
    assert [name for name in fare.links if name in ("c2", "c3", "fails")] == ["c2", "c3", "fails"]
    assert "`adult < child` is false" in fare.link("c2").says
    assert "`adult > child` was true" in fare.link("c2").says
    assert fare.link("c3").failing == {"price": "2"}
    assert fare.link("c3").passing == {"price": "9"}


def test_delta_debugging_answers_fig_6_with_c3_alone_which_does_not_pass(
    fare: ExplainedPair,
) -> None:
    good, bad = str(fare.folder / "good"), str(fare.folder / "bad")
    result, _ = run_request(IsolateRequest(good, bad, fare.commands, method="dd"), Watcher())
    assert fare.names(result.root) == {"c3"}
    assert result.status == "unexplained"
    assert not fare.passes(result.root[0].ids)


# Fig. 4: the fault in the last line cannot be reverted without the other changes.
TOTAL = """
     #include <assert.h>
     #include <stdlib.h>
     int main(int argc, char **argv) {
         int base;
    -    int tax;  // [c1]
    +    int duty;  // [c1]
         base = atoi(argv[1]);
    -    tax = atoi(argv[2]);  // [c2]
    +    duty = atoi(argv[2]);  // [c2]
         if (base < 0)
             base = 0;
    -    int total = base + tax + 2;  // [c3]
    +    int total = base + duty + 3;  // [c3]
         assert(total == 10);  // [fails]
         return 0;
     }
"""


def test_the_changes_that_fig_4_needs_to_build_are_auxiliary(tmp_path: Path) -> None:
    answer = explain(tmp_path, TOTAL, "./program 3 5")
    assert (answer.root, answer.auxiliary) == ({"c3"}, {"c1", "c2"})
    assert not answer.passes(answer.result.root[0].ids)
    assert answer.links == ["c3", "fails"]
    assert answer.link("c3").failing == {"total": "11"}
    assert answer.link("c3").passing == {"total": "10"}


# Fig. 2 and 3: a new option leads to a new function, which forgets one of its arguments.
OPTION = """
     #include <assert.h>
     struct options { int is_safe; };
     static struct options options;
    +static int probe(void) {  // [probe]
    +    return 1;  // [probe]
    +}  // [probe]
     static int enter_plainly(const char *name, int follows) {
         if (name[0] == '@')
             return follows;
         return 1;
     }
    +static int enter_safely(const char *name, int follows) {  // [faulty]
    +    if (name[0] == '@')  // [faulty]
    +        return 0;  // [faulty]
    +    return 1;  // [faulty]
    +}  // [faulty]
     static int enter(const char *name, int follows) {
    +    if (options.is_safe)  // [call]
    +        return enter_safely(name, follows);  // [call]
         return enter_plainly(name, follows);
     }
     int main(void) {
         options.is_safe = 0;
    +    options.is_safe = probe();  // [option]
         int entered = enter("@home", 1);
         assert(entered == 1);  // [fails]
         return 0;
     }
"""
# The same, but the function existed before, and the change put the fault into it.
MENDED = """
     #include <assert.h>
     struct options { int is_safe; };
     static struct options options;
     static int enter_plainly(const char *name, int follows) {
         if (name[0] == '@')
             return follows;
         return 1;
     }
     static int enter_safely(const char *name, int follows) {
         if (name[0] == '@')
    -        return follows;  // [faulty]
    +        return 0;  // [faulty]
         return 1;
     }
     static int enter(const char *name, int follows) {
         if (options.is_safe)  // [call]
             return enter_safely(name, follows);
         return enter_plainly(name, follows);
     }
     int main(void) {
    -    options.is_safe = 0;  // [option]
    +    options.is_safe = 1;  // [option]
         int entered = enter("@home", 1);
         assert(entered == 1);  // [fails]
         return 0;
     }
"""


def test_the_root_of_fig_3_is_the_faulty_function_and_its_call(
    tmp_path: Path,
) -> None:
    answer = explain(tmp_path, OPTION)
    assert answer.root == {"faulty", "call"}
    assert answer.explanation.dodged is not None
    assert "enter_safely" in answer.explanation.dodged
    assert answer.links[-1] == "fails"


def test_an_option_that_leads_to_the_fault_is_an_alternative_and_a_dodge(tmp_path: Path) -> None:
    answer = explain(tmp_path, MENDED)
    assert answer.root == {"faulty"}
    assert answer.explanation.dodged is None
    dodges = [other for other in answer.explanation.alternatives if other.is_dodge]
    assert [answer.names(other.root) for other in dodges] in ([], [{"option"}])
