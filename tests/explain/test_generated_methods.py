"""Does the chain lead to the class whose definition a generated method was made from?

A dataclass, a named tuple and an enum have methods without source, so no recorded step is in them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import explain_python

ORDER = """
     from dataclasses import dataclass, field
     @dataclass(order=True)
     class Quote:
    -    time: int
    +    time: int = field(compare=False)  # [fault]
    +    weight: int = field(default=0, compare=False)
         cents: int = field(default=0, compare=True)
     def latest(quotes):
         best = None
         for quote in quotes:
             if best is None or best < quote:
                 best = quote
         return best.cents
     assert latest([Quote(1, cents=500), Quote(3, cents=400)]) == 400
"""
TEXT = """
     from dataclasses import dataclass, field
     @dataclass
     class User:
         name: str
    -    secret: str = field(repr=False)
    +    secret: str  # [fault]
     def line(user):
         return f"user={user}"
     assert line(User("ann", "x")) == "user=User(name='ann')"
"""
HASH = """
     from dataclasses import dataclass, field
     @dataclass(frozen=True)
     class Key:
         name: str
    -    note: str = field(default="", compare=False)
    +    note: str = field(default="")  # [fault]
     def distinct(keys):
         return len(set(keys))
     assert distinct([Key("a", "x"), Key("a", "y")]) == 1
"""
FIELDS = """
     from typing import NamedTuple
     class Version(NamedTuple):
    +    epoch: int  # [fault]
         major: int
         minor: int
    -    epoch: int
     def newest(texts):
         found = []
         for text in texts:
             major, minor, epoch = map(int, text.split("."))
             found.append(Version(major=major, minor=minor, epoch=epoch))
         return max(found)
     assert newest(["1.9.5", "2.1.0"]).major == 2
"""
MEMBERS = """
     from enum import IntEnum, auto
     class Level(IntEnum):
         LOW = auto()
    +    MID = auto()  # [fault]
         HIGH = auto()
     def is_second(level):
         return level == 2
     assert is_second(Level.HIGH)
"""


@pytest.mark.parametrize("program", [ORDER, TEXT, HASH, FIELDS, MEMBERS])
def test_a_generated_method_leads_to_the_body_of_its_class(tmp_path: Path, program: str) -> None:
    answer = explain_python(tmp_path, program, harmless=False)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.links[0] == "fault"
