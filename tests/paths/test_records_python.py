"""Do instances that the library makes lead from inputs to branches in Python programs?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.paths.exploring_python import explored_python, python_run, seen

HEAD = (
    "import sys\n"
    "from dataclasses import dataclass, field, KW_ONLY\n"
    "from enum import Enum\n"
    "from typing import NamedTuple\n"
    "a, b = int(sys.argv[1]), int(sys.argv[2])\n"
)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("@dataclass\nclass P:\n    x: int\n    y: int = 5\np = P(a)\n"
         "print('far' if p.x > p.y * 100 else 'near')", {"far", "near"}),
        ("class P(NamedTuple):\n    x: int\n    y: int\np = P(y=a, x=b)\n"
         "print('far' if p.x > 700 else 'near', 'hit' if p[1] == 77 else 'miss')",
         {"far hit", "far miss", "near hit", "near miss"}),
        ("@dataclass(order=True, frozen=True)\nclass P:\n    x: int\n    y: int = 0\n"
         "low, high = sorted([P(a, 1), P(b)])\nprint(low.y, 'hit' if high == P(7, 1) else 'miss')",
         {"0 hit", "0 miss", "1 miss"}),
        ("@dataclass\nclass Base:\n    x: int\n@dataclass\nclass P(Base):\n    y: list = "
         "field(default_factory=list)\n    _: KW_ONLY\n    z: int = 0\np = P(a, z=b)\n"
         "p.z += 1\nprint('z' if p.z == 9 else 'x' if p.x == 9 else 'none')",
         {"z", "x", "none"}),
        ("@dataclass\nclass P:\n    x: int\n    def __lt__(self, other):\n"
         "        return other.x < self.x\nprint('less' if P(a) < P(b) else 'more')",
         {"less", "more"}),
        ("@dataclass\nclass P:\n    x: int\np = P(a)\nq = {1: p}\nfor each in q.values():\n"
         "    each.x = b\nprint('same' if p.x == 55 else 'other')", {"same", "other"}),
        ("@dataclass\nclass P:\n    x: int\n    def far(self):\n        return self.x > 300\n"
         "print('far' if any(p.far() for p in [P(a), P(b)]) else 'near')", {"far", "near"}),
        ("@dataclass\nclass P:\n    x: int\n    wide: bool = field(init=False, default=False)\n"
         "    def __post_init__(self):\n        self.wide = self.x > 40\n"
         "print('wide' if P(a).wide else 'slim')", {"wide", "slim"}),
    ],
)  # fmt: skip
def test_fields_lead_from_inputs_to_branches(tmp_path: Path, body: str, wanted: set[str]) -> None:
    found = explored_python(tmp_path, {"p.py": HEAD + body + ""}, "python p.py 4 12", most=60)
    assert wanted <= seen(found)


def test_what_the_library_makes_of_inputs_otherwise_is_named(tmp_path: Path) -> None:
    body = (
        "class C(Enum):\n    RED = 4\n    BLUE = 8\nprint('red' if C(a).value == 4 else 'blue')\n"
    )
    found = explored_python(tmp_path, {"p.py": HEAD + body}, "python p.py 4 12", most=20)
    runs = [python_run(one.run) for one in found.runs]
    assert any("C" in run.path.pinned_by(run.conditions) for run in runs)
