"""Do slices pass through library functions, also through those that old C declares otherwise?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.frontend.c.record import record
from whence.languages import open_recording
from whence.subject.trial import BuildAndTest
from whence.trace.c.analysis import CAnalysis
from whence.trace.points import find
from whence.trace.recording import Recording
from whence.trace.slice_at import steps_of
from whence.trace.written import written_streams

# Each function prints one character, which depends on one text; the comment names its line.
PROGRAM = r"""
#define _GNU_SOURCE
#include <fnmatch.h>
#include <libintl.h>
#include <obstack.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static void write_text(char *to, const char *from) { while ((*to++ = *from++)) ; }

static int by_pattern(void) {
    char pattern[9];
    write_text(pattern, "a*");                   // fnmatch
    return fnmatch(pattern, "abc", 0) == 0;
}
static int by_expression(void) {
    char pattern[9];
    regex_t made;
    regmatch_t found[1];
    write_text(pattern, "b.*");                  // regcomp
    regcomp(&made, pattern, 0);
    return regexec(&made, "abc", 1, found, 0) == 0 ? (int)found[0].rm_so : 9;
}
static int by_text(void) {
    char text[9];
    regex_t made;
    write_text(text, "xxb");                     // regexec
    regcomp(&made, "b", 0);
    return regexec(&made, text, 0, NULL, 0) == 0;
}
static int by_search(void) {
    char pattern[9];
    struct re_pattern_buffer made = {0};
    struct re_registers found = {0};
    write_text(pattern, "b*c");                  // re_search
    re_compile_pattern(pattern, 3, &made);
    re_search(&made, "abc", 3, 0, 3, &found);
    return found.end[0];
}
static int by_character(void) {
    char text[9];
    wchar_t wide;
    mbstate_t state = {0};
    write_text(text, "7");                       // mbrtowc
    mbrtowc(&wide, text, 1, &state);
    return wide - L'0';
}
static int by_characters(void) {
    char text[9];
    wchar_t wide[9];
    write_text(text, "16");                      // mbstowcs
    mbstowcs(wide, text, 9);
    return wide[1] - L'0';
}
static int by_translation(void) {
    char text[9];
    write_text(text, "5");                       // gettext
    return *gettext(text) - '0';
}
static int by_object(void) {
    struct obstack stack;
    obstack_init(&stack);
    obstack_1grow(&stack, '4');                  // obstack
    for (int i = 0; i < 5000; i++) obstack_1grow(&stack, 'x');
    return *(char *)obstack_finish(&stack) - '0';
}

int main(void) {
    int (*all[])(void) = {by_pattern, by_expression, by_text, by_search, by_character,
                          by_characters, by_translation, by_object};
    for (int i = 0; i < 8; i++) putchar('0' + all[i]());
    return 0;
}
"""
NAMES = ("fnmatch", "regcomp", "regexec", "re_search", "mbrtowc", "mbstowcs", "gettext", "obstack")

# No declaration says what the functions get, and some give another type than they really do.
OLD_STYLE = r"""
char *malloc();
int strlen();
char *sprintf();
int exit();
int copy(to, from) char *to, *from; {
    while (*to++ = *from++) ;
}
int main(argc, argv) int argc; char **argv; {
    char *text = malloc(9), *out = malloc(20), *more = malloc(9);
    int memcpy();
    copy(text, "abc");                           /* strlen */
    sprintf(out, "%d", strlen(text));
    putchar(out[0]);
    copy(out, "xyz");                            /* memcpy */
    memcpy(more, out, strlen(out) + 1);
    putchar(more[1]);
    exit(argc + 4);                              /* exit */
}
"""

# What the C library writes to standard error, and a function that only has the name of one.
MESSAGES = r"""
#include <err.h>
#include <errno.h>
#include <error.h>
#include <stdarg.h>
#include <stdio.h>
void warnx(const char *format, ...) { fputs("my own\n", stderr); }
static void pass_on(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vwarn(format, list);
    va_end(list);
}
int main(void) {
    error(0, 0, "%d %s", 1, "plain");
    error(0, ENOENT, "a%c", 'b');
    error_at_line(0, 0, "file", 7, "at %s", "line");
    errno = EACCES;
    warn("warned %d", 5);
    pass_on("%s on", "passed");
    warnx("never %s", "seen");
    errno = 0;
    error(4, EACCES, "end");
}
"""


def recorded(folder: Path, text: str, flags: str, test: str = "./program || true") -> Recording:
    tree, out = folder / "tree", folder / "out"
    tree.mkdir()
    out.mkdir()
    (tree / "program.c").write_text(text)
    build = f"$CC -g {flags} -o program program.c"
    record(tree, BuildAndTest(test=test, build=build), out)
    return open_recording(out)


def lines_of(recording: Recording, at: str) -> set[int]:
    point = find(recording, at)
    queries, rows = point.thread.queries, point.thread.image.rows
    steps = steps_of(point, CAnalysis()).tolist()
    return {int(rows[queries.op_of(step)]) for step in steps}


def line_named(text: str, name: str) -> int:
    lines = enumerate(text.split("\n"), 1)
    (found,) = [n for n, line in lines if line.endswith((f"// {name}", f"/* {name} */"))]
    return found


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return recorded(tmp_path_factory.mktemp("library"), PROGRAM, "-w")


@pytest.mark.parametrize("name", NAMES)
def test_a_result_comes_from_the_text_that_the_function_read(library: Recording, name: str) -> None:
    found = lines_of(library, f"output:{NAMES.index(name)}")
    assert {other for other in NAMES if line_named(PROGRAM, other) in found} == {name}


def test_messages_of_the_library_are_output(tmp_path: Path) -> None:
    recording = recorded(tmp_path, MESSAGES, "-w", test="./program 2> ../message.txt")
    (process,) = recording.processes
    (stream,) = written_streams(recording, process)
    written = (tmp_path / "message.txt").read_bytes()
    assert stream.content == written
    assert written.count(b"\n") == 7


def test_functions_without_prototypes_are_known(tmp_path: Path) -> None:
    recording = recorded(tmp_path, OLD_STYLE, "-w -std=gnu89")
    names = ("strlen", "memcpy")
    for at, name in enumerate(names):
        found = lines_of(recording, f"output:{at}")
        assert {other for other in names if line_named(OLD_STYLE, other) in found} == {name}
    assert line_named(OLD_STYLE, "exit") in lines_of(recording, "exit")
