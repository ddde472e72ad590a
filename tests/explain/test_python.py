"""Is the root of a Python failure the faulty change, and does the chain lead to the failure?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.explain.explaining import explain_python

CONDITION = """
     def grade(points):
    -    if points >= 50:  # [fault]
    +    if points > 50:  # [fault]
             return "passed"
         return "failed"
     def report(results):
         lines = []
         for name, points in results:
             lines.append(f"{name}: {grade(points)}")
         return lines
     lines = report([("ann", 70), ("bob", 50)])
     assert lines == ["ann: passed", "bob: passed"], lines  # [fails]
"""
KEY = """
     DEFAULTS = {"depth": 3}
     def settings(given):
         found = dict(DEFAULTS)
         for key, value in given.items():
    -        found[key] = value  # [fault]
    +        found[key.upper()] = value  # [fault]
         return found
     def depth(found):
         return found["depth"] * found["width"]  # [fails]
     print(depth(settings({"width": 4})))
"""
ATTRIBUTE = """
     class Account:
         def __init__(self, owner):
             self.owner = owner
    -        self.balance = 0  # [fault]
    +        self.balance = None  # [fault]
         def deposit(self, amount):
             self.balance += amount  # [fails]
     account = Account("ann")
     account.deposit(5)
"""
INDEX = """
     def windows(values, size):
    -    for start in range(len(values) - size + 1):  # [fault]
    +    for start in range(len(values) - size + 2):  # [fault]
             yield values[start : start + size]
     def last(values):
         return [window[1] for window in windows(values, 2)]  # [fails]
     print(last([1, 2, 3]))
"""
CHOSEN = """
     class Basket:
         def __init__(self, items):
             self.items = items
         def __len__(self):
    -        return len(self.items)  # [fault]
    +        return len(self.items) - 1  # [fault]
     def label(basket):
         return "given" if basket else "none"
     found = label(Basket(["apple"]))
     assert found == "given"  # [fails]
"""
UNHASHABLE = """
     class Place:
         def __init__(self, x):
             self.x = x
    -    def is_at(self, x):
    -        return self.x == x
    +    def __eq__(self, other):  # [fault]
    +        return self.x == other
     def visited(places):
         seen = set()
         for place in places:
             seen.add(place)  # [fails]
         return len(seen)
     assert visited([Place(1), Place(2)]) == 2
"""
CAUGHT = """
     def number(text):
         try:
    -        return int(text)  # [fault]
    +        return int(text, 2)  # [fault]
         except ValueError:
             return -1
     total = sum(number(text) for text in ("1", "10", "7"))
     assert total == 18, total  # [fails]
"""
REMOVED = """
     class Stack:
         def __init__(self):
             self.items = []
         def push(self, item):
             self.items.append(item)
         def pop(self):
             item = self.items[-1]
    -        self.items.pop()  # [removed]
             return item
     stack = Stack()
     stack.push(1)
     stack.push(2)
     stack.pop()
     assert stack.pop() == 1  # [fails]
"""
PROPERTY = """
     class Box:
         def __init__(self, width, height):
             self.width, self.height = width, height
         @property
         def area(self):
    -        return self.width * self.height  # [fault]
    +        return self.width * self.width  # [fault]
     def total(boxes):
         return sum(box.area for box in boxes)
     assert total([Box(2, 3), Box(1, 1)]) == 7  # [fails]
"""
INHERITED = """
     class Shape:
         sides = 0
         def describe(self):
             return f"{self.name()} with {self.sides} sides"
         def name(self):
             return "shape"
     class Square(Shape):
    -    sides = 4  # [fault]
    +    sides = 5  # [fault]
         def name(self):
             return "square"
     assert Square().describe() == "square with 4 sides"  # [fails]
"""
OPERATOR = """
     class Money:
         def __init__(self, cents):
             self.cents = cents
         def __add__(self, other):
    -        return Money(self.cents + other.cents)  # [fault]
    +        return Money(self.cents - other.cents)  # [fault]
         def __eq__(self, other):
             return self.cents == other.cents
     assert Money(5) + Money(3) == Money(8)  # [fails]
"""
SORTED = """
     def ranking(scores):
    -    return sorted(scores, key=lambda pair: pair[1])  # [fault]
    +    return sorted(scores, key=lambda pair: pair[0])  # [fault]
     best = ranking([("b", 1), ("a", 2)])[0]
     assert best == ("b", 1)  # [fails]
"""
CLOSURE = """
     def counter(step):
         count = 0
         def advance():
             nonlocal count
    -        count += step  # [fault]
    +        count += step + 1  # [fault]
             return count
         return advance
     advance = counter(2)
     advance()
     assert advance() == 4  # [fails]
"""
CONSTANT = """
    -LIMIT = 10  # [fault]
    +LIMIT = 1  # [fault]
     def clip(value):
         return min(value, LIMIT)
     def clipped(values):
         return [clip(value) for value in values]
     assert clipped([4, 20]) == [4, 10]  # [fails]
"""
DATACLASS = """
     from dataclasses import dataclass
     @dataclass
     class Order:
         name: str
    -    count: int = 1  # [fault]
    +    count: int = 0  # [fault]
         def price(self, each):
             return self.count * each
     assert Order("tea").price(3) == 3  # [fails]
"""
RAISED = """
     class Empty(Exception):
         pass
     def first(items):
         if not items:
             raise Empty("nothing there")  # [fails]
         return items[0]
     def words(text):
    -    return [word for word in text.split() if word]  # [fault]
    +    return [word for word in text.split() if not word]  # [fault]
     print(first(words("one two")))
"""
WITH = """
     from contextlib import contextmanager
     log = []
     @contextmanager
     def step(name):
         log.append(f"begin {name}")
         yield name
    -    log.append(f"end {name}")  # [fault]
    +    log.append(f"End {name}")  # [fault]
     with step("a") as name:
         log.append(name)
     assert log == ["begin a", "a", "end a"]  # [fails]
"""
SEVERAL_FILES = """
     from shop.cart import Cart
     cart = Cart()
     cart.add("tea", 3)
     cart.add("milk", 2)
     assert cart.total() == 5  # [fails]
    == shop/__init__.py
    == shop/prices.py
     def rounded(value):
    -    return round(value, 2)  # [fault]
    +    return round(value, -1)  # [fault]
    == shop/cart.py
     from .prices import rounded
     class Cart:
         def __init__(self):
             self._items = {}
         def add(self, name, price):
             self._items[name] = price
         def total(self):
             return rounded(sum(self._items.values()))
"""
MATCH = """
     def area(shape):
         match shape:
             case ("square", side):
    -            return side * side  # [fault]
    +            return side * 4  # [fault]
             case ("box", a, b):
                 return a * b
         return 0
     assert area(("square", 3)) + area(("box", 1, 2)) == 11  # [fails]
"""
ASYNC = """
     import asyncio
     async def fetch(number):
         await asyncio.sleep(0)
    -    return number * 2  # [fault]
    +    return number * 3  # [fault]
     async def main():
         found = await asyncio.gather(fetch(1), fetch(2))
         return sum(found)
     assert asyncio.run(main()) == 6  # [fails]
"""
DEFAULT = """
    -def greet(name, greeting="Hello"):  # [fault]
    +def greet(name, greeting="Hullo"):  # [fault]
         return f"{greeting}, {name}!"
     def letter(name):
         return [greet(name), "..."]
     assert letter("Ann")[0] == "Hello, Ann!"  # [fails]
"""
LOOP = """
     def first_even(numbers):
         found = None
         for number in numbers:
             if number % 2 == 0:
                 found = number
    -            break  # [removed]
         return found
     assert first_even([1, 2, 3, 4]) == 2  # [fails]
"""
UNFINISHED = """
     def halves(numbers):
         for number in numbers:
    -        yield number // 2  # [fault]
    +        yield number // 3  # [fault]
     def check(numbers):
         for half in halves(numbers):
             assert half > 0  # [fails]
     check([6, 2, 8])
"""
BY_NAME = """
     class Rules:
    -    word = "abc"  # [fault]
    +    word = "ab"  # [fault]
         names = ("word",)
         def all(self):
             return [getattr(self, name) for name in self.names]
     assert "abc" in Rules().all()  # [fails]
"""
RAISES = """
     import unittest
     def checked(number):
    -    if number < 0:  # [fault]
    +    if number < -1:  # [fault]
             raise ValueError(number)
         return number
     with unittest.TestCase().assertRaises(ValueError):  # [fails]
         checked(-1)  # [call]
"""
RAISES_IN_CALL = """
     import unittest
     def checked(number):
    -    if number < 0:  # [fault]
    +    if number < -1:  # [fault]
             raise ValueError(number)
         return number
     unittest.TestCase().assertRaises(ValueError, checked, -1)  # [fails]
"""
UNRAISED = """
     class Refused(Exception):
         pass
     def check(owner, wanted):
    -    if isinstance(wanted, list):  # [fault]
    +    if isinstance(wanted, (list, str)):  # [fault]
             if owner not in wanted:
                 raise Refused("not in the list")
         elif owner != wanted:
             raise Refused("another owner")
     def enter(owner, wanted):
         ticket = {"owner": owner}
         check(ticket["owner"], wanted)
         return ticket
     try:
         enter("ann", "anna")
     except Refused:
         pass
     else:
         raise AssertionError("a part of the name was accepted")  # [fails]
"""
UNRAISED_KEY = """
     class Store:
         def __init__(self):
             self.items = {}
         def put(self, name, count):
    -        self.items[name] = count  # [fault]
    +        self.items[name.strip()] = count  # [fault]
         def take(self, name):
             count = self.items[name]
             return 1
     store = Store()
     store.put(" pen", 3)
     try:
         store.take("pen")
         found = True
     except KeyError:
         found = False
     assert not found  # [fails]
"""
PRICE = """
     from decimal import Decimal
     def price(text):
    -    return Decimal(text)  # [fault]
    +    return Decimal(text).quantize(Decimal("0.1"))  # [fault]
     def total(texts):
         found = Decimal(0)
         for text in texts:
             found = found + price(text)
         return found
     assert total(["1.25", "2.50"]) == Decimal("3.75")  # [fails]
"""
EXECUTED = """
     def source(names):
         lines = ["def make(values):"]
         for at, name in enumerate(names):
    -        lines.append(f"    {name} = values[{at}]")  # [fault]
    +        lines.append(f"    {name} = values[{at} - 1]")  # [fault]
         lines.append(f"    return dict({', '.join(f'{n}={n}' for n in names)})")
         return chr(10).join(lines)
     def compiled(names):
         space = {}
         exec(compile(source(names), "<made>", "exec"), space)  # [executed]
         return space["make"]
     assert compiled(["a", "b"])([1, 2]) == {"a": 1, "b": 2}  # [fails]
"""
GENERATOR_EXPRESSION = """
     class Kind:
         def __init__(self, name):
             self.name = name
     TEXT, SPACE, NAME, ERROR = Kind("text"), Kind("space"), Kind("name"), Kind("error")
     def raw(text):
         queue = []
         for number, letter in enumerate(text):
             if letter == " ":
    -            queue.append((number, TEXT, letter))  # [fault]
    +            queue.append((number, SPACE, letter))  # [fault]
             elif letter == ":":
                 for start, kind, part in queue:
                     if kind is TEXT:
                         yield start, kind, part
                     elif kind is NAME:
                         yield start, kind, part.upper()
                     else:
                         yield start, ERROR, part
                 queue.clear()
                 yield number, TEXT, letter
             else:
                 queue.append((number, NAME, letter))
     def tokens(text):
         for _, kind, part in raw(text):
             yield kind, part
     found = list(tokens("a : b:"))
     assert not any(kind is ERROR for kind, _ in found), found  # [fails]
"""
DELETED_BY_MAPPING = """
     from collections.abc import MutableMapping
     class Headers(MutableMapping):
         def __init__(self, data=None):
             self._store = {}
             self.update(data or {})
         def __setitem__(self, key, value):
             self._store[key.lower()] = (key, value)
         def __getitem__(self, key):
             return self._store[key.lower()][1]
         def __delitem__(self, key):
             del self._store[key.lower()]
         def __iter__(self):
             return (name for name, value in self._store.values())
         def __len__(self):
             return len(self._store)
     class Session:
         proxies = {}
         def cleaned(self, headers, proxies):
             if "Proxy" in headers:
                 del headers["Proxy"]
             return dict(proxies)
         def send(self, headers, **options):
    -        options.setdefault("proxies", self.proxies)  # [fault]
    +        options.setdefault("proxies", self.cleaned(headers, self.proxies))  # [fault]
             seen.update(headers)
     seen = {}
     Session().send(Headers({"Proxy": "x", "Accept": "y"}))
     assert seen.get("Proxy") == "x", seen  # [fails]
"""
KEPT_METHOD = """
     import io
     class Style:
         def __init__(self, color=None, ground=None):
             self.color, self.ground = color, ground
         def __add__(self, other):
             return Style(other.color or self.color, other.ground or self.ground)
         def render(self, text):
             codes = [code for code in (self.color, self.ground) if code]
             return "[" + ";".join(codes) + "]" + text if codes else text
     class Text:
         def __init__(self, plain):
             self.plain, self.spans = plain, []
         def before(self, style):
             self.spans.insert(0, (0, len(self.plain), style))
         def render(self):
             style = Style()
             for start, end, each in self.spans:
                 style = style + each
             yield self.plain, style
     class Panel:
         def __init__(self, title, style):
             self.title, self.style = Text(title), style
         def render(self):
             partial = Style("red")
             border = self.style + partial
    -        self.title.before(border)  # [fault]
    +        self.title.before(partial)  # [fault]
             yield "--", border
             yield from self.title.render()
     class Console:
         def __init__(self, file):
             self.file, self.buffer = file, []
         def print(self, panel):
             self.buffer.extend(panel.render())
             self.flush()
         def flush(self):
             output = []
             append = output.append
             for text, style in self.buffer:
                 append(style.render(text))
             rendered = "".join(output)
             self.file.write(rendered)
     file = io.StringIO()
     Console(file).print(Panel("T", Style(None, "44")))
     top = file.getvalue().splitlines()[0]
     assert "44]T" in top, top  # [fails]
"""
CAPTURED = """
     import contextlib, io
     def total(values):
         found = 0
         for value in values:
             found += value
    +        print("so far", found)  # [fault]
         return found
     with contextlib.redirect_stdout(io.StringIO()) as printed:
         print("total", total([1, 2]))
     assert printed.getvalue() == "total 3\\n", printed.getvalue()  # [fails]
"""
PRINTED = """
     import contextlib, io
     def show(words):
         text = ", ".join(words)
    -    print(text)  # [fault]
    +    print(text.encode())  # [fault]
     with contextlib.redirect_stdout(io.StringIO()) as printed:
         show(["a", "b"])
     lines = printed.getvalue().splitlines()
     assert lines == ["a, b"], lines  # [fails]
"""
BUILTIN_KEY = """
     NAMES = {}
     NAMES[str] = "text"
     def name_of(value):
         name = NAMES.get(type(value))
         if name is None:
    -        name = "unknown"  # [fault]
    +        name = NAMES[str]  # [fault]
         return name
     assert name_of(1.5) == "unknown", name_of(1.5)  # [fails]
"""
METACLASS = """
     class Field:
         def __init__(self, name):
             self.name = name
     def fields_of(attrs, pop=False):
         found = [(name, value) for name, value in attrs.items() if isinstance(value, Field)]
         if pop:
             for name, _ in found:
                 del attrs[name]
         return found
     class Meta(type):
         def __new__(meta, name, bases, attrs):
    -        found = fields_of(attrs, pop=True)  # [fault]
    +        found = fields_of(attrs)  # [fault]
             made = super().__new__(meta, name, bases, attrs)
             made.declared = dict(found)
             return made
     class Schema(metaclass=Meta):
         def load(self, data):
             return {name: data[name] for name in self.declared if name in data}
     class S(Schema):
         load = Field("load")
         dump = Field("dump")
     assert S().load({"dump": "x"}) == {"dump": "x"}  # [fails]
"""


@pytest.mark.parametrize(
    "text",
    [
        CONDITION, KEY, ATTRIBUTE, INDEX, CAUGHT, PROPERTY, INHERITED, OPERATOR, SORTED, CLOSURE,
        CONSTANT, DATACLASS, RAISED, WITH, SEVERAL_FILES, MATCH, ASYNC, DEFAULT, UNFINISHED,
        BY_NAME, RAISES, RAISES_IN_CALL, UNRAISED, UNRAISED_KEY, PRICE,
        EXECUTED, GENERATOR_EXPRESSION, DELETED_BY_MAPPING, KEPT_METHOD, METACLASS, CAPTURED,
        PRINTED, BUILTIN_KEY,
        CHOSEN, UNHASHABLE,
    ],
)  # fmt: skip
def test_the_fault_leads_to_the_failure(text: str, tmp_path: Path) -> None:
    answer = explain_python(tmp_path, text)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert "fault" in answer.links
    assert answer.links[-1] == "fails"


@pytest.mark.parametrize("text", [REMOVED, LOOP])
def test_a_removed_statement_is_on_the_chain(text: str, tmp_path: Path) -> None:
    answer = explain_python(tmp_path, text)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"removed"}
    assert "removed" in answer.links


ENTANGLED = """
     def is_number(value, kind):
         return isinstance(value, kind)


    -def numbers_of(attributes, kind, pop=False, ordered=False):  # [definition]
    +def numbers_of(attributes, ordered=False):  # [definition]
         found = [
             (name, value)
             for name, value in attributes.items()
    -        if is_number(value, kind)  # [kind]
    +        if is_number(value, int)  # [kind]
         ]
    -    if pop:  # [removed]
    -        for name, _ in found:  # [removed]
    -            del attributes[name]  # [removed]
         if ordered:
             found.sort()
         return found


     def parts(attributes):
    -    found = numbers_of(attributes, int, pop=True, ordered=False)  # [call]
    +    found = numbers_of(attributes, ordered=False)  # [call]
         rest = dict(attributes)
         return dict(found), rest


     numbers, rest = parts({"a": 1, "b": "x", "c": 2})
     assert rest == {"b": "x"}, rest
"""


def test_of_changes_that_only_work_together_the_root_is_what_no_longer_runs(
    tmp_path: Path,
) -> None:
    answer = explain_python(tmp_path, ENTANGLED)
    assert "removed" in answer.root
    assert not answer.result.is_guess
    assert "del attributes[name]" in answer.missing[0].text


IMPORTED = """
    == keys.py
     def want(value):
         return value
    +def key_list(key):  # [helper]
    +    return [key]  # [helper]
     class Signer:
    -    def __init__(self, key, salt):
    -        self.key = key
    -        self.salt = "ours" if salt is None else salt
    +    def __init__(self, keys, salt):
    +        self.keys, self.salt = keys, want(salt)  # [fault]
         def sign(self, value):
    -        return self.key + self.salt + value
    +        return self.keys[-1] + self.salt + value
    == serializer.py
    +from keys import key_list  # [import]
     from keys import Signer
     class Serializer:
         def __init__(self, key):
    -        self.key = key
    +        self.keys = key_list(key)
         def dumps(self, value, salt=None):
    -        return Signer(self.key, salt).sign(value)
    +        return Signer(self.keys, salt).sign(value)
    == program.py
     from serializer import Serializer
     print(Serializer("key").dumps("text"))
"""


def test_of_entangled_changes_an_import_is_not_where_the_damage_starts(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, IMPORTED)
    assert "fault" in answer.root
    assert "import" not in answer.root


RENAMED = """
    == writers.py
    -class HTMLWriter:  # [class]
    +class HtmlWriter:  # [class]
         def __init__(self):
             self.parts = []
         def write(self, text):
             self.parts.append("<p>" + text + "</p>")
             return "".join(self.parts)
    +HTMLWriter = HtmlWriter  # [alias]
    == pages.py
    -from writers import HTMLWriter  # [fault]
    +from writers import HtmlWriter  # [fault]
     LIMIT = 3
     def limited(text):
         return text[:LIMIT]
    -def convert(text, writer=HTMLWriter):  # [use]
    +def convert(text, writer=HtmlWriter):  # [use]
         return writer().write(text)
    == program.py
     import pages
     assert pages.convert("x", pages.HTMLWriter) == "<p>x</p>"
"""


def test_the_root_of_a_missing_name_is_what_no_longer_provides_it(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, RENAMED, harmless=False)
    assert answer.root == {"fault"}
    assert answer.result.status == "explained"


def test_the_chain_has_the_exception_that_is_no_longer_raised(tmp_path: Path) -> None:
    link = explain_python(tmp_path, RAISES).link("call")
    assert link.failing == {"checked(-1)": "-1"}
    assert link.passing == {"checked(-1)": "raised ValueError(-1)"}


def test_the_chain_shows_the_values_of_standard_types(tmp_path: Path) -> None:
    link = explain_python(tmp_path, PRICE).link("fails")
    assert "Decimal('3.7')" in link.failing.values()
    assert "Decimal('3.75')" in link.passing.values()


def test_one_of_many_changes_to_a_long_table_leads_to_the_failure(tmp_path: Path) -> None:
    rows = [
        f'{sign}    (r"{key}{number}", Kind.{kind}),'
        for number in range(10)
        for sign, kind in (("-", "name"), ("+", "other"), (" ", "name"))
        for key in ("a" if sign != " " else "b")
    ]
    answer = explain_python(
        tmp_path,
        """
         class Kind:
             name = 1
             other = 2
         TABLE = [
        {rows}
        -    (r"x", Kind.name),  # [fault]
             (r"y", Kind.other),
             (r"x", Kind.other),
         ]
         def kind(text):
             for rule, found in TABLE:
                 if rule == text:
                     return found
         assert kind("x") == Kind.name  # [fails]
        """.replace("{rows}", "\n        ".join(rows)),
    )
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}


def test_an_exception_from_a_generator_expression_is_the_failure(tmp_path: Path) -> None:
    answer = explain_python(
        tmp_path,
        """
        -rules = [len]  # [fault]
        +rules = ["len"]  # [fault]
         def first(text):
             return next(rule(text) for rule in rules)  # [fails]
         first("abc")
        """,
    )
    assert answer.link("fails").says.startswith("the failure: TypeError: 'str' object")


def test_a_test_of_pytest_outside_the_tree_is_recorded(tmp_path: Path) -> None:
    test = tmp_path / "elsewhere" / "test_price.py"
    test.parent.mkdir()
    test.write_text("import program\n\ndef test_price():\n    assert program.price(2) == 6\n")
    pair = """
         def price(count):
        -    return count * 3  # [fault]
        +    return count * 2  # [fault]
    """
    run = f"PYTHONPATH={{tree}} {sys.executable} -m pytest -q -p no:cacheprovider {test}"
    answer = explain_python(tmp_path / "pair", pair, run)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.links[0] == "fault"
    assert answer.chain[-1].file == str(test)


def test_code_that_pytest_adds_to_an_assertion_is_not_on_the_chain(tmp_path: Path) -> None:
    answer = explain_python(
        tmp_path,
        """
         def double(number):
        -    return number * 2  # [fault]
        +    return number * 3  # [fault]
         def test_double():
             assert double(2) == 4  # [fails]
        """,
        test=f"{sys.executable} -m pytest -q -p no:cacheprovider program.py",
    )
    assert answer.links == ["fault", "fails"]
    assert answer.link("fails").passing == {"double(2)": "4", "double(2) == 4": "True"}


def test_differing_output_leads_to_the_fault(tmp_path: Path) -> None:
    answer = explain_python(
        tmp_path,
        """
         def line(name, price):
        -    return f"{name:<6}{price:>4}"  # [fault]
        +    return f"{name:<5}{price:>4}"  # [fault]
         print("prices")
         print(line("tea", 3))  # [prints]
        """,
        compares_output=True,
    )
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert answer.links[-1] == "prints"
