"""Is removed code the root, and does the chain show it where it would have run?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import ExplainedPair, explain

STATEMENT = """
     #include <assert.h>
     int balance(int income, int spent) {
         int left = income;
    -    left -= spent;  // [gone]
         return left;
     }
     int main(void) {
         assert(balance(20, 5) == 15);  // [fails]
         return 0;
     }
"""
CALL = """
     #include <assert.h>
     static int total;
     static void book(int amount) {
         total += amount;
     }
     int main(void) {
         book(3);
    -    book(4);  // [gone]
         assert(total == 7);  // [fails]
         return 0;
     }
"""
BRANCH = """
     #include <assert.h>
     int clamp(int level) {
    -    if (level > 10) {  // [gone]
    -        level = 10;  // [gone]
    -    }  // [gone]
         return level;
     }
     int main(void) {
         assert(clamp(12) == 10);  // [fails]
         return 0;
     }
"""
ELSE_ARM = """
     #include <assert.h>
     int fee(int weight) {
         int due = 0;
         if (weight < 5) {
             due = 2;
    -    } else {  // [gone]
    -        due = weight * 3;  // [gone]
         }
         return due;
     }
     int main(void) {
         assert(fee(6) == 18);  // [fails]
         return 0;
     }
"""
BREAK = """
     #include <assert.h>
     int main(void) {
         int marks[] = {4, 9, 2, 7};
         int found = -1;
         for (int i = 0; i < 4; i++) {
             if (marks[i] > 5) {
                 found = marks[i];
    -            break;  // [gone]
             }
         }
         assert(found == 9);  // [fails]
         return 0;
     }
"""
CASE_BREAK = """
     #include <assert.h>
     int wheels(int kind) {
         int count = 0;
         switch (kind) {
         case 1:
             count = 2;
    -        break;  // [gone]
         case 2:
             count = 4;
             break;
         }
         return count;
     }
     int main(void) {
         assert(wheels(1) == 2);  // [fails]
         return 0;
     }
"""
INITIALISATION = """
     #include <assert.h>
     struct meter { int unit; int count; };
     static struct meter shared = {9, 9};
     static void start(struct meter *meter) {
         meter->unit = 1;
    -    meter->count = 0;  // [gone]
     }
     int main(void) {
         start(&shared);
         shared.count += shared.unit;
         assert(shared.count == 1);  // [fails]
         return 0;
     }
"""
IN_A_LOOP = """
     #include <assert.h>
     int main(void) {
         int sum = 0, seen = 0;
         for (int i = 1; i <= 4; i++) {
             sum += i;
    -        seen++;  // [gone]
         }
         assert(sum == 10);
         assert(seen == 4);  // [fails]
         return 0;
     }
"""
EARLY_RETURN = """
     #include <assert.h>
     int share(int cake, int guests) {
    -    if (guests == 0)  // [gone]
    -        return 0;  // [gone]
         int pieces = cake;
         if (guests > 1)
             pieces = cake / guests;
         return pieces;
     }
     int main(void) {
         assert(share(8, 0) == 0);  // [fails]
         return 0;
     }
"""
CASE = """
     #include <assert.h>
     int worth(char coin) {
         switch (coin) {
         case 'p': return 1;
    -    case 'n': return 5;  // [gone]
         case 'd': return 10;
         default: return 0;
         }
     }
     int main(void) {
         assert(worth('p') + worth('n') == 6);  // [fails]
         return 0;
     }
"""
FUNCTION = """
     #include <assert.h>
     static int stock = 3;
    -static void refill(void) {  // [body]
    -    stock = 8;  // [body]
    -}  // [body]
     int main(void) {
         stock--;
    -    refill();  // [gone]
         assert(stock == 8);  // [fails]
         return 0;
     }
"""
CONJUNCT = """
     #include <assert.h>
     int usable(int size, int owner) {
    -    if (size > 0 && owner == 1)  // [gone]
    +    if (size > 0)  // [gone]
             return 1;
         return 0;
     }
     int main(void) {
         assert(usable(4, 2) == 0);  // [fails]
         return 0;
     }
"""
FREE_OF_AN_ENTRY = """
     #include <assert.h>
     #include <stdlib.h>
     struct node { int key; struct node *next; };
     static struct node *list;
     static void push(int key) {
         struct node *node = malloc(sizeof *node);
         node->key = key;
         node->next = list;
    -    list = node;  // [gone]
     }
     int main(void) {
         push(5);
         push(6);
         int length = 0;
         for (struct node *at = list; at; at = at->next)
             length++;
         assert(length == 2);  // [fails]
         return 0;
     }
"""


def removed(tmp_path: Path, text: str, *values: tuple[str, str]) -> ExplainedPair:
    """Check that the removed line is the root, and that the chain shows the values it had set."""
    answer = explain(tmp_path, text)
    assert answer.result.status == "explained"
    assert answer.root == {"gone"}
    assert {"gone"} <= {answer.links[i] for i in range(len(answer.links) - 1)}
    passing_values = [item for link in answer.missing for item in link.passing.items()]
    assert set(values) <= set(passing_values)
    assert answer.links[-1] == "fails"
    return answer


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param(STATEMENT, [("left", "15")], id="statement"),
        pytest.param(CALL, [], id="call"),
        pytest.param(BRANCH, [("level", "10")], id="branch"),
        pytest.param(ELSE_ARM, [("due", "18")], id="else arm"),
        pytest.param(INITIALISATION, [("meter->count", "0")], id="initialisation"),
        pytest.param(IN_A_LOOP, [("seen", "4")], id="in a loop"),
        pytest.param(EARLY_RETURN, [("return value", "0")], id="early return"),
        pytest.param(CASE, [("return value", "5")], id="case"),
        pytest.param(FUNCTION, [], id="function and its call"),
        pytest.param(FREE_OF_AN_ENTRY, [], id="link of a list"),
    ],
)
def test_a_removed_statement_is_on_the_chain(
    tmp_path: Path, text: str, values: list[tuple[str, str]]
) -> None:
    answer = removed(tmp_path, text, *values)
    assert answer.missing


ADDED_BREAK = """
     #include <assert.h>
     int main(void) {
         int marks[] = {4, 9, 2, 11}, best = 0, high = 0;
         for (int i = 0; i < 4; i++) {
             if (marks[i] > 8) {
                 high++;
    +            break;  // [jump]
             }
             best = marks[i];
         }
         assert(best == 11);  // [fails]
         return 0;
     }
"""
ADDED_RETURN = """
     #include <assert.h>
     static int total, high;
     static void count(int mark) {
         if (mark > 3) {
    -        high++;  // [gone]
    +        return;  // [jump]
         }
         total += mark;
     }
     int main(void) {
         for (int i = 0; i < 6; i++)
             count(i);
         assert(total == 15);  // [fails]
         return 0;
     }
"""
ADDED_GOTO = """
     #include <assert.h>
     static int checked(int mark) {
         int status = 1;
         if (mark == 0)
    -        mark = 1;  // [gone]
    +        goto out;  // [jump]
         status = 0;
     out:
         return status;
     }
     int main(void) {
         assert(checked(0) == 0);  // [fails]
         return 0;
     }
"""


@pytest.mark.parametrize(
    ("text", "skipped"),
    [
        pytest.param(ADDED_BREAK, "best = marks[i];", id="break"),
        pytest.param(ADDED_RETURN, "total += mark;", id="return"),
        pytest.param(ADDED_GOTO, "status = 0;", id="goto"),
    ],
)
def test_an_added_jump_is_on_the_chain_with_the_statement_that_it_skips(
    tmp_path: Path, text: str, skipped: str
) -> None:
    answer = explain(tmp_path, text)
    assert answer.result.status == "explained", answer.result.reason
    assert "jump" in answer.root
    assert answer.links[0] == "jump"
    assert f"skips `{skipped}`" in answer.chain[0].says


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BREAK, id="break out of a loop"),
        pytest.param(CASE_BREAK, id="break of a case"),
        pytest.param(CONJUNCT, id="part of a condition"),
    ],
)
def test_a_removed_jump_or_guard_is_the_root(tmp_path: Path, text: str) -> None:
    removed(tmp_path, text)
