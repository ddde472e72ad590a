"""Does damage to a trace crash whence, or change what it says without a word?

Each attempt copies a recorded run, damages one file of it, and asks for a slice, for a relevant
slice and for causes.  Damage as it happens must be reported, or must not change the answer.
*Forged* damage comes with checksums that fit: then any answer will do, but no crash.
"""

from __future__ import annotations

import io
import json
import random
import shutil
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from bench.attack.attempts import Answer, Attempt, in_child
from whence.frontend.c.record import record as record_c
from whence.frontend.python.record import record as record_python
from whence.frontend.recorded_run import DEFAULT_MAX_TRACE
from whence.frontend.trace_files import CHECKSUMS, write_checksums
from whence.languages import language_of, open_recording, open_search
from whence.subject.trial import BuildAndTest
from whence.trace.slice_at import slice_at
from whence.trace.summary import summarise

C_PROGRAM = """\
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { int price, count; char name[16]; };
static struct item items[8];
static int n_items;
static void add(const char *name, int price, int count) {
    struct item *one = &items[n_items++];
    strcpy(one->name, name);
    one->price = price;
    one->count = count;
}
static int total(int limit) {
    int sum = 0;
    for (int i = 0; i < n_items; i++) {
        if (items[i].price > limit) continue;
        sum += items[i].price * (items[i].count - 1);
    }
    return sum;
}
static int compared(const void *a, const void *b) {
    return ((const struct item *)a)->price - ((const struct item *)b)->price;
}
int main(int argc, char **argv) {
    char text[64];
    add("pen", 3, 2);
    add("ink", 7, argc);
    add("pad", 5, 4);
    qsort(items, n_items, sizeof *items, compared);
    int limit = argc > 1 ? atoi(argv[1]) : 6;
    snprintf(text, sizeof text, "%d", total(limit));
    puts(text);
    assert(strcmp(text, "26") == 0);
    return 0;
}
"""
PYTHON_PROGRAM = """\
class Item:
    def __init__(self, name, price, count):
        self.name, self.price, self.count = name, price, count

    def total(self):
        return self.price * (self.count - 1)


def read(text):
    for line in text.splitlines():
        name, price, count = line.split(",")
        yield Item(name, int(price), int(count))


def test_total():
    items = sorted(read("pen,3,2\\nink,7,1\\npad,5,4"), key=lambda item: item.price)
    seen = {item.name: item for item in items if item.price < 7}
    try:
        seen["box"]
    except KeyError as error:
        missing = str(error)
    assert sum(item.total() for item in seen.values()) == 26, missing


if __name__ == "__main__":
    test_total()
"""
Damage = Callable[[bytes, random.Random], bytes | None]  # None: the file is removed


def _flip(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(chance.choice((1, 1, 3))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _overwrite(data: bytes, chance: random.Random) -> bytes:
    at, size = chance.randrange(len(data) + 1), chance.choice((1, 4, 8, 64))
    filled = chance.choice((b"\0", b"\xff", b"\x7f", chance.randbytes(1)))
    return data[:at] + filled * min(size, len(data) - at) + data[at + size :]


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _append(data: bytes, chance: random.Random) -> bytes:
    return data + chance.randbytes(chance.choice((1, 8, 4096)))


def _repeat(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + data[max(at - chance.choice((4, 16, 100)), 0) :]


def _empty(data: bytes, chance: random.Random) -> bytes:  # noqa: ARG001 - a Damage
    return b""


def _noise(data: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(len(data))


def _remove(data: bytes, chance: random.Random) -> None:  # noqa: ARG001 - a Damage
    return None


def _forge(data: bytes, chance: random.Random) -> bytes:
    """Change one number or text of a file that can still be read."""
    try:
        if data[:2] == b"PK":
            return _forge_arrays(data, chance)
        if data[:1] == b"{":
            document = json.loads(data)
            _forge_leaf(document, chance)
            return json.dumps(document).encode()
    except (ValueError, LookupError):
        pass
    return _flip(data, chance)


def _forge_arrays(data: bytes, chance: random.Random) -> bytes:
    with np.load(io.BytesIO(data)) as file:
        arrays = {name: file[name].copy() for name in file.files}
    name = chance.choice(sorted(arrays))
    array, how = arrays[name], chance.randrange(4)
    if how == 0:
        arrays[name] = array[: chance.randrange(len(array) + 1)]
    elif how == 1:
        arrays[name] = array.view("u1")
    elif len(array):
        raw = array.view("u1").reshape(-1)
        raw[chance.randrange(len(raw))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def _forge_leaf(document: Any, chance: random.Random) -> None:
    """Replace a value somewhere in a JSON document."""
    while True:
        keys = list(document) if isinstance(document, dict) else list(range(len(document)))
        key = chance.choice(keys)
        inner = document[key]
        if isinstance(inner, dict | list) and inner and chance.random() < 0.9:
            document = inner
            continue
        values: tuple[Any, ...] = (-1, 0, 7, 2**31, 2**64, "", "x", None, [], {}, [[]], True)
        document[key] = chance.choice(values)
        return


DAMAGES: tuple[Damage, ...] = (
    *(_flip, _flip, _flip, _overwrite, _overwrite, _cut, _append, _repeat, _empty, _noise),
    _remove,
)


def record_program(language: str, folder: Path) -> Path:
    """Record the failing program of a language, and return its trace."""
    tree, out = folder / "tree", folder / "out"
    tree.mkdir(parents=True)
    out.mkdir()
    if language == "c":
        (tree / "items.c").write_text(C_PROGRAM)
        build = "$CC -g -O0 -o items items.c"
        record_c(tree, BuildAndTest(test="./items", build=build, asked_timeout=60), out)
    else:
        (tree / "items.py").write_text(PYTHON_PROGRAM)
        record_python(tree, BuildAndTest(test="python3 items.py", asked_timeout=60), out)
    summarise(open_recording(out), tree, max_trace=DEFAULT_MAX_TRACE)
    return out


def asked(trace: Path) -> list[Any]:
    """Return what whence says about the failure of a recorded run."""
    recording = open_recording(trace)
    analysis = language_of(recording).analysis
    at = "assert"
    found: list[Any] = [slice_at(recording, at, analysis).statements]
    found.append(slice_at(recording, at, analysis, relevant=True).statements)
    tree = open_search(recording)
    tree.grow(2)
    found.append([tree.cause(number) for number in range(len(tree))])
    return found


def attack(work: Path, count: int, *, language: str, forged: bool) -> Iterator[Attempt]:
    """Damage the trace of a program of `language` in `count` ways."""
    trace = _recorded(language, work)
    undamaged = in_child(lambda: asked(trace))  # this writes the derived files, too
    if undamaged.value is None:
        raise RuntimeError(f"the undamaged trace gives no answer: {undamaged}")
    files = sorted(path for path in trace.rglob("*") if path.is_file())
    for number in range(count):
        chance = random.Random(f"{language} {number}")
        path = files[number % len(files)]
        name = f"{number} {path.relative_to(trace)}"
        copy = work / f"damaged-{number}"
        shutil.copytree(trace, copy, symlinks=True)
        damage = _forge if forged and number % 2 else chance.choice(DAMAGES)
        changed = damage(path.read_bytes(), chance)
        target = copy / path.relative_to(trace)
        target.unlink()
        if changed is not None:
            target.write_bytes(changed)
        if forged and (copy / CHECKSUMS).exists():
            write_checksums(copy)
        answer = in_child(partial(asked, copy))
        failed, detail = _judged(answer, None if forged else undamaged)
        shutil.rmtree(copy)
        yield Attempt(f"{name}: {damage.__name__[1:]}", failed, detail)


def _judged(answer: Answer, expected: Answer | None) -> tuple[str | None, str]:
    if answer.failed:
        return answer.failed, answer.detail
    if answer.message is not None:
        if expected is not None and answer.slug not in ("damaged-trace", "not-a-trace"):
            return "wrong", f"unclear message: {answer.message}"
        return None, answer.message
    if expected is not None and answer.value != expected.value:
        return "wrong", "another answer than from the undamaged trace"
    return None, ""


@cache
def _recorded(language: str, work: Path) -> Path:
    return record_program(language, work / f"recorded-{language}")
