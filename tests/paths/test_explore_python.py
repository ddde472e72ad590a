"""Which inputs does the exploration of a Python program find?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.paths.exploring_python import explored_python, explored_script, seen

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
    ],
)  # fmt: skip
def test_operations_on_texts_lead_from_inputs_to_branches(
    tmp_path: Path, body: str, argument: str, wanted: set[str]
) -> None:
    source = f"import sys\na = sys.argv[1]\n{body}\n"
    assert wanted <= seen(explored_script(tmp_path, source, argument, most=10))
