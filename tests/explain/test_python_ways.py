"""Does the chain follow a wrong value on the ways that are special to Python?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import explain_python

COUNTER = """
     from contextlib import contextmanager
     class Depth:
         level = 0
     @contextmanager
     def nested(state):
         state.level += 1
         try:
             yield state.level
         finally:
    -        state.level -= 1  # [fault]
    +        state.level -= 0  # [fault]
     def levels(state):
         out = []
         for _ in range(2):
             with nested(state) as level:
                 out.append(level)
         return out
     assert levels(Depth()) == [1, 1]  # [fails]
"""
TALLY = """
     def tally(words):
         counts = {"all": 0}
         for word in words:
    -        counts["all"] += len(word)  # [fault]
    +        counts["all"] += 1  # [fault]
         counts["all"] *= 2
         return counts
     assert tally(["a", "bc"])["all"] == 6  # [fails]
"""
CLASS_DECORATOR = """
     KNOWN = {}
     def register(name):
         def wrap(cls):
             KNOWN[name] = cls
    -        cls.key = name.upper()  # [fault]
    +        cls.key = name.title()  # [fault]
             return cls
         return wrap
     @register("one")
     class One:
         def go(self):
             return self.key
     assert KNOWN["one"]().go() == "ONE"  # [fails]
"""
FUNCTION_DECORATOR = """
     def option(name):
         def wrap(function):
    -        function.options = ["--" + name]  # [fault]
    +        function.options = ["-" + name]  # [fault]
             return function
         return wrap
     @option("all")
     def command():
         return command.options
     assert command() == ["--all"]  # [fails]
"""
METACLASS = """
     class Meta(type):
         def __init__(cls, name, bases, space):
             super().__init__(name, bases, space)
    -        cls.table = name.lower()  # [fault]
    +        cls.table = name  # [fault]
     class Model(metaclass=Meta):
         def query(self):
             return "select * from " + self.table
     class Person(Model):
         pass
     assert Person().query() == "select * from person"  # [fails]
"""

UNCAUGHT = """
     def name_of(number):
         return {1: "one"}[number]  # [fails]
     def checked(numbers):
         found = []
         for number in numbers:
    -        try:  # [fault]
    -            found.append(name_of(number))  # [fault]
    -        except KeyError:  # [fault]
    -            found.append("unknown")  # [fault]
    +        found.append(name_of(number))  # [fault]
         return found
     print(checked([1, 2]))
"""


TRY_BODY = """
     def number(text):
         try:
    -        found = int(text)  # [fault]
    +        found = int(text) + 1  # [fault]
         except ValueError:
             found = 0
         twice = found * 2
         return twice
     assert number("3") == 6  # [fails]
"""
TRY_BRANCHES = """
     class Box:
         pass
     def make(size):
         try:
             if size > 9:
                 box = None
             else:
                 box = Box()
         except ValueError as box:
             raise
    -    box.size = size  # [fault]
    +    box.size = size + 1  # [fault]
         other = box
         return other
     assert make(1).size == 1  # [fails]
"""
WAYS = [
    COUNTER, TALLY, CLASS_DECORATOR, FUNCTION_DECORATOR, METACLASS, UNCAUGHT, TRY_BODY, TRY_BRANCHES
]  # fmt: skip


@pytest.mark.parametrize("text", WAYS)
def test_the_fault_leads_to_the_failure(text: str, tmp_path: Path) -> None:
    answer = explain_python(tmp_path, text)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert "fault" in answer.links
    assert answer.links[-1] == "fails"
