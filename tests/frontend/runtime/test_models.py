"""Do the hooks log what the functions of libc did?"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.frontend.runtime import decoding as d
from tests.frontend.runtime.conftest import CC, Record
from whence.frontend.c.models import MODELS, REPLACED
from whence.frontend.c.runtime import SOURCES, build

NONE = -1


def test_the_table_matches_the_hooks_of_the_runtime(tmp_path: Path) -> None:
    """Every hook has the LLVM types that a call of it will have, and there are no others."""
    text = tmp_path / "runtime.ll"
    flags = ["-O0", "-S", "-emit-llvm", "-fno-discard-value-names", "-o", str(text)]
    subprocess.run([*CC, *flags, str(SOURCES / "runtime.c")], check=True)
    defined = dict(re.findall(r"^define .*void @(wh_[ab]_\w+)\((.*?)\) #", text.read_text(), re.M))
    hooks = {name: ", ".join(_types(params)) for name, params in defined.items()}
    for name, target in re.findall(r"^@(wh_[ab]_\w+) = .*alias .*@(\w+)$", text.read_text(), re.M):
        hooks[name] = hooks[target]
    expected = {}
    for model in MODELS.values():
        params = [*model.params, *(["..."] if model.variadic else [])]
        result = [] if model.result == "void" else [model.result]
        if model.before:
            expected[f"wh_b_{model.name}"] = ", ".join(params)
        if model.after:
            expected[f"wh_a_{model.name}"] = ", ".join([*result, *params])
    assert hooks == expected
    for name in REPLACED.values():
        assert name == "fork" or re.search(rf"^define .*@{name}\(", text.read_text(), re.M)


def _types(parameters: str) -> list[str]:
    return [part.split()[0] for part in parameters.split(", ") if part]


def test_the_runtime_is_built_once(tmp_path: Path) -> None:
    runtime = build(CC, tmp_path)
    before = runtime.shared.stat().st_mtime_ns
    assert build(CC, tmp_path) == runtime
    assert runtime.shared.stat().st_mtime_ns == before
    assert runtime.object.is_file()
    assert len(list(tmp_path.iterdir())) == 1


def outputs(effects: list[d.Effect], source: int) -> list[tuple[int, int, int, int]]:
    """Return (offset, length, address, argument) of each piece of output to `source`."""
    return [(e[2], e[3], e[4], e[5]) for e in effects if e[0] == d.OUTPUT and e[1] == source]


def test_each_piece_of_output_knows_its_argument(record: Record) -> None:
    run = record("prints")
    assert run.stream.sources == {1: (3, b"stdout")}
    found = [(offset, length, arg) for offset, length, _, arg in outputs(run.stream.effects, 1)]
    pieces = [(b"a", NONE), (b" ", 1), (b"word", 1), (b"|", NONE), (b"-42", 2), (b"%", NONE),
              (b"x  ", 3), (b"|", NONE), (b"1.50", 4), (b"\n", NONE), (b"tail", 1)]  # fmt: skip
    expected, at = [], 0
    for text, arg in pieces:
        expected.append((at, len(text), arg))
        at += len(text)
    assert found == expected
    assert [text.text for text in run.stream.texts] == [text for text, _ in pieces]


def test_each_piece_of_text_in_memory_knows_its_argument(record: Record) -> None:
    run = record("prints_to_memory")
    assert run.status == 0
    at = run.shown()
    text, word = at["text"], at["word"]
    assert outputs(run.stream.effects, d.MEMORY) == [
        (0, 2, text, 3), (2, 1, text + 2, NONE), (3, 4, text + 3, 4)
    ]  # fmt: skip
    assert (d.WRITE, text, 2) in run.stream.effects
    assert (d.COPY, text + 3, word, 4) in run.stream.effects  # only what fits
    assert (d.READ, word, 7) in run.stream.effects
    assert (d.WRITE, text + 7, 1) in run.stream.effects


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_input_bytes_are_numbered(record: Record, tmp_path: Path, kind: str) -> None:
    data = b"xline of text\n 12   word\nmore"
    if kind == "file":
        (tmp_path / "input").write_bytes(data)
    run = record("reads", given=data if kind == "pipe" else tmp_path / "input")
    assert run.status == 6
    at = run.shown()
    taken = [effect[2:] for effect in run.stream.effects if effect[0] == d.INPUT]
    assert taken == [(0, 1, 0), (1, 13, at["line"]), (14, 10, 0), (24, 1, 0)]
    assert run.stream.sources[0] == (2, b"stdin")
    assert (d.WRITE, at["number"], 4) in run.stream.effects
    assert (d.WRITE, at["word"], 5) in run.stream.effects
    assert run.stream.effects[-1] == (d.EXIT, 6)


def test_strings_are_read_up_to_the_deciding_byte(record: Record) -> None:
    run = record("strings")
    at = run.shown()
    text = at["text"]
    seen = [e for e in run.stream.effects if e[0] not in (d.ARGV, d.ENV)]
    assert [e for e in seen if text <= e[1] < text + 10] == [
        (d.READ, text, 5), (d.WRITE, text + 4, 1), (d.READ, text + 5, 5), (d.READ, text + 9, 1),
    ]  # fmt: skip
    assert [e[2] for e in seen if e[0] == d.READ].count(3) == 2  # "abcd" and "abxy"
    assert (d.ALLOC, at["new"], 4000) in seen
    assert [(e[1], e[2]) for e in seen if e[0] == d.COPY] == [(at["new"], at["old"])]
    assert (d.FREE, at["old"]) in seen


FLAGS = st.text("-+ #0", max_size=3)
WIDTH = st.sampled_from(["", "1", "3", "12"])
PRECISION = st.sampled_from(["", ".", ".0", ".2", ".7"])
DIRECTIVES = {  # by the type of the value: lengths and conversions
    "i": (["", "h", "hh"], "diuxXoc"),
    "l": (["l", "ll", "z", "j"], "diuxXo"),
    "s": ([""], "s"),
    "f": ([""], "eEfFgGaA"),
    "L": (["L"], "eEfFgGaA"),
}
LITERAL = st.text("ab|\n", max_size=3) | st.just("%%")


def check_pieces(record: Record, *arguments: str) -> None:
    """The pieces, one after another, make up the whole output, and so do their texts."""
    run = record("formats", *arguments)
    assert run.status == 0
    assert b"".join(text.text for text in run.stream.texts if text.source == 1) == run.output
    at = 0
    for offset, length, _, _ in outputs(run.stream.effects, 1):
        assert offset == at
        at += length
    assert at == len(run.output)


quick = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@quick
@given(st.data())
def test_pieces_make_up_the_output(record: Record, data: st.DataObject) -> None:
    draw = data.draw
    head, tail, flags, precision = draw(LITERAL), draw(LITERAL), draw(FLAGS), draw(PRECISION)
    kind = draw(st.sampled_from(sorted(DIRECTIVES)))
    lengths, conversions = DIRECTIVES[kind]
    width = "*" if kind in "is" else draw(WIDTH)  # the program gives these two a width first
    length, conversion = draw(st.sampled_from(lengths)), draw(st.sampled_from(conversions))
    spec = flags + width + precision + length + conversion
    number = draw(st.integers(-(2**31), 2**31 - 1))
    value = draw(st.text("xyzé", max_size=9)) if kind == "s" else str(number)
    if kind in "fL":
        value = str(draw(st.floats()))
    star = str(draw(st.integers(-12, 12)))
    check_pieces(record, f"{head}%{spec}{tail}", kind, value, star)


@pytest.mark.parametrize(
    "arguments",
    [
        ("plain",),
        ("100%%",),
        ("%2$*1$d|%2$d", "i", "77", "5"),
        ("%2$s %1$d %2$-12s.", "s", "twice", "4"),
        ("%ld %lx", "l", "123456789012"),
        ("%y%d", "l", "5"),
    ],
)
def test_numbered_and_strange_directives_make_up_the_output(
    record: Record, arguments: tuple[str, ...]
) -> None:
    check_pieces(record, *arguments)
