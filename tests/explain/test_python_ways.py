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
RAISED_AGAIN = """
     def strict(text):
         if ":" in text:
             raise ValueError("a colon")
         return [text]
     def parse(text):
         found, error = [], None
         for one in (strict, lambda text: text.split(":")):
             try:
                 found.append(one(text))
             except ValueError as problem:
                 error = problem
    -    if not found:  # [fault]
    +    if error is not None:  # [fault]
             raise error
         return found[0]
     assert parse("a:b") == ["a", "b"]  # [fails]
"""
HEAP = """
     import heapq
     class Job:
         def __init__(self, priority, name):
             self.priority, self.name = priority, name
         def __lt__(self, other):
    -        return self.priority < other.priority  # [fault]
    +        return self.name < other.name  # [fault]
     heap = []
     for priority, name in [(2, "a"), (1, "b")]:
         heapq.heappush(heap, Job(priority, name))
     first = heapq.heappop(heap)
     heapq.heappush(heap, Job(3, "c"))
     assert first.name == "b"  # [fails]
"""
STREAM_HOLDER = """
     import csv, io
     out = io.StringIO()
     writer = csv.writer(out)
     for row in [[1, 2, 3]]:
    -    writer.writerow(row)  # [fault]
    +    writer.writerow(row[:2])  # [fault]
     assert out.getvalue().strip() == "1,2,3"  # [fails]
"""
FILE = """
     import os, pathlib, tempfile
     path = os.path.join(tempfile.mkdtemp(), "x")
     with open(path, "w") as out:
    -    out.write("a=1")  # [fault]
    +    out.write("a =1")  # [fault]
     key, _, value = pathlib.Path(path).read_text().partition("=")
     assert key == "a"  # [fails]
"""
FILE_OF_TEXT = """
     import pathlib, tempfile
     path = pathlib.Path(tempfile.mkdtemp()) / "x"
    -path.write_text("a\\nb")  # [fault]
    +path.write_text("a b")  # [fault]
     with path.open() as lines:
         found = [line.strip() for line in lines]
     assert found == ["a", "b"]  # [fails]
"""
OTHER_KEY = """
     def load(name):
         found = {}
    -    found[name.strip()] = 1  # [fault]
    +    found[name] = 1  # [fault]
         return found
     assert load("a ") == {"a": 1}  # [fails]
"""
SIGNATURE = """
     class Loader:
         def __init__(  # [fault]
             self,
             path,
    +        *,
             extension="",
         ):
             self.path = path
     def load(path, extension):
         return Loader(path, extension)
     assert load("a", ".pt").path == "a"
"""
WAYS = [
    COUNTER, TALLY, CLASS_DECORATOR, FUNCTION_DECORATOR, METACLASS, UNCAUGHT, TRY_BODY,
    TRY_BRANCHES, HEAP, STREAM_HOLDER, FILE, FILE_OF_TEXT, OTHER_KEY,
]  # fmt: skip


@pytest.mark.parametrize("text", WAYS)
def test_the_fault_leads_to_the_failure(text: str, tmp_path: Path) -> None:
    answer = explain_python(tmp_path, text)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert "fault" in answer.links
    assert answer.links[-1] == "fails"


def test_an_exception_that_is_raised_again_leads_back_to_the_branch(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, RAISED_AGAIN)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert "fault" in answer.links


def test_parameters_that_do_not_take_the_arguments_lead_to_the_failure(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, SIGNATURE)
    assert answer.result.status == "explained", answer.result.reason
    assert "fault" in answer.links


STAR_IMPORT = """
    == shapes/__init__.py
     from .recipes import *
    == shapes/recipes.py
     __all__ = [
         "double",
    -    "half",  # [fault]
     ]
     def double(n):
         return 2 * n
     def half(n):
         return n / 2
    == program.py
     from shapes import half  # [fails]
     assert half(4) == 2
"""
STAR_NAME = """
    == shapes.py
    +__all__ = ["Circle"]  # [fault]
     class Circle:
         pass
     class Square:
         pass
    == program.py
     from shapes import *
     square = Square()  # [fails]
"""
STAR_ATTRIBUTE = """
    == everything.py
     from shapes import *
    == shapes.py
    +__all__ = ["Circle"]  # [fault]
     class Circle:
         pass
     class Square:
         pass
    == program.py
     import everything
     square = everything.Square()  # [fails]
"""
MOVED_MODULE = """
    == checks.py
    -class Checker:
    -    def check(self, text):
    -        return text.isdigit()
    -def all_digits(texts):
    -    return all(Checker().check(text) for text in texts)
    == tools/checks.py
    +class Checker:
    +    def check(self, text):
    +        return text.isdigit()
    +def all_digits(texts):
    +    return all(Checker().check(text) for text in texts)
    == program.py
     from checks import Checker  # [fails]
     assert Checker().check("3")
"""
PARAMETERS = """
     import inspect
    -def shown(text, width=10, fill=" "):  # [fault]
    +def shown(text, **options):  # [fault]
    -    return text.ljust(width, fill)
    +    return text.ljust(**options)
     def names(function):
         return list(inspect.signature(function).parameters)
     assert "width" in names(shown)  # [fails]
"""
INSIDE_CHANGED = """
     def gather(sizes):
         rows = []
         for size in sizes:
             row = []
             row.extend(range(size))
    -        row.reverse()  # [fault]
    +        row.sort()  # [fault]
             rows.append(row)
         return [row[0] for row in rows if len(rows) > 1]
     assert gather([2, 3]) == [1, 2]  # [fails]
"""
SETTER = """
     class Field:
         @property
         def choices(self):
             return self._choices
    +    @choices.setter  # [fault]
         def choices(self, value):
             self._choices = value()
     def make(value):
         field = Field()
         setattr(field, "choices", value)
         return field
     asked = []
     def ask():
         asked.append(1)
         return [1]
     make(ask)
     assert not asked  # [fails]
"""
LOOKED_FOR = """
     class Field:
         pass
     class Meta(type):
         def __new__(mcs, name, bases, space):
             for key, value in list(space.items()):
                 if isinstance(value, Field):
    -                space.pop(key)  # [fault]
    +                space[key] = value  # [fault]
             return super().__new__(mcs, name, bases, space)
     class Person(metaclass=Meta):
         name = Field()
     assert not hasattr(Person, "name")  # [fails]
"""


def test_a_list_that_changed_before_it_was_appended_to_another_has_no_known_items(
    tmp_path: Path,
) -> None:
    answer = explain_python(tmp_path, INSIDE_CHANGED)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}


def test_a_new_decorator_leads_to_what_the_function_did_that_a_library_called(
    tmp_path: Path,
) -> None:
    answer = explain_python(tmp_path, SETTER)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert "fault" in answer.links


def test_what_a_metaclass_keeps_leads_to_the_attribute_that_is_looked_for(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, LOOKED_FOR)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert "fault" in answer.links


@pytest.mark.parametrize("text", [STAR_NAME, STAR_ATTRIBUTE])
def test_a_name_that_a_star_import_left_out_leads_to_the_failure(text: str, tmp_path: Path) -> None:
    answer = explain_python(tmp_path, text)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert answer.links == ["fault", "fails"]


def test_a_name_that_a_star_import_does_not_take_leads_to_the_failed_import(
    tmp_path: Path,
) -> None:
    answer = explain_python(tmp_path, STAR_IMPORT)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert answer.links[-1] == "fails"


def test_a_module_that_moved_leads_to_the_import_of_its_old_name(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, MOVED_MODULE)
    assert answer.result.status == "explained", answer.result.reason
    assert "tools/checks.py now" in answer.chain[0].says
    assert answer.links[-1] == "fails"


def test_the_parameters_of_a_function_lead_to_what_is_computed_from_them(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, PARAMETERS)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert "fault" in answer.links
