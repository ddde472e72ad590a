"""Is every kind of failure explained: crashes, exit statuses, wrong output, other judges?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.explain.explaining import GCC, ExplainedPair, explain

ABORT = """
     #include <stdlib.h>
     int main(void) {
    -    int free_seats = 12 - 7;  // [fault]
    +    int free_seats = 7 - 12;  // [fault]
         if (free_seats < 0)
             abort();  // [fails]
         return 0;
     }
"""
NULL_POINTER = """
     #include <stdio.h>
     #include <stddef.h>
     struct item { int weight; };
     static struct item brick = {5};
     static struct item *find(int key) {
    -    if (key >= 3)  // [fault]
    +    if (key > 3)  // [fault]
             return &brick;
         return NULL;
     }
     int main(void) {
         struct item *item = find(3);
         printf("%d\\n", item->weight);  // [fails]
         return 0;
     }
"""
WILD_POINTER = """
     #include <stdio.h>
     static int rows[4] = {1, 2, 3, 4};
     int main(void) {
         long step = 1;
         for (int i = 0; i < 3; i++)
    -        step = step + 1;  // [fault]
    +        step = step * 100000;  // [fault]
         int *row = rows + step - 1;
         printf("%d\\n", *row);  // [fails]
         return 0;
     }
"""
DIVISION = """
     #include <stdio.h>
     static int parts(int size) {
    -    return size / 4 + 1;  // [fault]
    +    return size / 4;  // [fault]
     }
     int main(void) {
         int share = 100 / parts(3);  // [fails]
         printf("%d\\n", share);
         return 0;
     }
"""
STATUS = """
     static int is_leap(int year) {
    -    return year % 4 == 0 && year % 100 != 0;  // [fault]
    +    return year % 4 == 0;  // [fault]
     }
     int main(void) {
         int failed = 0;
         if (is_leap(1900))  // [asked]
             failed = 1;
         return failed;  // [fails]
     }
"""
EXITS = """
     #include <stdio.h>
     #include <stdlib.h>
     static void die(const char *why) {
         fprintf(stderr, "%s\\n", why);
         exit(3);
     }
     int main(void) {
         int depth = 0;
         for (const char *at = "(())"; *at; at++) {
             if (*at == '(')
                 depth++;
    -        else if (*at == ')')  // [fault]
    +        else if (*at == ']')  // [fault]
                 depth--;
         }
         if (depth != 0)
             die("unbalanced");
         return 0;
     }
"""
OUTPUT = """
     #include <stdio.h>
     static int tax(int price) {
    -    return price * 19 / 100;  // [fault]
    +    return price * 17 / 100;  // [fault]
     }
     int main(void) {
         int price = 200;
         printf("price %d\\n", price);
         printf("tax %d\\n", tax(price));  // [prints]
         printf("thanks\\n");
         return 0;
     }
"""
TOO_LITTLE = """
     #include <stdio.h>
     int main(void) {
         int last = 4;
    -    for (int i = 1; i <= last; i++)  // [fault]
    +    for (int i = 1; i < last; i++)  // [fault]
             printf("line %d\\n", i);
         return 0;
     }
"""
NOTHING = """
     #include <stdio.h>
     static int is_loud;
     static void say(const char *words) {
         if (is_loud)
             printf("%s\\n", words);
     }
     int main(void) {
    -    is_loud = 1;  // [fault]
         say("ready");
         return 0;
     }
"""
ENDLESS = """
     #include <stdio.h>
     #include <unistd.h>
     int main(void) {
         int left = 10, rounds = 0;
         while (left != 0) {  // [loop]
             usleep(1000);
    -        left -= 2;  // [fault]
    +        left -= 2 * (left > 4);  // [fault]
             rounds++;
         }
         printf("%d\\n", rounds);
         return 0;
     }
"""
WAITS = """
     #include <unistd.h>
     int main(void) {
         int ends[2], sent = 3;
         char text[8];
         pipe(ends);
    -    if (sent >= 3)  // [fault]
    +    if (sent > 3)  // [fault]
             write(ends[1], "hello", 5);
         return read(ends[0], text, sizeof text) != 5;  // [waits]
     }
"""
SKIPS = """
     #include <stdio.h>
     int main(void) {
         int at = 0, sum = 0;
         while (at < 5) {  // [loop]
             sum += at;
             if (at == 3)
    -            sum++;  // [fault]
    +            continue;  // [fault]
             at++;
         }
         printf("%d\\n", sum);
         return 0;
     }
"""
CHILD_LOOPS = """
     #include <stdio.h>
     #include <sys/wait.h>
     #include <unistd.h>
     static int digits(unsigned number) {
         int count = 0;
         while (number > 0) {  // [hangs]
    -        number /= 10;  // [fault]
    +        number /= 1;  // [fault]
             count++;
         }
         return count;
     }
     int main(void) {
         int status = 0;
         if (fork() == 0)
             _exit(digits(1234) != 4);
         wait(&status);
         return status != 0;
     }
"""
CHILD_WAITS = """
     #include <sys/wait.h>
     #include <unistd.h>
     int main(void) {
         int ends[2], status = 0, sent = 3;
         pipe(ends);
         int child = fork();
         if (child == 0) {
             char text[8];
    -        if (sent >= 3)  // [fault]
    +        if (sent > 3)  // [fault]
                 write(ends[1], "hello", 5);
             _exit(read(ends[0], text, sizeof text) != 5);  // [hangs]
         }
         while (waitpid(child, &status, WNOHANG) == 0)
             usleep(1000);
         return status != 0;
     }
"""
RECURSION = """
     #include <stdio.h>
     static int depth(int left) {
         if (left == 0)  // [end]
             return 0;
    -    return 1 + depth(left - 1);  // [fault]
    +    return 1 + depth(left - 2);  // [fault]
     }
     int main(void) {
         printf("%d\\n", depth(7));
         return 0;
     }
"""
TWO_FUNCTIONS = """
     #include <stdlib.h>
     static const char *at = "2 * (3 + 4)";
     static long sum(void);
     static long atom(void) {
         while (*at == ' ')
             at++;
         if (*at == '(') {  // [end]
    -        at++;  // [fault]
             long inner = sum();
             at++;
             return inner;
         }
         return strtol(at, (char **)&at, 10);
     }
     static long sum(void) {
         long total = atom();
         for (; *at == ' ' || *at == '+' || *at == '*'; at++)
             if (*at == '*') {
                 at++;
                 total *= atom();
                 at--;
             } else if (*at == '+') {
                 at++;
                 total += atom();
                 at--;
             }
         return total;
     }
     int main(void) {
         return sum() != 14;
     }
"""
CYCLE = """
     struct node { int is_seen; struct node *next; };
     static struct node nodes[3] = {{0, &nodes[1]}, {0, &nodes[2]}, {0, &nodes[0]}};
     static int count(struct node *node) {
         char name[256];
    -    if (node->is_seen)  // [fault]
    -        return 0;  // [fault]
         node->is_seen = 1;
         name[0] = 'n';
         return (name[0] == 'n') + count(node->next);  // [end]
     }
     int main(void) {
         return count(nodes) != 3;
     }
"""
DEEP_NULL = """
     #include <stdlib.h>
     struct node { struct node *next; };
     static int is_strict;
     static int length(struct node *node) {
    -    if (!node)  // [fault]
    +    if (!node && is_strict)  // [fault]
             return 0;
         return 1 + length(node->next);  // [fails]
     }
     int main(void) {
         struct node *list = NULL;
         for (int i = 0; i < 2000; i++) {
             struct node *node = malloc(sizeof *node);
             node->next = list;
             list = node;
         }
         return length(list) != 2000;
     }
"""
STDIN = """
     #include <stdio.h>
     int main(void) {
         int words = 0, inside = 0, c;
         while ((c = getchar()) != EOF) {
    -        if (c == ' ' || c == '\\n') {  // [fault]
    +        if (c == ' ') {  // [fault]
                 inside = 0;
             } else if (!inside) {
                 inside = 1;
                 words++;
             }
         }
         printf("%d\\n", words);
         return 0;
     }
    == in
     one two
     three four
    == expected
     4
"""

# The bad version chooses by a branch what the good one chose inside the returned expression.
BY_BRANCHES = """
     #include <stdlib.h>
     static int bytes[3] = {4, 13, 6};
     static int over(void) {
         int found = 0;
         for (int i = 0; i < 3; i++)
    -        found += bytes[i] > 20;  // [fault]
    +        found += bytes[i] > 20 / 2;  // [fault]
         return found;
     }
     int main(int argc, char **argv) {
         int is_complete = argc == 1;
         if (argc > 5) {
             abort();
             return 2;
         }
         if (!is_complete)
             return 3;
    -    return over() ? 1 : 0;
    +    if (over())
    +        return 1;
    +    return 0;
     }
"""
WIDTH = """
     #include <stdio.h>
     static int widths[2];
     static void widen(int column, int value) {
         int width = 1;
         while (value >= 10) {
             value /= 10;
             width++;
         }
         if (width > widths[column])
    -        widths[column] = width;  // [fault]
    +        widths[column ^ (value > 3)] = width;  // [fault]
     }
     int main(int argc, char **argv) {
         widen(0, 7);
         widen(1, 5123);
         widen(0, 43);
         printf("%*d %*d %s\\n", widths[0], argc, widths[1], 51, "x");
         return 0;
     }
"""


def failed(
    tmp_path: Path, text: str, kind: str, test: str = "./program", **more: Any
) -> ExplainedPair:
    """Check that a failure of some kind is explained, and that the fault is its root."""
    answer = explain(tmp_path, text, test, **more)
    assert answer.result.failure.kind == kind
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert "fault" in answer.links
    return answer


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        pytest.param(ABORT, "abort", id="abort"),
        pytest.param(NULL_POINTER, "crash", id="null pointer"),
        pytest.param(WILD_POINTER, "crash", id="wild pointer"),
        pytest.param(DIVISION, "crash", id="division by zero"),
    ],
)
def test_a_crash_is_explained_up_to_its_place(tmp_path: Path, text: str, kind: str) -> None:
    assert failed(tmp_path, text, kind).links[-1] == "fails"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(STATUS, id="returned"),
        pytest.param(EXITS, id="exit()"),
        pytest.param(BY_BRANCHES, id="returned by branches"),
    ],
)
def test_an_exit_status_is_explained(tmp_path: Path, text: str) -> None:
    failed(tmp_path, text, "exit")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(OUTPUT, id="another line"),
        pytest.param(TOO_LITTLE, id="too little"),
        pytest.param(NOTHING, id="nothing"),
        pytest.param(WIDTH, id="wrong width"),
    ],
)
def test_wrong_output_is_explained(tmp_path: Path, text: str) -> None:
    failed(tmp_path, text, "output", compares_output=True)


@pytest.mark.parametrize(
    "test",
    [
        pytest.param("./program < in | diff - expected", id="diff"),
        pytest.param('test "$(./program < in)" = 4', id="test"),
    ],
)
def test_output_that_another_program_judges_is_explained(tmp_path: Path, test: str) -> None:
    failed(tmp_path, STDIN, "exit", test)


def test_an_endless_loop_is_explained_by_its_condition(tmp_path: Path) -> None:
    answer = failed(tmp_path, ENDLESS, "timeout", asked_timeout=2.0)
    assert answer.links[-1] == "loop"
    assert "did not end" in answer.chain[-1].says


@pytest.mark.parametrize(
    "test",
    [
        pytest.param("timeout 4 ./program", id="alone"),
        pytest.param(
            "timeout 4 ./program | grep -c . > lines", id="pipeline", marks=pytest.mark.slow
        ),
    ],
)
def test_a_loop_that_the_test_stops_itself_is_explained_in_the_same_way(
    tmp_path: Path, test: str
) -> None:
    """The recording is limited as well: a log of all turns until then would be too long."""
    answer = failed(tmp_path, ENDLESS, "timeout", test)
    assert answer.links[-1] == "loop"
    assert "did not end" in answer.chain[-1].says


def test_a_read_that_waits_for_what_was_not_written_is_explained(tmp_path: Path) -> None:
    answer = failed(tmp_path, WAITS, "timeout", asked_timeout=2.0)
    assert answer.links[-1] == "waits"
    assert "the call of read" in answer.chain[-1].says


def test_a_program_that_the_test_stops_is_explained_whoever_judges_it(tmp_path: Path) -> None:
    answer = failed(tmp_path, WAITS, "timeout", 'test "$(timeout 4 ./program; echo $?)" = 0')
    assert answer.links[-1] == "waits"


NOT_RELEASED = """
     #include <pthread.h>
     #include <stdio.h>
     struct shelf { pthread_mutex_t lock; int books, room; };
     static struct shelf shelves[3];
     static int place(struct shelf *s, int books) {
         pthread_mutex_lock(&s->lock);
         if (s->books + books > s->room) {
    -        pthread_mutex_unlock(&s->lock);  // [fault]
             return -1;
         }
         s->books += books;
         pthread_mutex_unlock(&s->lock);
         return 0;
     }
     int main(void) {
         int sum = 0;
         for (int i = 0; i < 3; i++) {
             pthread_mutex_init(&shelves[i].lock, NULL);
             shelves[i].room = 10;
             place(&shelves[i], 8 * i);
         }
         for (int i = 0; i < 3; i++) {
             pthread_mutex_lock(&shelves[i].lock);  // [waits]
             sum += shelves[i].books;
             pthread_mutex_unlock(&shelves[i].lock);
         }
         printf("%d\\n", sum);
         return 0;
     }
"""


def test_a_lock_that_is_no_longer_released_is_explained(tmp_path: Path) -> None:
    answer = failed(tmp_path, NOT_RELEASED, "timeout", asked_timeout=2.0, build=f"{GCC} -pthread")
    assert answer.links == ["fault", "waits"]
    assert "the call of pthread_mutex_lock" in answer.chain[-1].says


def test_a_jump_over_the_step_of_a_loop_is_explained(tmp_path: Path) -> None:
    answer = failed(tmp_path, SKIPS, "timeout", asked_timeout=2.0)
    assert answer.links[-1] == "loop"
    assert "skips `at++;`" in answer.chain[0].says


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(CHILD_LOOPS, "the loop", id="loops"),
        pytest.param(CHILD_WAITS, "the call of read", id="waits"),
    ],
)
def test_the_child_that_hangs_is_explained_and_not_the_parent_that_waits(
    tmp_path: Path, text: str, says: str
) -> None:
    answer = failed(tmp_path, text, "timeout", asked_timeout=2.0)
    assert answer.links[-1] == "hangs"
    assert says in answer.chain[-1].says


SMALL_STACK = "ulimit -s 512; ./program"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(RECURSION, "of depth, which calls itself", id="itself"),
        pytest.param(
            TWO_FUNCTIONS, "of sum, which calls atom, which calls sum", id="two functions"
        ),
        pytest.param(CYCLE, "of count, which calls itself", id="removed check"),
    ],
)
def test_an_endless_recursion_is_explained_by_what_did_not_stop_it(
    tmp_path: Path, text: str, says: str
) -> None:
    answer = failed(tmp_path, text, "crash", SMALL_STACK)
    assert answer.links[-1] == "end"
    assert f"the endless recursion {says}" in answer.chain[-1].says


def test_a_null_pointer_deep_in_a_recursion_is_no_stack_overflow(tmp_path: Path) -> None:
    answer = failed(tmp_path, DEEP_NULL, "crash")
    assert answer.links[-1] == "fails"
    assert "recursion" not in answer.chain[-1].says


# --- several programs -----------------------------------------------------------------------------

TWO_PROGRAMS = """
     #include <stdio.h>
     int main(void) {
         int c, sum = 0;
         while ((c = getchar()) != EOF)
             if (c >= '0' && c <= '9')
                 sum += c - '0';
         printf("%d\\n", sum);
         return 0;
     }
    == writer.c
     #include <stdio.h>
     int main(void) {
    -    for (int i = 1; i <= 4; i++)  // [fault]
    +    for (int i = 1; i < 4; i++)  // [fault]
             printf("%d\\n", i);
         return 0;
     }
"""
READER = """
     #include <stdio.h>
     int main(void) {
         int c, sum = 0;
         while ((c = getchar()) != EOF)
    -        if (c >= '0' && c <= '9')  // [fault]
    +        if (c > '1' && c <= '9')  // [fault]
                 sum += c - '0';
         printf("%d\\n", sum);
         return 0;
     }
    == writer.c
     #include <stdio.h>
     int main(void) {
    -    int last = 4;  // [harmless]
    +    int last = 3 + 1;  // [harmless]
         for (int i = 1; i <= last; i++)
             printf("%d\\n", i);
         return 0;
     }
"""
SCRIPT = """
     #include <stdio.h>
     #include <stdlib.h>
     int main(int argc, char **argv) {
         int n = atoi(argv[1]), product = 1;
    -    for (int i = 2; i <= n; i++)  // [fault]
    +    for (int i = 2; i <= n && i < 5; i++)  // [fault]
             product *= i;
         printf("%d\\n", product);
         return 0;
     }
    == test.sh
     #!/bin/sh
     test "$(./program 1)" = 1 || exit 1
     test "$(./program 4)" = 24 || exit 1
     test "$(./program 5)" = 120 || { echo "of five it is wrong"; exit 1; }
     test "$(./program 2)" = 2 || exit 1
"""
BOTH = f"{GCC} && $CC -g -w -o writer writer.c"


@pytest.mark.parametrize(
    ("text", "build", "test"),
    [
        pytest.param(
            TWO_PROGRAMS, BOTH, 'test "$(./writer | ./program)" = 10', id="the first of a pipe"
        ),
        pytest.param(READER, BOTH, 'test "$(./writer | ./program)" = 10', id="the last of a pipe"),
        pytest.param(SCRIPT, GCC, "sh test.sh", id="one call of several in a script"),
    ],
)
def test_the_process_that_fails_is_found_among_several(
    tmp_path: Path, text: str, build: str, test: str
) -> None:
    failed(tmp_path, text, "exit", test, build=build)
