"""Is what did not happen found where the place of it is far from the failure?

Far means: thousands of steps between the missing statement and its neighbours, a pointer that went
through many hands, or a jump out of loops and switches.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import GCC, Pair, explain
from whence.explain.recorder import counterpart
from whence.explain.seen_failure import beside, seen_failure
from whence.frontend.c.record import record
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE
from whence.languages import cause_search, open_recording
from whence.subject.trial import BuildAndTest
from whence.trace.recording import Recording
from whence.trace.summary import summarise

CALL_AFTER_A_LONG_CALL = """
     #include <assert.h>
     #include <strings.h>
     struct option { unsigned set : 1, quiet : 1; int uses; };
     static struct option options[4];
     static int checksum;
     static void read_all(void) {
         bzero(options, sizeof options);
         for (int i = 0; i < 900; i++)
             checksum = (checksum * 3 + i) % 1009;
     }
     static void apply_quiet(void) {
         options[2].quiet = 1;
     }
     static int is_quiet(int number) {
         options[number].uses++;
         options[number].set = 1;
         return options[number].quiet;
     }
     int main(void) {
         read_all();
    -    apply_quiet();  // [gone]
         assert(is_quiet(2));  // [fails]
         return checksum < 0;
     }
"""
LINK_BEHIND_MANY_COPIES = """
     #include <assert.h>
     #include <stdlib.h>
     #include <string.h>
     struct rule { char *text; struct rule *next; };
     static struct rule *rules, **last = &rules;
     static char *copied(const char *text) {
         size_t length = strlen(text);
         char *copy = malloc(length + 1);
         memcpy(copy, text, length);
         copy[length] = '\\0';
         return copy;
     }
     static void add(const char *text) {
         struct rule *rule = calloc(1, sizeof *rule);
         rule->text = copied(text);
         *last = rule;
    -    last = &rule->next;  // [gone]
     }
     static const char *passed_on(const char *text, int hands) {
         return hands > 0 ? passed_on(text, hands - 1) : text;
     }
     static int has_suffix(const char *name, const char *pattern) {
         const char *percent = strchr(pattern, '%');
         size_t length = strlen(name), after = strlen(percent + 1);
         return length > after && strcmp(name + length - after, percent + 1) == 0;
     }
     static int matches(const char *name) {
         for (struct rule *rule = rules; rule; rule = rule->next)
             if (has_suffix(name, passed_on(rule->text, 9)))
                 return 1;
         return 0;
     }
     int main(void) {
         add("%.o");
         add("%.c");
         assert(matches("main.o"));  // [fails]
         return 0;
     }
"""
GOTO_OUT_OF_A_SWITCH = """
     #include <assert.h>
     static int run(const char *program, int value) {
         for (const char *at = program; *at; at++) {
             switch (*at) {
             case '+':
                 value += 1;
                 break;
             case '*':
                 value *= 3;
                 break;
             case 'q':
                 value += 100;
    -            goto done;  // [gone]
    +            break;  // [gone]
             case '!':
                 return -1;
             }
         }
     done:
         return value;
     }
     int main(void) {
         assert(run("+*q+*", 1) == 106);  // [fails]
         return 0;
     }
"""
GOTO_BACK = """
     #include <assert.h>
     static const char *at;
     static int number(void) {
         int found = 0;
         while (*at >= '0' && *at <= '9')
             found = found * 10 + (*at++ - '0');
         return found;
     }
     static int sum(void) {
         static const struct { char sign; int factor; } signs[] = {{'+', 1}, {'-', -1}};
         int total = number();
     again:
         if (!*at)
             return total;
         for (int i = 0; i < 2; i++)
             if (*at == signs[i].sign) {
                 at++;
                 total += signs[i].factor * number();
    -            goto again;  // [gone]
    +            break;  // [gone]
             }
         return total;
     }
     int main(void) {
         at = "12-3+20";
         assert(sum() == 29);  // [fails]
         return 0;
     }
"""
RETURN_FOR_GOTO = """
     #include <stdio.h>
     static const char *at;
     static int take(void) {
         return *at ? *at++ : -1;
     }
     static int line(char *to) {
         int length = 0;
         int byte;
     again:
         while ((byte = take()) >= 0 && byte != ';')
             to[length++] = (char)byte;
         to[length] = 0;
         if (length > 0 && to[0] == '#') {
             length = 0;
             if (byte >= 0)
    -            goto again;  // [gone]
    +            return 0;  // [gone]
         }
         if (length == 0 && byte >= 0)
             goto again;
         return length > 0 ? length : -1;
     }
     int main(void) {
         char text[64];
         int number;
         at = "#sizes;size 60;@dir;size 7;";
         while (line(text) >= 0)
             if (text[0] != '@' && sscanf(text, "size %d", &number) != 1)
                 return 1;  // [fails]
         return 0;
     }
"""
CALLBACK = """
     #include <assert.h>
     static int used = 1, shipped;
     static void (*observers[4])(int);
     static int count;
     static void observe(void (*run)(int)) {
         observers[count] = run;
         count++;
     }
     static void free_place(int left) {
         if (left == 0)
             used = 0;
     }
     static void count_shipment(int left) {
         shipped += left + 1;
     }
     static void open_bins(void) {
         used = 1;
    -    observe(free_place);  // [gone]
     }
     static void open_report(void) {
         observe(count_shipment);
     }
     int main(void) {
         open_bins();
         open_report();
         for (int i = 0; i < count; i++)
             observers[i](0);
         assert(used == 0);  // [fails]
         return shipped < 0;
     }
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(CALL_AFTER_A_LONG_CALL, id="void call after a long call"),
        pytest.param(LINK_BEHIND_MANY_COPIES, id="link behind many copies"),
        pytest.param(GOTO_OUT_OF_A_SWITCH, id="goto out of a switch"),
        pytest.param(GOTO_BACK, id="goto back"),
        pytest.param(RETURN_FOR_GOTO, id="return for a goto back"),
        pytest.param(CALLBACK, id="callback that is not registered"),
    ],
)
def test_an_omission_far_from_the_failure_is_on_the_chain(tmp_path: Path, text: str) -> None:
    answer = explain(tmp_path, text)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"gone"}
    assert "gone" in answer.links[:-1]


NEGATED = """
     #include <assert.h>
     #include <stddef.h>
     struct item { int weight; struct item *target; };
     static struct item items[3];
     static void resolve(void) {
         for (int i = 0; i < 3; i++) {
             if (i == 2)
    -            items[i].weight = 8;
    +            return;  // [return]
             items[i].target = &items[(i + 1) % 3];
         }
     }
     static int follow(int i) {
         int value = i * 4;
    -    if (items[i].target == NULL)
    +    if (!items[i].target)
             return value;
         value += 7;
         return value;
     }
     int main(void) {
         resolve();
         assert(follow(2) == 15);
         return 0;
     }
"""


def recorded(tree: Path, out: Path) -> Recording:
    out.mkdir()
    record(tree, BuildAndTest("./program", GCC), out)
    summarise(open_recording(out), tree, max_trace=DEFAULT_MAX_TRACE)
    return open_recording(out)


def test_a_condition_that_is_written_as_its_negation_is_no_difference(tmp_path: Path) -> None:
    """`!p` for `p == NULL` has the other truth value and leads to the same code."""
    pair = Pair.of(NEGATED)
    pair.write(tmp_path)
    good, bad = (recorded(tmp_path / name, tmp_path / f"{name}-run") for name in ("good", "bad"))
    failure = seen_failure(bad, good, None)
    passing = counterpart(failure.flow.thread, good)
    assert passing is not None
    tree = cause_search(beside(failure, passing), (), passing)
    tree.grow(4)
    causes = [tree.cause(number) for number in range(len(tree))]
    jumps = {m.jump.line for cause in causes for m in cause.missing if m.jump is not None}
    (line,) = [line for (_, line), name in pair.bad_names.items() if name == "return"]
    assert line in jumps
