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
