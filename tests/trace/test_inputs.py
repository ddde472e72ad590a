"""Which inputs did a C program read, and are they the same things in every recording?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.causes.explaining import Built, built
from whence.frontend.c.models import MODELS, READERS, WRITES_LOGGED
from whence.frontend.c.record import record
from whence.frontend.recorded_run import keep_sources
from whence.inputs import (
    STDIN,
    InputByte,
    InputPointer,
    InputRange,
    InputSource,
    SourceKind,
    argument,
    merged,
    variable,
)
from whence.languages import language_of, open_recording
from whence.model import SliceResult
from whence.program.ids import Step
from whence.report.inputs import input_words, process_input_words
from whence.subject.trial import BuildAndTest
from whence.trace.c.flow import CFlow
from whence.trace.c.memory import Memory
from whence.trace.c.recording import CThread
from whence.trace.flow import Left, Operand, Parameter
from whence.trace.recording import Recording
from whence.trace.slice_at import slice_at
from whence.trace.summary import summarise

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
    assert result.inputs == (InputRange(argument(3), 0, 2),)


def test_functions_whose_writes_are_known_have_a_model() -> None:
    assert set(MODELS) >= READERS | WRITES_LOGGED
    assert not READERS & WRITES_LOGGED


ERRNO = (
    HEADERS
    + """#include <errno.h>
int main(void) {
    long n = strtol("99999999999999999999", NULL, 10);
    int failed = errno;
    return failed == 0;
}
"""
)


def test_errno_is_set_by_the_latest_call(tmp_path: Path) -> None:
    """All other writes of strtol are logged."""
    result = slice_of(run(tmp_path, ERRNO, "./program"), "failed = ", "failed")
    assert [text for text in texts(result) if "strtol" in text]


def test_memory_holds_the_arguments_from_the_start(tmp_path: Path) -> None:
    recording = run(tmp_path, AFTER_A_CALL, "./program 5 6 7")
    memory = Memory(main_thread(recording))
    strings = dict(memory.strings.strings)
    (address,) = (start for start, text in strings.items() if text == b"7\0")
    assert memory.read(address, 2, before=Step(5)) == b"7\0"
    assert memory.read(address, 3, before=Step(5)) is None


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


# --- every byte is what the source holds there -----------------------------------------------

READER = (
    HEADERS
    + """#include <unistd.h>
#include <fcntl.h>
static int sum(const char *text, int n) {
    int total = 0;
    for (int i = 0; i < n; i++) total += text[i];
    return total;
}
int main(int argc, char **argv) {
    char line[100], chunk[100];
    int total = sum(argv[1], strlen(argv[1]) + 1);
    total += sum(getenv("INPUT"), strlen(getenv("INPUT")));
    if (fgets(line, sizeof line, stdin)) total += sum(line, strlen(line));
    int c = getchar();
    FILE *file = fopen("data/in.txt", "r");
    fseek(file, 3, SEEK_SET);
    total += fgetc(file);
    size_t got = fread(chunk, 1, sizeof chunk, file);
    total += sum(chunk, got);
    int again = open("data/in.txt", O_RDONLY);
    if (read(again, chunk, 4) == 4) total += sum(chunk, 4);
    return total + c == 0;
}
"""
)
ARGUMENT, VARIABLE, LINES, CONTENTS = (
    b"some text",
    b"of the environment",
    b"one\ntwo\n",
    b"0123456789",
)
CONTENTS_OF = {
    argument(1): ARGUMENT + b"\0",
    variable("INPUT"): VARIABLE + b"\0",
    STDIN: LINES,
    InputSource(SourceKind.FILE, "data/in.txt"): CONTENTS,
}


def main_thread(recording: Recording) -> CThread:
    (process,) = recording.processes
    thread = recording.thread(recording.image(process), process.logs[0])
    assert isinstance(thread, CThread)
    return thread


def read_bytes(flow: CFlow) -> Iterator[tuple[InputByte, int]]:
    """Yield the input bytes that steps with a value of one byte are, with those values."""
    for step in flow.thread.stream.every_step:
        node = flow.node(step)
        operands: tuple[Operand, ...] = node.operands
        if len(operands) == 1 and isinstance(operands[0], Left) and operands[0].width == 8:
            operands = tuple(one for one in flow.left(operands[0]) if isinstance(one, InputByte))
        elif flow.is_call(step) and node.operation.width == 32:  # fgetc, getchar
            operands = tuple(one for one in operands if isinstance(one, InputByte))
        if len(operands) == 1 and isinstance(operands[0], InputByte):
            yield operands[0], flow.value(step) & 0xFF


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    folder = tmp_path_factory.mktemp("reader")
    (folder / "tree" / "data").mkdir(parents=True)
    (folder / "tree" / "data" / "in.txt").write_bytes(CONTENTS)
    (folder / "tree" / "stdin").write_bytes(LINES)
    (folder / "out").mkdir()
    (folder / "tree" / "program.c").write_text(READER)
    test = f"INPUT={shlex.quote(VARIABLE.decode())} ./program {shlex.quote(ARGUMENT.decode())}"
    recipe = BuildAndTest(test=f"{test} < stdin", build="$CC -g -w -o program program.c")
    record(folder / "tree", recipe, folder / "out")
    keep_sources(folder / "tree", {"program.c"}, folder / "out")
    return open_recording(folder / "out")


def test_every_input_byte_has_the_value_that_its_source_has_there(reader: Recording) -> None:
    found = list(read_bytes(CFlow(main_thread(reader))))
    for byte, value in found:
        assert CONTENTS_OF[byte.source][byte.offset] == value, byte
    seen = {byte for byte, _ in found}
    assert {InputByte(argument(1), offset) for offset in range(len(ARGUMENT) + 1)} <= seen
    assert {InputByte(variable("INPUT"), offset) for offset in range(len(VARIABLE))} <= seen
    assert {InputByte(STDIN, offset) for offset in range(5)} <= seen
    file = InputSource(SourceKind.FILE, "data/in.txt")
    assert {byte for byte in seen if byte.source == file} == {
        InputByte(file, offset) for offset in range(10)
    }


def test_a_byte_that_is_read_by_two_calls_is_one_input(reader: Recording) -> None:
    """Byte 3 of the file was read by fgetc, and through another descriptor by read."""
    found = [byte for byte, _ in read_bytes(CFlow(main_thread(reader)))]
    assert found.count(InputByte(InputSource(SourceKind.FILE, "data/in.txt"), 3)) == 2


def test_a_process_lists_what_it_read_by_source(reader: Recording) -> None:
    (process,) = summarise(reader, reader.folder.parent / "tree", max_trace=1 << 30).processes
    assert process_input_words(process.inputs) == [
        "1 argument",
        "stdin (bytes 0 to 4)",
        "data/in.txt (bytes 0 to 9)",
    ]


# --- random inputs, and random ways to read them ---------------------------------------------

RANDOM_READER = (
    HEADERS
    + """#include <unistd.h>
static int sum(const char *text, long n) {
    int total = 0;
    for (long i = 0; i < n; i++) total += text[i];
    return total;
}
int main(int argc, char **argv) {
    char chunk[64], copy[64];
    int total = 0;
    for (int i = 3; i < argc; i++) total += sum(argv[i], strlen(argv[i]) + 1);
    FILE *file = fopen(argv[1], "r");
    for (const char *how = argv[2]; *how; how++) {
        long n = 0;
        int c;
        switch (*how) {
        case 'c': if ((c = fgetc(file)) != EOF) chunk[0] = c, total += c; break;
        case 'u': if ((c = fgetc(file)) != EOF) ungetc(c, file); break;
        case 'r': n = fread(chunk, 1, 5, file); total += sum(chunk, n); break;
        case 'l': if (fgets(chunk, 9, file)) total += sum(chunk, strlen(chunk)); break;
        case 'm':
            n = fread(chunk, 1, 4, file);
            memcpy(copy, chunk, n);
            total += sum(copy, n);
            break;
        case 's': fseek(file, 2, SEEK_SET); break;
        case 'b': fseek(file, -1, SEEK_CUR); break;
        case 'i': if ((c = getchar()) != EOF) total += c; break;
        }
    }
    return total == -1;
}
"""
)
ALPHABET = "abc \n\u00e4"
RUNS = st.tuples(
    st.text("curlmsbi", max_size=12),
    st.text(ALPHABET, max_size=30),
    st.text(ALPHABET, max_size=8),
    st.lists(st.text("xyz =\u00e4", max_size=6), max_size=3),
)


@pytest.fixture(scope="module")
def random_reader(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return built(RANDOM_READER, tmp_path_factory.mktemp("random"))


@given(RUNS)
@settings(
    deadline=None,
    max_examples=10,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_random_inputs_have_the_bytes_of_their_source(
    random_reader: Built, drawn: tuple[str, str, str, list[str]]
) -> None:
    ways, contents, typed, arguments = drawn
    (random_reader.source / "in.txt").write_bytes(contents.encode())
    random_reader.program = replace(random_reader.program, stdin=typed.encode())
    recording = random_reader.run("in.txt", ways, *arguments)
    sources = {
        InputSource(SourceKind.FILE, "in.txt"): contents.encode(),
        STDIN: typed.encode(),
        **{argument(n): text.encode() + b"\0" for n, text in enumerate(arguments, 3)},
        argument(1): b"in.txt\0",
        argument(2): ways.encode() + b"\0",
    }
    found = list(read_bytes(CFlow(main_thread(recording))))
    for byte, value in found:
        assert sources[byte.source][byte.offset] == value, byte
    read = {byte for byte, _ in found}
    for number, text in enumerate(arguments, 3):
        own = {InputByte(argument(number), offset) for offset in range(len(text.encode()) + 1)}
        assert own <= read


# --- the same input in two recordings --------------------------------------------------------

FIRST = (
    HEADERS
    + """
int main(int argc, char **argv) {
    return argv[2][0] == 'a' && getchar() == 'b';
}
"""
)
SECOND = (
    HEADERS
    + """
static char before[1000];
int main(int argc, char **argv) {
    char copy[100];
    puts("another version");
    strcpy(copy, argv[2]);
    if (copy[0] != 'a') return 2;
    char again[1];
    fread(again, 1, 1, stdin);
    return again[0] == 'b';
}
"""
)


def test_two_versions_read_the_same_inputs(tmp_path: Path) -> None:
    tests = {"first": (FIRST, "x a"), "second": (SECOND, "a-longer-argument abc")}
    found = {}
    for name, (source, arguments) in tests.items():
        thread = main_thread(run(tmp_path / name, source, f"echo b | ./program {arguments}"))
        found[name] = {byte for byte, _ in read_bytes(CFlow(thread))}
    assert found["first"] == {InputByte(argument(2), 0), InputByte(STDIN, 0)}
    assert found["first"] == found["second"]


def test_a_pointer_of_argv_and_a_parameter_of_main_are_no_input_bytes(tmp_path: Path) -> None:
    flow = CFlow(main_thread(run(tmp_path, FIRST, "echo b | ./program x a")))
    operands = [
        one for step in flow.thread.stream.every_step[:-1] for one in flow.node(step).operands
    ]
    assert InputPointer(argument(2)) in operands
    assert Parameter(None, 1, 64) in operands


# --- ranges ----------------------------------------------------------------------------------

RANGES = st.lists(
    st.builds(
        lambda number, start, size: InputRange(argument(number), start, start + size),
        st.integers(0, 2),
        st.integers(0, 12),
        st.integers(0, 4),
    )
)


@given(RANGES)
@settings(deadline=None)
def test_merged_ranges_hold_the_same_bytes_once(ranges: list[InputRange]) -> None:
    found = merged(ranges)
    listed = [byte for one in found for byte in one.bytes()]
    assert len(listed) == len(set(listed))
    assert set(listed) == {byte for one in ranges for byte in one.bytes()}
    assert {one.source for one in found} == {one.source for one in ranges}
    assert list(found) == sorted(found)


def test_inputs_in_words() -> None:
    file = InputSource(SourceKind.FILE, "in.txt")
    found = merged(
        [
            InputRange(file, 8, 10),
            InputRange(argument(2), 0, 4),
            InputRange(file, 0, 3),
            InputRange(variable("HOME"), 0, 0),
            InputRange(InputSource(SourceKind.STREAM, "pipe"), 0, 1),
            InputRange(InputSource(SourceKind.STREAM, "pipe", 1), 0, 1),
        ]
    )
    assert input_words(found) == [
        "argument 2",
        "$HOME",
        "in.txt (bytes 0 to 2, 8 to 9)",
        "pipe (bytes 0 to 0)",
        "pipe (1) (bytes 0 to 0)",
    ]
