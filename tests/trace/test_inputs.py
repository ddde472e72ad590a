"""Which inputs did a C program read, and are they the same things in every recording?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.frontend.c.record import record
from whence.frontend.recorded_run import keep_sources
from whence.languages import language_of, open_recording
from whence.model import SliceResult
from whence.subject.trial import BuildAndTest
from whence.trace.recording import Recording
from whence.trace.slice_at import slice_at

HEADERS = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"


def run(folder: Path, source: str, test: str) -> Recording:
    """Record a test of a C program; the folder is created."""
    tree, out = folder / "tree", folder / "out"
    tree.mkdir(parents=True)
    out.mkdir()
    (tree / "program.c").write_text(source)
    record(tree, BuildAndTest(test=test, build="$CC -g -w -o program program.c"), out)
    keep_sources(tree, {"program.c"}, out)
    return open_recording(out)


def slice_of(recording: Recording, fragment: str, variable: str) -> SliceResult:
    """Return the slice of a variable at the only source line that has this fragment."""
    lines = (recording.folder / "source" / "program.c").read_text().splitlines()
    (number,) = (n for n, line in enumerate(lines, 1) if fragment in line)
    analysis = language_of(recording).analysis
    return slice_at(recording, f"program.c:{number}:{variable}", analysis)


def texts(result: SliceResult) -> list[str]:
    return [statement.text.strip() for statement in result.statements]


AFTER_A_CALL = (
    HEADERS
    + """
int main(int argc, char **argv) {
    int n;
    puts("x");
    n = atoi(argv[3]);
    return n - 7;
}
"""
)


def test_an_argument_that_is_read_after_a_library_call_comes_from_the_command_line(
    tmp_path: Path,
) -> None:
    result = slice_of(run(tmp_path, AFTER_A_CALL, "./program 5 6 7"), "atoi", "n")
    assert "n = atoi(argv[3]);" in texts(result)
    assert 'puts("x");' not in texts(result)
    assert [str(source) for source in result.inputs] == ["argument 3"]


CALLS = ['strlen("x")', 'strcmp("x", "y")', 'printf("x\\n")', "putchar(1)", 'fputs("x", stdout)']


@pytest.mark.parametrize("call", CALLS)
def test_calls_that_write_no_memory_are_not_said_to_have_set_what_is_read_after_them(
    tmp_path: Path, call: str
) -> None:
    """`environ` is memory that no recorded step wrote, and the call did not write it either."""
    source = f"""{HEADERS}#include <unistd.h>
extern char **environ;
int main(void) {{
    {call};
    char first = environ[0][0];
    return first == 0;
}}
"""
    result = slice_of(run(tmp_path, source, "FIRST=1 ./program"), "first = ", "first")
    assert not [text for text in texts(result) if text.startswith(call[:4])]
