"""Which inputs does the exploration of a Python program find?"""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from tests.paths.exploring_python import (
    explored_python,
    explored_script,
    python_program,
    python_run,
    seen,
)
from tests.paths.generated_python import generated_python
from whence.frontend.python.record import record
from whence.paths.lengths import length_moves
from whence.paths.python.literals import find_literals
from whence.paths.python.runs import main_thread, opened
from whence.subject.trial import BuildAndTest

# The program of the thesis, Figure 6.2: eight paths, three ways to compute `out`.
SIGNATURE = """
import sys
def signature(x, y, z):
    b = 2
    if x - y > 0:
        a = x
    else:
        a = y
    if x + y > 10:
        b = a
    if z * z > 3:
        sys.stderr.write("large")
    else:
        sys.stderr.write("small")
    out = b
    return out
"""
TESTED = """
from signature import signature
def test_signature():
    assert signature(6, 2, 2) == 2
"""


def test_every_path_is_explored_once(tmp_path: Path) -> None:
    files = {"signature.py": SIGNATURE, "test_signature.py": TESTED}
    found = explored_python(tmp_path, files, "python -m pytest -q test_signature.py")
    assert found.is_complete
    assert len(found.runs) == 8


def test_a_relevant_slice_is_explored_once_for_each_way_to_compute_the_variable(
    tmp_path: Path,
) -> None:
    files = {"signature.py": SIGNATURE, "test_signature.py": TESTED}
    found = explored_python(
        tmp_path, files, "python -m pytest -q test_signature.py", at="signature.py:15:out"
    )
    assert found.is_complete
    assert [len(one.run.conditions) for one in found.runs] == [1, 2, 2]


@pytest.mark.parametrize(
    ("body", "argument", "wanted"),
    [
        ('print("key" if a == "key" else "other")', "abc", {"key", "other"}),
        ('print("option" if a.startswith("--") else "word")', "abc", {"option", "word"}),
        ('print("digit" if a[0].isdigit() else "no")', "a", {"digit", "no"}),
        ('print("pair" if "=" in a else "single")', "abc", {"pair", "single"}),
        ('print("q" if a.upper() == "QX" else "else")', "ab", {"q", "else"}),
        ('print(["low", "mid", "high"][ord(a[0]) % 3])', "a", {"low", "mid", "high"}),
        ('print("hit" if sum(map(ord, a)) == 200 else "miss")', "ab", {"miss"}),
        ('s = 0\nfor c in a:\n    s = s * 31 + ord(c)\nprint("hit" if s == 3105 else "miss")', "aa",
         {"hit", "miss"}),
        ('print("y" if {"ab": 1, "cd": 2}.get(a, 0) > 1 else "n")', "xy", {"y", "n"}),
        ('print("y" if a.find("x") == 2 else "n")', "abc", {"y", "n"}),
        ('k, _, v = a.partition(":")\nprint("kv" if v else "k")', "abc", {"kv", "k"}),
        ('print("match" if __import__("re").fullmatch(r"[a-c]+\\d", a) else "no")', "abz",
         {"match", "no"}),
        ('print("many" if len(a.split(",")) > 2 else "few")', "a,b", {"many", "few"}),
        ('print("y" if a.strip() == "x" else "n")', "xaa", {"y", "n"}),
        ('b, *c, d = a.split(",")\nprint("y" if c[1] == "7" else "n", "z" if d == "8" else "m")',
         "1,2,3,4", {"n m", "y m", "n z"}),
    ],
)  # fmt: skip
def test_operations_on_texts_lead_from_inputs_to_branches(
    tmp_path: Path, body: str, argument: str, wanted: set[str]
) -> None:
    source = f"import sys\na = sys.argv[1]\n{body}\n"
    assert wanted <= seen(explored_script(tmp_path, source, argument, most=10))


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("print('big' if any(n > 50 for n in xs) else 'small')", {"big", "small"}),
        ("print('first' if sorted(xs, key=lambda v: -v)[0] == xs[0] else 'other')",
         {"first", "other"}),
        ("a, b = map(int, (str(xs[0]), '7'))\nprint('hit' if a * 3 == 12 else 'miss')",
         {"hit", "miss"}),
        ("match xs[0]:\n    case 1:\n        print('one')\n    case 2 | 3:\n        print('two')\n"
         "    case _:\n        print('many')", {"one", "two", "many"}),
        ("try:\n    print(100 // xs[0])\nexcept ZeroDivisionError:\n    print('zero')", {"zero"}),
        ("try:\n    print([1, 2][xs[0]])\nexcept IndexError:\n    print('outside')", {"outside"}),
        ("try:\n    print({1: 'a', 4: 'b'}[xs[0]])\nexcept KeyError:\n    print('none')",
         {"b", "none"}),
        ("n = 0\nwhile n < xs[0]:\n    n += 3\nprint(n)", {"0", "3", "6"}),
        ("print('low' if xs[0] / 4 < 0.5 else 'high')", {"low", "high"}),
        ("print('in' if xs[0] in [4, 8] else 'out')", {"in", "out"}),
        ("print('x' if f'{xs[0]:03d}' == '007' else 'y')", {"x", "y"}),
        ("print('even' if xs[0] & 1 == 0 else 'odd')", {"even", "odd"}),
        ("d = {}\nfor n in xs:\n    d[n] = d.get(n, 0) + 1\nprint(len(d))", {"1", "2"}),
        ("ys = [n * 2 for n in xs if n > 3]\nprint(len(ys))", {"0", "1", "2"}),
    ],
)  # fmt: skip
def test_operations_on_numbers_and_containers_lead_to_branches(
    tmp_path: Path, body: str, wanted: set[str]
) -> None:
    files = {
        "p.py": f"def main(xs):\n{_indented(body)}\n",
        "test_p.py": "from p import main\nmain([4, 5])\nassert True\n",
    }
    found = explored_python(tmp_path, files, "python test_p.py", most=8)
    printed = {python_run(one.run).ended.stderr.decode().strip() for one in found.runs}
    assert wanted <= printed


def _indented(body: str) -> str:
    return "".join(f"    {line}\n" for line in body.splitlines())


def test_what_has_no_formula_is_pinned_and_said(tmp_path: Path) -> None:
    source = "import sys\nif hash(sys.argv[1]) % 2:\n    print('odd')\nelse:\n    print('even')\n"
    found = explored_script(tmp_path, source, "ab")
    assert len(found.runs) == 1
    run = python_run(found.runs[0].run)
    assert run.path.pinned_by(run.conditions) == {"hash": 1}


def test_standard_input_files_and_variables_lead_to_branches(tmp_path: Path) -> None:
    source = """import os, sys
name = sys.stdin.readline().strip()
limit = int(open("limit.txt").read())
if name == os.environ.get("OWNER"):
    print("owner")
elif len(name) > limit:
    print("long")
else:
    print("other")
"""
    files = {"p.py": source, "in": "bob\n", "limit.txt": "5"}
    found = explored_python(
        tmp_path, files, "OWNER=eve python p.py < in",
        inputs=["stdin", "file:limit.txt", "env:OWNER"], most=14,
    )  # fmt: skip
    assert {"owner", "long", "other"} <= seen(found)


def test_a_made_test_of_literals_passes_without_whence(tmp_path: Path) -> None:
    files = {"signature.py": SIGNATURE, "test_signature.py": TESTED}
    program = python_program(tmp_path, files, "python -m pytest -q test_signature.py")
    first = dict(program.first)
    source = min(first)
    made = program.write_test({**first, source: b"20"}, tmp_path / "made", "test_made")
    assert made.module == "test_made.py"
    text = (tmp_path / "made" / "test_made.py").read_text()
    assert "assert signature(20, 2, 2) == 20" in text
    done = subprocess.run(made.command, shell=True, cwd=tmp_path / "tree", capture_output=True)
    assert done.returncode == 0, done.stdout


def test_a_list_literal_grows_and_shrinks(tmp_path: Path) -> None:
    files = {
        "p.py": "def total(xs):\n    return sum(xs) if len(xs) > 2 else 0\n",
        "test_p.py": "from p import total\n\nassert total([1, 2]) == 0\n",
    }
    run = python_program(tmp_path, files, "python test_p.py")
    lists = [next(iter(moved.values())) for moved in length_moves(run.run(run.first))]
    assert lists == [b"[1, 2, 2]", b"[1]"]


@pytest.mark.parametrize(
    ("test", "inputs"),
    [
        ("assert parse('a', 2) == 'b'", ["a", 2]),
        ("text = 'a'\nassert parse(text) == 'b'", ["a"]),
        ("expected = 'b'\nassert parse('a') == expected", ["a"]),
        ("for n in (1, 2):\n    parse(n)", [(1, 2)]),
        ("assert parse(['x', 'y'])[0] == 'x'", [["x", "y"]]),
        ("import math\nassert math.isclose(parse(-1.5), 2.5)", [-1.5]),
    ],
)
def test_arguments_of_calls_are_inputs_and_expected_values_are_not(
    tmp_path: Path, test: str, inputs: list[object]
) -> None:
    files = {
        "p.py": "def parse(*given):\n    return given\n",
        "test_p.py": f"from p import parse\n{test}\n",
    }
    recording = tmp_path / "out"
    (tmp_path / "tree").mkdir()
    recording.mkdir()
    for name, text in files.items():
        (tmp_path / "tree" / name).write_text(text)
    record(tmp_path / "tree", BuildAndTest(test="python test_p.py"), recording)
    found = [one for one in find_literals(main_thread(opened(recording), 0)) if one.is_input]
    assert [ast.literal_eval(one.node) for one in found] == inputs


@pytest.mark.parametrize("seed", range(25))
def test_generated_programs_take_the_promised_paths(tmp_path: Path, seed: int) -> None:
    assert explored_script(tmp_path, generated_python(seed), "5 8 ab-c", most=3).runs


# Programs of which a run once went another way than promised, or was in a class that was known.
@pytest.mark.parametrize("seed", [9, 87, 93, 1003])
def test_programs_that_once_diverged_take_the_promised_paths(tmp_path: Path, seed: int) -> None:
    found = explored_script(tmp_path, generated_python(seed), "5 8 ab-c", at="output", most=6)
    assert not found.repeated


@pytest.mark.parametrize(
    "chosen",
    [
        "max(t, 'm')", "sorted([t, '5'])[0]", "('kk' if t > 'm' else t)",
        "[t, '7'][t > 'm']", "(t and 'k')",
    ],
)  # fmt: skip
def test_what_could_raise_on_another_value_decides_too(tmp_path: Path, chosen: str) -> None:
    """`int` raises on one of the values, on a constant too, and nothing else tells the runs."""
    source = f"""
import sys
t = sys.argv[1]
print('b' if 'b' in t else 'no')
try:
    n = int({chosen})
    print('number')
except ValueError:
    print('none')
print('c' if 'c' in t else 'no')
"""
    found = explored_script(tmp_path, source, "ab", at="output", most=12)
    assert not found.repeated


def test_a_branch_that_changes_another_list_has_one_place_in_the_order(tmp_path: Path) -> None:
    """An item of `argv` is read after a branch with a side that changes a list."""
    source = """
import sys
members = [3]
value = int(sys.argv[1])
if value != 3:
    members.insert(0, value)
wanted = int(sys.argv[2])
print("yes" if any(member == wanted for member in members) else "no")
"""
    found = explored_script(tmp_path, source, "1 2", at="output", most=20)
    assert not found.repeated
    assert seen(found) >= {"yes", "no"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25, 225))
def test_many_generated_programs_take_the_promised_paths(tmp_path: Path, seed: int) -> None:
    """Every other program is explored by slice."""
    at = "output" if seed % 2 else None
    assert explored_script(tmp_path, generated_python(seed), "5 8 ab-c", at=at, most=6).runs


def test_an_item_and_an_attribute_that_grow_lead_from_inputs_to_branches(tmp_path: Path) -> None:
    source = """
import sys
class Account:
    def __init__(self, amount):
        self.amount = amount
account, sums = Account(int(sys.argv[1])), {"all": int(sys.argv[2])}
account.amount += 1
sums["all"] += account.amount
print("nine" if account.amount == 9 else "ten" if sums["all"] == 10 else "other")
"""
    found = explored_script(tmp_path, source, "3 4", at="output", most=9)
    assert {"nine", "ten", "other"} <= seen(found)


# Whether `parse` raises decides whether any later line runs.
AMOUNTS = """
def parse(line):
    name, amount = line.split(":")
    return name, int(amount)
def total(lines):
    found = 0
    for line in lines:
        name, amount = parse(line)
        if amount > 7:
            raise ValueError(name)
        if name == "x":
            found = found + amount
    return found
"""


def test_what_may_raise_decides_all_that_comes_after_it(tmp_path: Path) -> None:
    files = {
        "amounts.py": AMOUNTS,
        "test_amounts.py": 'from amounts import total\n\nassert total(["a:2", "x:3"]) == 3\n',
    }
    found = explored_python(tmp_path, files, "python test_amounts.py", at="output", most=9)
    assert len(found.runs) == 9
    assert not found.repeated


STOCK = """import sys
stock = {}
for number, line in enumerate(sys.stdin, 1):
    match line.split():
        case ["in", name, amount]:
            stock[name] = stock.get(name, 0) + int(amount)
        case ["out", name, _, *_]:
            print(f"line {number}: too many words")
        case ["out", name]:
            if name not in stock:
                print("no", name)
                continue
            del stock[name]
        case []:
            pass
        case _:
            print("what?")
print(len(stock))
"""


def test_lines_that_enumerate_counts_and_matched_sequences_lead_to_branches(tmp_path: Path) -> None:
    """By slice: what is read of the input depends on what was read before it."""
    found = explored_script(tmp_path, STOCK, stdin="in a 5\nout a\nin\n", at="output", most=25)
    printed = seen(found)
    assert any(text.startswith("what?") for text in printed)
    assert any(text.startswith("no ") for text in printed)


def test_a_search_from_a_place_on_leads_to_branches(tmp_path: Path) -> None:
    source = """import re, sys
text, at, total = sys.argv[1], 0, 0
part = re.compile(r"([0-9]+)([hm])")
while at < len(text):
    match = part.match(text, at)
    if match is None:
        print("what?")
        break
    total += int(match.group(1)) * (60 if match.group(2) == "h" else 1)
    at = match.end()
else:
    print("long" if total > 60 else "short")
"""
    found = explored_script(tmp_path, source, "1h2m", most=25)
    assert {"what?", "long", "short"} <= seen(found)


def test_what_a_function_returns_has_its_own_classes(tmp_path: Path) -> None:
    files = {"signature.py": SIGNATURE, "test_signature.py": TESTED}
    command = "python -m pytest -q test_signature.py"
    found = explored_python(tmp_path, files, command, at="return:signature")
    assert [len(one.run.conditions) for one in found.runs] == [1, 2, 2]


# argparse is not recorded: an argument is the value of the option that it spells.
OPTIONS = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("word")
parser.add_argument("--scale", type=float, default=1.0)
parser.add_argument("--rows", type=int)
parser.add_argument("--loud", action="store_true")
options = parser.parse_args()
if options.rows > 40:
    print("many")
elif options.scale * 2 == 7.5:
    print("scaled")
elif options.word == "key":
    print("key")
else:
    print("LOUD" if options.loud else "else")
"""


def test_options_of_argparse_lead_from_arguments_to_branches(tmp_path: Path) -> None:
    found = explored_script(tmp_path, OPTIONS, "abc --scale 2 --rows=3")
    assert seen(found) == {"many", "scaled", "key", "else"}
    pinned = python_run(found.runs[0].run).path.pinned_by(found.runs[0].run.conditions)
    assert [name for name in pinned if "parse_args" in name]


def test_an_option_that_no_argument_spells_is_taken_as_recorded(tmp_path: Path) -> None:
    found = explored_script(tmp_path, OPTIONS, "2 --scale 2 --rows 2")
    pinned = python_run(found.runs[0].run).path.pinned_by(found.runs[0].run.conditions)
    assert "parse_args" in pinned


# Deleting an item may raise, so what decides that it is deleted comes before all that follows.
EMPTIED = """
import sys
stock = {"a": 1}
for line in sys.stdin:
    if line[0] == "-":
        amount = int(line[1])
        if amount > 4:
            del stock["a"]
    elif line[0] == "l":
        for name in stock:
            print(name)
"""


def test_a_deletion_that_did_not_happen_has_its_place_in_the_order(tmp_path: Path) -> None:
    found = explored_script(tmp_path, EMPTIED, stdin="-3\nl\n", at="output", most=12)
    assert not found.diverged
    assert seen(found) >= {"a", ""}


def test_a_deletion_whose_key_a_branch_chose_has_its_place_in_the_order(tmp_path: Path) -> None:
    source = EMPTIED.replace('"a"]', '"a" if amount != 7 else "b"]')
    explored_script(tmp_path, source, stdin="-3\nl\n", at="output", most=12)


# A line makes a list for `rest`, where Python kept a list of an earlier one.
STARRED = """
import sys

def read_sum(words):
    print("much" if int(words[0]) > 10 else "little")

def read_name(words):
    print("yes" if words[2] == "x" else "no")

for line in sys.stdin:
    name, *rest = line.split()
    globals()["read_" + name](rest)
"""


def test_the_list_of_a_starred_target_is_another_one_in_each_line(tmp_path: Path) -> None:
    files = {"p.py": STARRED, "in": "sum 1 2\nname a b c d\nname e f g h\n"}
    opened = python_program(tmp_path, files, "python p.py < in")
    run = opened.run(opened.first)
    opened.close()
    compared = [one for one in run.path.conditions if str(ord("x")) in str(one.fact.formula)]
    assert len(compared) == 2


def test_the_literals_of_a_script_with_assertions_are_inputs_whatever_its_name_is(
    tmp_path: Path,
) -> None:
    files = {
        "fares.py": "def fare(age):\n    return 0 if age < 6 else 120 if age < 65 else 60\n",
        "t.py": "from fares import fare\nassert fare(30) == 120\n",
    }
    found = explored_python(tmp_path, files, "python t.py", inputs=["literals"])
    assert len({python_run(one.run).path.conditions for one in found.runs}) == len(found.runs) == 3
