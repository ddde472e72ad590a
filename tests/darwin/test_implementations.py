"""Two programs for the same task, without a line in common."""

from __future__ import annotations

from pathlib import Path

from tests.darwin.comparing import check_suspect, line_of
from whence.service.program_pair import DarwinRequest, compare_programs
from whence.subject.trial import BuildAndTest

LINES = """#include <stdio.h>
int main(int argc, char **argv)
{
    const char *line = argv[1];
    if (line[0] == '#' || line[0] == ';')
        return puts("comment");
    puts("setting");
    return argc > 2;
}
"""
STATES = """#include <stdio.h>
enum state { START, COMMENT, NAME };
int main(int argc, char **argv)
{
    enum state state = START;
    for (const char *at = argv[1]; *at != 0; at++) {
        if (state == START && *at == '#')
            state = COMMENT;
        else if (state == START)
            state = NAME;
    }
    puts(state == COMMENT ? "comment" : "setting");
    return argc > 2;
}
"""


def test_a_missing_test_has_its_place_where_the_same_byte_is_tested(tmp_path: Path) -> None:
    """Both programs test the first byte for `#`."""
    for version, name, text in (("good", "lines.c", LINES), ("bad", "states.c", STATES)):
        (tmp_path / version).mkdir()
        (tmp_path / version / name).write_text(text)
    request = DarwinRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands_good=BuildAndTest(test="./lines ';x'", build="$CC -g -o lines lines.c"),
        commands_bad=BuildAndTest(test="./states ';x'", build="$CC -g -o states states.c"),
        repo=tmp_path,
    )
    result = compare_programs(request, tmp_path / "out", lambda _: None)
    suspect = check_suspect(result, "good", line_of(LINES, "line[0] == ';'"))
    assert suspect.in_bad == ("states.c", line_of(STATES, "*at == '#'"))


SIGNED = """#include <stdio.h>
int main(int argc, char **argv)
{
    const char *at = argv[1];
    if (*at == '+' || *at == '-')
        at++;
    puts(*at >= '0' && *at <= '9' ? "number" : "none");
    return argc > 2;
}
"""
ONE_SIGN = """#include <stdio.h>
enum state { START, SIGN, DIGIT, NONE };
static enum state next(enum state state, char c)
{
    int is_digit = c >= '0' && c <= '9';
    if (state == START && c == '-')
        return SIGN;
    return is_digit ? DIGIT : NONE;
}
int main(int argc, char **argv)
{
    enum state state = START;
    for (const char *at = argv[1]; *at != 0 && state != NONE; at++)
        state = next(state, *at);
    puts(state == DIGIT ? "number" : "none");
    return argc > 2;
}
"""


def test_a_value_that_is_not_tested_belongs_to_a_test_of_as_many_values(tmp_path: Path) -> None:
    """The other program has no branch for `+`; it has one for `-`."""
    for version, name, text in (("good", "a.c", SIGNED), ("bad", "b.c", ONE_SIGN)):
        (tmp_path / version).mkdir()
        (tmp_path / version / name).write_text(text)
    request = DarwinRequest(
        good=str(tmp_path / "good"),
        bad=str(tmp_path / "bad"),
        commands_good=BuildAndTest(test="./a +5", build="$CC -g -o a a.c"),
        commands_bad=BuildAndTest(test="./b +5", build="$CC -g -o b b.c"),
        repo=tmp_path,
    )
    result = compare_programs(request, tmp_path / "out", lambda _: None)
    found = {one.in_bad for one in result.suspects}
    assert ("b.c", line_of(ONE_SIGN, "state == START && c == '-'")) in found, result.suspects
