"""Which small Python programs do tests generate?

A program gets two numbers and a text as arguments.  It computes with them in random ways, branches
on them and prints which way it went.
"""

from __future__ import annotations

import random

_HEAD = """import re
import sys

def scaled(n, by=3):
    if n < 0:
        return -n
    return n // by

class Box:
    def __init__(self, size):
        self.size = size
        self.items = []

    def put(self, item):
        if len(self.items) < 3 and item > self.size:
            self.items.append(item)
        return len(self.items)

def words(text):
    for word in text.split("-"):
        if word:
            yield word

x = int(sys.argv[1])
y = int(sys.argv[2])
t = sys.argv[3]
box = Box(y)
"""
_NUMBERS = (
    "x", "y", "x + y", "x - y", "x * 2", "x % 7", "y // 3", "abs(x)", "min(x, y)", "max(x, 4)",
    "len(t)", "ord(t[0])", "scaled(x)", "scaled(y, by=2)", "t.count('a')", "t.find('b')",
    "sum([x, y])", "(x ^ 5) & 15", "-y", "box.put(x)", "[3, 1, 4, 1, 5][x % 5]",
    "{1: 10, 2: 20}.get(y % 4, 5)", "divmod(x, 4)[1]", "sum(ord(c) for c in t)", "x << 1",
    "int(x > y)", "x ** 2",
)  # fmt: skip
_TEXTS = (
    "t", "t.upper()", "t.strip('-')", "t[1:]", "t + 'z'", "t.replace('a', 'xy')", "t[::-1]",
    "t.partition('-')[0]", "'-'.join([t, 'k'])", "str(x)", "t.lower().title() and t", "f'{y:03d}'",
    "max(t, 'm')", "t.removeprefix('a')", "sorted([t, 'kk'])[0]", "next(words(t), 'none')",
)  # fmt: skip
_TESTS = (
    "{n} > {m}", "{n} == {k}", "{n} % 3 == 1", "{s} == 'ab'", "{s}.startswith('a')", "'b' in {s}",
    "{s} < 'm'", "{n} in (1, 2, 3)", "{s}.isdigit()", "{s}.isalpha() and {n} > {k}",
    "not {s}.endswith('c') or {n} < {m}", "{k} < {n} <= {m}", "any(c == 'c' for c in {s})",
    "re.fullmatch('[a-f]+', {s})", "all([{n} > 0, {m} > 0])", "{s} in ('abc', 'xyz')",
)  # fmt: skip


def generated_python(seed: int) -> str:
    """Return a program that is always the same for a seed."""
    chance = random.Random(seed)
    lines = [_HEAD]
    for number in range(chance.randint(2, 4)):
        lines += _statement(chance, number, "")
    lines.append("print('end')")
    return "\n".join(lines) + "\n"


def _statement(chance: random.Random, number: int, indent: str) -> list[str]:
    kind = chance.choice(("if", "if", "if", "loop", "chars", "try", "while", "assign"))
    test = _test(chance)
    if kind == "if":
        return [
            f"{indent}if {test}:", f"{indent}    print('yes', {number})",
            f"{indent}else:", f"{indent}    x = x + {chance.randint(1, 5)}",
        ]  # fmt: skip
    if kind == "loop":
        return [
            f"{indent}for i in range(x % 4):", f"{indent}    if y + i > {chance.randint(0, 9)}:",
            f"{indent}        print('i', i)",
        ]  # fmt: skip
    if kind == "chars":
        return [
            f"{indent}for c in t:", f"{indent}    if c.isdigit() or c == 'b':",
            f"{indent}        print('c', {number})", f"{indent}        break",
        ]  # fmt: skip
    if kind == "try":
        number_text = _text(chance)
        return [
            f"{indent}try:", f"{indent}    n = int({number_text})",
            f"{indent}    print('number', 100 // n > 5)",
            f"{indent}except (ValueError, ZeroDivisionError) as error:",
            f"{indent}    print(type(error).__name__)",
        ]  # fmt: skip
    if kind == "while":
        return [
            f"{indent}k = {_number(chance)}", f"{indent}rounds = 0",
            f"{indent}while k > 3 and rounds < 3:", f"{indent}    k //= 2",
            f"{indent}    rounds += 1", f"{indent}print('rounds', rounds)",
        ]  # fmt: skip
    return [f"{indent}y = {_number(chance)}", f"{indent}if y > 6:", f"{indent}    print('y')"]


def _test(chance: random.Random) -> str:
    return chance.choice(_TESTS).format(
        n=f"({_number(chance)})", m=f"({_number(chance)})", k=chance.randint(0, 9),
        s=f"({_text(chance)})",
    )  # fmt: skip


def _number(chance: random.Random) -> str:
    return chance.choice(_NUMBERS)


def _text(chance: random.Random) -> str:
    return chance.choice(_TEXTS)
