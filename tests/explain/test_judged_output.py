"""Is the output the failure when another program judges it, whatever the exit status?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.explain.explaining import ExplainedPair, explain

# It prints to both streams, and always ends with status 3.
BOTH_STREAMS = """
     #include <stdio.h>
     static int price(int count) {
    -    return count * 7;  // [fault]
    +    return count * 7 - 1;  // [fault]
     }
     int main(int argc, char **argv) {
    -    printf("order of %d\\n", argc);  // [harmless]
    +    fputs("order of ", stdout);  // [harmless]
    +    printf("%d\\n", argc);  // [harmless]
         if (argc > 2)
             fprintf(stderr, "price %d\\n", price(argc));  // [warns]
         else
             printf("price %d\\n", price(argc));  // [prints]
         puts("thanks");
         return 3;
     }
"""
MISSING_LINE = """
     #include <stdio.h>
     static int is_shown(int level) {
    -    return level <= 3;  // [fault]
    +    return level < 3;  // [fault]
     }
     int main(void) {
         for (int level = 1; level <= 4; level++)
             if (is_shown(level))  // [branch]
                 printf("level %d\\n", level == 4 ? 0 : level);
         return 0;
     }
"""
STATUS = """
     #include <string.h>
     int main(int argc, char **argv) {
    -    return strcmp(argv[1], argv[2]) != 0;  // [fault]
    +    return strncmp(argv[1], argv[2], 2) != 0;  // [fault]
     }
"""
FILE = """
     #include <fcntl.h>
     #include <stdio.h>
     #include <unistd.h>
     static char digit(int n) {
    -    return (char)('0' + n % 10);  // [fault]
    +    return (char)('0' + n % 9);  // [fault]
     }
     int main(void) {
         int fd = open("out", O_CREAT | O_RDWR | O_TRUNC, 0644);
         for (int n = 11; n >= 0; n--) {
             char c = digit(n);
             pwrite(fd, &c, 1, n);
         }
         return close(fd);
     }
    == expected
     012345678901
"""
# The stores go to the file through memory, and no call names their bytes.
MAPPED = """
     #include <fcntl.h>
     #include <sys/mman.h>
     #include <unistd.h>
     static char letter(int i) {
    -    return (char)('a' + i);  // [fault]
    +    return (char)('a' + i + (i > 2));  // [fault]
     }
     int main(void) {
         int fd = open("out", O_RDWR | O_CREAT | O_TRUNC, 0644);
         ftruncate(fd, 5);
         char *text = mmap(0, 5, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
         close(fd);
         for (int i = 0; i < 5; i++)
             text[i] = letter(i);
         return munmap(text, 5);
     }
"""
# The text is gathered in memory, and one call writes all of it.
GATHERED = """
     #include <stdio.h>
     static char text[64];
     static int used;
     static void put(char c) {
    -    if (c != ',')  // [fault]
    +    if (c != ',' && c != 'o')  // [fault]
             text[used++] = c;
     }
     int main(void) {
         for (const char *p = "one, two, four"; *p; p++)
             put(*p);
         fwrite(text, 1, used, stdout);
         return 0;
     }
"""
KILLED = """
     #include <stdio.h>
     #include <stdlib.h>
     int main(int argc, char **argv) {
    -    int twice = argc * 2;  // [fault]
    +    int twice = argc + 2;  // [fault]
         printf("%d\\n", twice);
         fflush(stdout);
         abort();
     }
"""
# A library that is not recorded prints what it is given.
UNRECORDED = """
     void show(const char *what, int number);
     static int half(int n) {
    -    return n / 2;  // [fault]
    +    return (n + 1) / 2;  // [fault]
     }
     int main(int argc, char **argv) {
         show("first", half(4));
         show("second", half(7));  // [shows]
         return 0;
     }
    == show.c
     #include <stdio.h>
     void show(const char *what, int number) {
         printf("%s %d", what, number);
         putchar('\\n');
     }
"""
# It writes more than a pipe holds, so SIGPIPE kills it if its reader goes away.
MANY_LINES = """
     #include <stdio.h>
     static const char *kind(int n) {
    -    return n > 1 ? "even" : "odd";  // [fault]
    +    return n > 2 ? "even" : "odd";  // [fault]
     }
     int main(void) {
         puts("the kinds:");
         for (int n = 1; n < 3000; n++)
             printf("%-20d of %100s is %s\\n", n, "3000 numbers", kind(n));  // [prints]
         return 3;
     }
"""
WITH_LIBRARY = (
    "WHENCE_MODE=plain $CC -shared -fPIC -o libshow.so show.c && "
    "$CC -g -w -o program program.c -L. -lshow -Wl,-rpath,$PWD"
)
PYTHON_JUDGE = (
    'python3 -c "import subprocess as s; '
    "assert b'price 7' in s.run('./program', capture_output=True).stdout\""
)


def seen(tmp_path: Path, text: str, test: str, words: str, **more: Any) -> ExplainedPair:
    """Check that the fault is the root, and that these words describe the failure."""
    answer = explain(tmp_path, text, test, **more)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert "fault" in answer.links
    assert words in answer.chain[-1].says
    return answer


@pytest.mark.parametrize(
    ("test", "words", "last"),
    [
        pytest.param(
            "./program | grep -q 'price 7'",
            'line 2 of standard output: "price 6" instead of "price 7"',
            "prints",
            id="grep",
        ),
        pytest.param(
            "./program a b 2>&1 >/dev/null | grep 'price 21'",
            'line 1 of standard error: "price 20" instead of "price 21"',
            "warns",
            id="standard error",
        ),
        pytest.param(PYTHON_JUDGE, '"price 6" instead of "price 7"', "prints", id="python"),
    ],
)
def test_wrong_text_is_the_failure_whatever_the_status(
    tmp_path: Path, test: str, words: str, last: str
) -> None:
    assert seen(tmp_path, BOTH_STREAMS, test, words).links[-1] == last


def test_the_good_version_may_fail_if_outputs_are_compared(tmp_path: Path) -> None:
    answer = explain(tmp_path, BOTH_STREAMS, compares_output=True)
    assert answer.result.failure.kind == "output"
    assert answer.root == {"fault"}
    assert answer.links[-1] == "prints"
    assert any("exit status 3" in note for note in answer.result.notes)


def test_output_that_was_never_written_is_explained_by_the_branch(tmp_path: Path) -> None:
    words = 'standard output ends before line 3, which should be "level 3"'
    assert "branch" in seen(tmp_path, MISSING_LINE, "./program | grep 3", words).links


def test_status_0_is_a_failure_if_the_passing_run_has_another(tmp_path: Path) -> None:
    seen(tmp_path, STATUS, "! ./program abc abd", "exit status 0")


def test_a_file_that_the_test_compares_is_output(tmp_path: Path) -> None:
    words = 'line 1 of out: "012345678012" instead of "012345678901"'
    seen(tmp_path, FILE, "./program; printf '\\n' >> out; cmp out expected", words)


def test_stores_to_a_mapped_file_are_output(tmp_path: Path) -> None:
    words = 'line 1 of out: "abcef" instead of "abcde"'
    seen(tmp_path, MAPPED, "./program; grep -q abcde out", words)


def test_a_byte_is_traced_through_a_buffer_of_the_program(tmp_path: Path) -> None:
    seen(tmp_path, GATHERED, "./program | grep one", '"ne tw fur" instead of "one two four"')


def test_output_of_a_library_that_is_not_recorded_is_seen(tmp_path: Path) -> None:
    words = 'line 2 of standard output: "second 4" instead of "second 3"'
    answer = seen(tmp_path, UNRECORDED, "./program | grep 3", words, build=WITH_LIBRARY)
    assert answer.links[-1] == "shows"


def test_a_process_that_dies_in_both_versions_is_judged_by_its_output(tmp_path: Path) -> None:
    seen(tmp_path, KILLED, "./program | grep 2", '"3" instead of "2"')


@pytest.mark.parametrize(
    "test",
    [
        pytest.param("./program | grep -q '^2 .*even'", id="the passing run is cut off"),
        pytest.param("! ./program | grep -q '^2 .*odd'", id="the failing run is cut off"),
    ],
)
def test_a_reader_that_goes_away_does_not_hide_the_output(tmp_path: Path, test: str) -> None:
    answer = seen(tmp_path, MANY_LINES, test, "line 3 of standard output")
    assert answer.links[-1] == "prints"


EMPTY_FILE = """
     #include <stdio.h>
     static int is_kept(int level) {
    -    return level <= 3;  // [fault]
    +    return level < 3;  // [fault]
     }
     int main(void) {
         FILE *file = fopen("kept.txt", "w");
         if (is_kept(3))  // [branch]
             fputs("kept\\n", file);
         fclose(file);
         return 0;
     }
"""


def test_a_file_that_stays_empty_is_named_as_in_the_tree(tmp_path: Path) -> None:
    words = 'the failure: kept.txt ends before line 1, which should be "kept"'
    seen(tmp_path, EMPTY_FILE, "./program; test -s kept.txt", words)
