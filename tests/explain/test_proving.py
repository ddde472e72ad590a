"""Does `explain --prove` say of each link whether the fixed values, put in there, mend the run?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

C_PROGRAM = """\
#include <assert.h>
static int scaled(int size) {
    int wide = size * FACTOR;
    return wide + 1;
}
int main(void) {
    int room = scaled(4);
    int noise = room / 100;
    assert(room + noise < 10);
    return 0;
}
"""
PYTHON_PROGRAM = """\
def scaled(size):
    wide = size * FACTOR
    return wide + 1

room = scaled(4)
assert room < 10
"""


def proved(
    tmp_path: Path, name: str, text: str, test: str, *options: str
) -> list[tuple[str, bool | None]]:
    """Return the text of each link but the failure, and whether it is proved; None: not tested."""
    for version, factor in (("good", "2"), ("bad", "3")):
        (tmp_path / version).mkdir()
        (tmp_path / version / name).write_text(text.replace("FACTOR", factor))
    out = tmp_path / "result.json"
    words = ["explain", "--good", str(tmp_path / "good"), "--bad", str(tmp_path / "bad")]
    words += ["--test", test, "--prove", "--quiet", "--json", str(out), *options]
    subprocess.run([sys.executable, "-m", "whence", *words], check=True, capture_output=True)
    chain = json.loads(out.read_text())["chain"]
    return [(link["text"].strip(), link["proved"]) for link in chain[:-1]]


def test_each_link_of_a_c_chain_is_proved(tmp_path: Path) -> None:
    build = ("--build", "$CC -g -o program program.c")
    links = proved(tmp_path, "program.c", C_PROGRAM, "./program", *build)
    assert ("int wide = size * 3;", True) in links
    assert ("int room = scaled(4);", True) in links
    assert all(holds for _, holds in links)


def test_each_link_of_a_python_chain_is_proved(tmp_path: Path) -> None:
    test = f"{sys.executable} program.py"
    links = proved(tmp_path, "program.py", PYTHON_PROGRAM, test)
    assert ("wide = size * 3", True) in links
    assert all(holds for _, holds in links)


def test_without_a_build_whose_values_can_be_altered_the_chain_is_still_explained(
    tmp_path: Path,
) -> None:
    build = ("--build", '[ "$WHENCE_MODE" != patch ] && $CC -g -o program program.c')
    links = proved(tmp_path, "program.c", C_PROGRAM, "./program", *build)
    assert ("int wide = size * 3;", None) in links
    notes = json.loads((tmp_path / "result.json").read_text())["notes"]
    assert any(note.startswith("The chain was not proved. The program does not") for note in notes)


def test_a_link_that_is_not_needed_is_marked(tmp_path: Path) -> None:
    """Each of two ways is enough for the failure: to mend one of them does not help."""
    text = C_PROGRAM.replace("room + noise < 10", "room < 10 && scaled(4) < 10")
    build = ("--build", "$CC -g -o program program.c")
    links = dict(proved(tmp_path, "program.c", text, "./program", *build))
    assert links["int wide = size * 3;"] is True
    assert links["int room = scaled(4);"] is False


DATES = """\
from datetime import datetime, timedelta

def shifted(when, seconds):
    wide = seconds * FACTOR
    return when + timedelta(seconds=wide)

end = shifted(datetime(2018, 5, 15), 10)
assert end == datetime(2018, 5, 15, 0, 0, 20), end
"""


def test_an_object_that_cannot_be_put_in_is_put_right_where_it_was_made_from(
    tmp_path: Path,
) -> None:
    """The failing run has a date at the same place, but it is the wrong date."""
    links = dict(proved(tmp_path, "program.py", DATES, f"{sys.executable} program.py"))
    assert links["wide = seconds * 3"] is True
    assert links["end = shifted(datetime(2018, 5, 15), 10)"] is True
    assert False not in links.values()


def test_a_value_that_its_parts_do_not_put_right_is_not_tested(tmp_path: Path) -> None:
    """The fixed run has an exception there, and no value that the call is made from brings it."""
    text = """\
class Limit(Exception):
    pass

def check(size):
    wide = size * FACTOR
    if wide > 8:
        return wide
    raise Limit

def room():
    found = check(4)
    return found

try:
    kind = room()
except Limit:
    kind = "none"
assert kind == "none"
"""
    links = proved(tmp_path, "program.py", text, f"{sys.executable} program.py")
    assert ("wide = size * 3", True) in links
    assert False not in dict(links).values()


SHOWN = """\
def shown(label, hidden, log):
    if hidden:
        {left}
    wide = len(label)
    count = wide + 1
    return {label}

assert shown("ab", True, []) == "ab"
"""


def test_lines_without_a_value_to_put_in_are_proved_by_a_branch_that_is_forced(
    tmp_path: Path,
) -> None:
    """Both changes break the test: that of the last line only if the first is reverted."""
    texts = {
        "good": SHOWN.format(left="log.append(label)", label="label"),
        "bad": SHOWN.format(left='return ""', label='label if log == [] else ""'),
    }
    for version, text in texts.items():
        (tmp_path / version).mkdir()
        (tmp_path / version / "program.py").write_text(text)
    out = tmp_path / "result.json"
    words = ["explain", "--good", str(tmp_path / "good"), "--bad", str(tmp_path / "bad")]
    words += ["--test", f"{sys.executable} program.py", "--prove", "--quiet", "--json", str(out)]
    subprocess.run([sys.executable, "-m", "whence", *words], check=True, capture_output=True)
    chain = json.loads(out.read_text())["chain"]
    proofs = {link["line"]: (link["proved"], link["proof"]) for link in chain[:-1]}
    proof = (
        "with the condition that decides whether this runs forced the other way, the test passes"
    )
    assert proofs[3] == proofs[6] == (True, proof)


def test_a_statement_that_ran_too_often_to_be_altered_is_not_tested(tmp_path: Path) -> None:
    """All of its 60 values must be put right, so a test with some of them says nothing."""
    text = """\
total = 0
for size in range(1, 61):
    wide = size * FACTOR
    total = total + wide
assert total == 3660
"""
    links = proved(tmp_path, "program.py", text, f"{sys.executable} program.py")
    assert ("wide = size * 3", None) in links


APPENDED = """\
def cents(amount):
    return amount * FACTOR


def line(name, amount):
    return name.ljust(4) + str(cents(amount))


def statement():
    parts = ["head"]
    parts.append(line("tea", 4))
    return ", ".join(parts)


found = statement().split(", ")[1]
assert found == "tea 8", found
"""


def test_a_value_that_no_statement_stores_is_put_in_itself(tmp_path: Path) -> None:
    """What is returned goes into another text, and that into a list."""
    links = dict(proved(tmp_path, "program.py", APPENDED, f"{sys.executable} program.py"))
    assert len(links) > 2, links
    assert all(links.values()), links
