"""Does a chain say what its lines were before, and where the bad value was made?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.explain.explaining import explain, explain_python
from whence.explain.old_lines import OldLines
from whence.model import Change, ChangeId, ChangeKind, Span

RECURSION = """
     #include <stdio.h>
     static int share(int total, int people) {
         return total / people; // [failure]
     }
     static int spread(int total, int people) {
         int each;
    -    if (people <= 1)
    +    if (people < 0) // [root]
             return total;
         each = share(total, people); // [use]
         return each + spread(total - each, people - 1); // [made]
     }
     int main(void) {
         printf("%d\\n", spread(100, 4));
     }
"""


def test_a_chain_goes_back_to_the_recursive_call_that_passed_zero(tmp_path: Path) -> None:
    answer = explain(tmp_path, RECURSION)
    assert answer.links == ["root", "made", "use", "failure"]
    assert answer.link("made").says == "`people = 0` comes from here"
    assert answer.link("use").says == "`people = 0` is passed on"
    assert answer.link("failure").failing == {"people": "0"}


def test_a_changed_line_of_the_root_says_what_it_was(tmp_path: Path) -> None:
    answer = explain(tmp_path, RECURSION)
    root = answer.link("root")
    assert root.before == "if (people <= 1)"
    assert root.says.endswith("before, it was `if (people <= 1)`")
    assert all(link.before is None for link in answer.chain if not link.changes)


TESTED_POINTER = """
     #include <stdio.h>
     #include <string.h>
     static const char *after(const char *text, int mark) {
    -    const char *found = strchr(text, mark);
    +    const char *found = strchr(text, mark + 1); // [root]
         if (!found) // [test]
             return NULL;
         return found + 1;
     }
     int main(void) {
         const char *value = after(strdup("key=value"), '=');
         return !value; // [failure]
     }
"""


def test_a_tested_pointer_is_shown_by_what_it_points_to(tmp_path: Path) -> None:
    answer = explain(tmp_path, TESTED_POINTER)
    tested = answer.link("test")
    assert (tested.failing, tested.passing) == ({"found": "NULL"}, {"found": '"=value"'})


FAILING_LINE = """
     #include <stdio.h>
     int main(int argc, char **argv) {
         int parts = argc - 1; // [parts]
    -    printf("%d\\n", 100 / (parts + 1));
    +    printf("%d\\n", 100 / parts); // [failure]
         return 0;
     }
"""


def test_a_changed_line_that_fails_is_one_link(tmp_path: Path) -> None:
    answer = explain(tmp_path, FAILING_LINE)
    assert answer.links.count("failure") == 1
    failure = answer.link("failure")
    assert "SIGFPE" in failure.says
    assert "this line was changed: before, it was" in failure.says
    assert failure.changes


PASSED_ON = """
     #include <assert.h>
     static int base(void) {
    -    return 4;
    +    return 5; // [root]
     }
     static int next(void) {
    -    int n = base() + 0;
    +    int n = 0 + base(); // [differs]
    +    n = n + 0; // [new]
         return n; // [same]
     }
     int main(void) {
         int n = next(); // [main]
         assert(n == 4); // [failure]
     }
"""


def test_a_line_that_differs_says_so_although_it_is_no_root(tmp_path: Path) -> None:
    answer = explain(tmp_path, PASSED_ON)
    assert answer.root == {"root"}
    befores = {answer._name(link): link.before for link in answer.chain}
    assert befores.pop("root") == "return 4;"
    assert set(befores) >= {"failure"}
    expected = {"differs": "int n = base() + 0;", "new": ""}
    assert {name: befores[name] for name in expected if name in befores}
    for name, before in befores.items():
        assert before == expected.get(name), name
        if before:
            assert f"this line was changed: before, it was `{before}`" in answer.link(name).says
        elif before is not None:
            assert "this line is new" in answer.link(name).says


def test_a_python_line_that_differs_says_so(tmp_path: Path) -> None:
    answer = explain_python(
        tmp_path,
        """
         def base():
        -    return 4
        +    return 5  # [root]
         def following():
        -    n = base() + 0
        +    n = 0 + base()  # [differs]
             return n
         assert following() == 4  # [failure]
        """,
    )
    assert answer.link("root").before == "return 4"
    assert answer.link("differs").before == "n = base() + 0"


# --- which line was it? --------------------------------------------------------------------------


def edit(removed: list[str], added: list[str], start: int = 1) -> Change:
    def text(lines: list[str]) -> bytes:
        return "".join(f"{line}\n" for line in lines).encode()

    old, new = Span(start, len(removed)), Span(start if added else start - 1, len(added))
    return Change(
        ChangeId(0), ChangeKind.EDIT, "a.c", "a.c", old, new, text(removed), text(added), 0
    )


@pytest.mark.parametrize(
    ("removed", "added", "befores"),
    [
        (["x = 1;"], ["return compute(y);"], ["x = 1;"]),  # one line for one line
        (["x = first + 1;"], ["log(x);", "x = first + 2;"], ["", "x = first + 1;"]),
        ([], ["x = 1;"], [""]),
        (["a = f(1);", "b = g(2);"], ["b = g(3);", "a = f(4);"], ["b = g(2);", "a = f(1);"]),
    ],
)
def test_the_old_line_is_the_one_that_is_most_alike(
    removed: list[str], added: list[str], befores: list[str]
) -> None:
    lines = OldLines([edit(removed, added, 10)])
    assert [lines.text("a.c", 10 + at) for at in range(len(added))] == befores
    assert lines.text("a.c", 9) is lines.text("a.c", 10 + len(added)) is None


code = st.text(st.sampled_from("ab(+);= 01"), max_size=12)


@given(removed=st.lists(code, max_size=6), added=st.lists(code, min_size=1, max_size=6))
def test_the_old_line_is_a_removed_line_or_none(removed: list[str], added: list[str]) -> None:
    lines = OldLines([edit(removed, added)])
    for at in range(len(added)):
        assert lines.text("a.c", 1 + at) in {"", *(line.strip() for line in removed)}


TAIL = """
     #include <stdio.h>
     #include <stdlib.h>
     struct item { struct item *next, *tail; int value; };
     static struct item *first;
     static void add(int value) {
         struct item *item = calloc(1, sizeof *item), *last;
         item->value = value;
         if (!first) {
    +        item->tail = item; // [root]
    +        item->next = NULL; // [same]
             first = item;
             return;
         }
         if (first->tail) { // [test]
             first->tail->next = item;
             first->tail = item;
             return;
         }
         for (last = first; last->next; last = last->next)
             ;
         last->next = item;
     }
     static void replace(int value) {
         struct item *item = calloc(1, sizeof *item);
         item->value = value;
         item->next = first->next;
         item->tail = first->tail; // [copy]
         first = item;
     }
     int main(void) {
         add(1);
         replace(2);
         add(3);
         int count = 0;
         for (struct item *item = first; item; item = item->next)
             count++;
         return count != 2; // [failure]
     }
"""


def test_a_chain_starts_with_the_changed_line_whose_value_differs_from_there_on(
    tmp_path: Path,
) -> None:
    """The other line of the change stores what the passing run has there, too."""
    answer = explain(tmp_path, TAIL)
    assert answer.links[:3] == ["root", "copy", "test"]
    assert answer.links[-1] == "failure"


BIT_FIELDS = """
     struct parser { unsigned type : 2, flags : 8; int state : 7; unsigned header : 7, last : 1; };
     static int is_done;
     static void step(struct parser *parser) {
         if (parser->header - parser->state > 4) // [test]
             return;
         is_done = 1;
     }
     int main(void) {
         struct parser parser = {1, 9, -1, 0, 1};
    -    parser.header = 3;
    +    parser.header = 5; // [root]
         step(&parser);
         return !is_done; // [failure]
     }
"""


def test_a_bit_field_that_a_condition_reads_is_shown_by_its_own_name_and_value(
    tmp_path: Path,
) -> None:
    """The compiler loads the unit of bytes that holds all of them."""
    answer = explain(tmp_path, BIT_FIELDS)
    assert answer.links == ["root", "test", "failure"]
    assert answer.link("test").passing == {"parser->header": "3"}
    assert answer.link("test").failing == {"parser->header": "5"}
    assert answer.explanation.why is not None
    because = answer.explanation.why.causes[1].because
    assert "true with parser->header = 5, parser->state = -1" in because


SWITCH = """
     static int step(int state) {
         switch (state) { // [test]
         case 4:
             return 0;
         default:
             return 1;
         }
     }
     int main(void) {
    -    int state = 4;
    +    int state = 5; // [root]
         return step(state); // [failure]
     }
"""


def test_what_a_switch_got_is_told_once(tmp_path: Path) -> None:
    link = explain(tmp_path, SWITCH).link("test")
    assert link.says == "so `state` is 5, which has no case, instead of 4"
    assert (link.failing, link.passing) == ({}, {})


PRINTED_EARLY = """
     #include <stdio.h>
     static int distance(int from, int to) {
    +    puts("checking"); // [failure]
    +    if (from < to)
    +        return -1; // [late]
         return from - to;
     }
     int main(void) {
         int between = distance(3, 7); // [later]
         printf("%d\\n", between);
         return 0;
     }
"""


def test_what_ran_after_the_wrong_line_was_printed_is_not_on_its_chain(tmp_path: Path) -> None:
    """The number that the passing run prints in its place comes from there."""
    answer = explain(tmp_path, PRINTED_EARLY, "./program | grep -qx -e -4")
    assert answer.links == ["failure"]


MACRO = """
     #define IS_VOWEL(a) ((a) == 'a' || (a) == 'e' || (a) == 'i')
     static int is_last(char letter) {
    -    if (IS_VOWEL(letter)) // [root]
    +    if (IS_VOWEL(letter) || letter == 0) // [root]
             return 1;
         return 0;
     }
     int main(void) {
         return is_last(0); // [failure]
     }
"""


def test_the_tests_of_a_macro_are_told_once(tmp_path: Path) -> None:
    says = explain(tmp_path, MACRO).link("root").says
    assert "`IS_VOWEL(letter) || letter == '\\0'` is true" in says


CASE = """
     #include <stdio.h>
     static char text[3];
     static char *escape(char *c) {
         char *h = NULL;
         switch (*c) { // [switch]
         case '^':
    -    case ':':
         case '&':
             h = "";
             break;
         case 'e':
             h = "!";
             break;
         default:
             text[0] = *c;
             h = text;
         }
         return h;
     }
     static void show(char *c) {
         while (*c)
             putchar(*c++); // [failure]
     }
     int main(void) {
         show("a");
         show(escape(":"));
         show("b");
     }
"""


def test_a_switch_whose_case_was_removed_is_not_told_as_not_run(tmp_path: Path) -> None:
    answer = explain(tmp_path, CASE, "./program | grep -qx ab")
    link = answer.link("switch")
    assert link.says == "so `*c` is ':' (58), which has no case; before, it had one"
    assert link.changes
