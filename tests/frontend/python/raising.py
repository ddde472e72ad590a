"""Statements that raise in different ways.  What does a traceback show for each of them?"""

from __future__ import annotations

OPENING = """
class B:
    def __bool__(self): raise ValueError("b")
    def __lt__(self, o): return self
    def __call__(self, *a, **k): raise ValueError("c")
    def __getattr__(self, n): raise AttributeError(n)
    def __setattr__(self, n, v): raise AttributeError(n)
    def __getitem__(self, n): raise KeyError(n)
    def __setitem__(self, n, v): raise KeyError(n)
    def __delitem__(self, n): raise KeyError(n)
    def __add__(self, n): raise TypeError(n)
    def __iter__(self): raise TypeError("it")
    def __enter__(self): return self
    def __exit__(self, *a): raise TypeError("exit")
    def __contains__(self, x): raise TypeError("in")
    def __format__(self, s): raise TypeError("fmt")
    def __repr__(self): raise TypeError("repr")
    def __neg__(self): raise TypeError("neg")
    def __index__(self): raise TypeError("index")
    def __hash__(self): raise TypeError("hash")
    def __del__(self): pass
    __match_args__ = 5
b = B(); class_ = 1
def ok(*a, **k): return 1
import sys, traceback
"""

# The statements, separated by empty lines.
RAISING = r"""
if b: pass

if ok() and b: pass

if b.x or ok() or b: pass

if not (ok() and b): pass

if ok() and not (b or ok()): pass

if ok() and not (not ok() or not (ok() and b)): pass

assert ok() and not (ok() or b)

if ok() and not b: pass

if ok() and (0 or not not b): pass

assert ok() and not ok(), ok()

assert not (ok() and ok()), ok()

assert ok() == 1 and b

assert ok() == 1 and b < b

x = 1 if ok() == 1 and b else 2

while not b: pass

x = [i for i in range(3) if ok() == 1 and b]

if ok() and b or 1:
    pass

if not b: pass

if b < b < b: pass

if b < b: pass

while b:
    ok()

x = 1 if b else 2

x = b and ok()

x = ok() and (b or 2)

x = [i for i in (1, 2) if b]

x = [i for i in (1, 2) if b < b]

x = list(i for i in (1, 2) if b)

assert b, "m"

assert b < b

assert 1 == 2

assert 1 == 2, "message"

assert ok() and 1 == 2, f"m {ok()}"

assert not ok()

assert (1 == 2 and
    ok()), ("x" +
    "y")

assert False

assert ok() is None

b.x

b.x.y

b.x()

b(1, ok(2))

ok(b.x, 2)

ok(1, b(
   3),
   4)

ok().foo.bar

ok()[3]

b[1:2]

b[ok()] = 3

b.x = ok()

b.x, y = 1, 2

x, y = ok(), b[1]

x, y = 1

(x, y), z = (1, 2, 3), 4

b.x += 1

b[0] += 1

x = 1; x += "a"

del b.x

del b[1], b[2]

del (x, b[2])

x = b + ok()

x = ok() + b + 1

x = ok() + "a" * 3

x = -b

x = {b: 1}

x = {**b}

x = [*b]

ok(*b)

ok(**b)

ok(**{"a": 1}, **{"a": 2})

for i in b: pass

for i, j in [(1, 2), 3]: pass

for b.x in [1]: pass

for i in range(3):
    if i == 2:
        b(i)

with b as q: pass

with b: ok(1)

with ok(): pass

with b, ok(): pass

with open("/nonexistent/x") as f: pass

x = f"{ok()} {b} {1}"

x = f"{b!r}"

x = f"{ok() + b}"

x = f"{b.x:>{ok()}}"

raise ValueError("x")

raise ValueError("x") from KeyError(1)

raise ValueError("x") from b.x

raise 5

raise ok("a" + b.x)

try: b.x
finally: ok()

try: b.x
except KeyError: pass

try: b.x
except AttributeError as e: raise KeyError(2)

try: b.x
except AttributeError as e: raise

try: b.x
except b.y: pass

try: ok()
except KeyError: pass
else: b.z

import nonexistent.thing

from os import nonexistent_name

from . import foo

@b
def f(): pass

@ok(b.x)
def f(): pass

def f(x=b.y): pass

class D(b.x): pass

class D(ok): pass

class D:
    x = b.y

class D:
    def f(self): return b.x
D().f()

(lambda: b.x)()

(lambda y: y + b)(1)

list(map(lambda q: q / 0, [1]))

sorted([3, 1], key=lambda q: b[q])

undefined

undefined()

undefined.x

ok(undefined)

match b:
    case B(x): pass

match ok():
    case 1 if b: pass

match ok():
    case 1 if b < b: pass

return b.x

return ok(b + 1)

return [b.x for i in range(2)]

return {i: b[i] for i in range(2)}

return sum(b[i] for i in range(2))

return (ok() if b else 1)

x = 5 in b

x = [1, 2, 3][b]

x = (1, 2)[5]

x: int = b.y

x: b.y = 1

ok(1)(2)

ok(1).real.x.y(
  3)

ok(
  1,
).x(
  2
)

global g_; g_ = b.x

print(1, 2, b.x,
   file=3)

x = (y := b.x)

x = b if ok() else b; x.foo

x = "a" "b" % 3

x = "%d" % "a"

x = int("z") + ok()

x = ok() if 1 / 0 else 3

x = not b

x = ok() < "a"

x = 1 < "a" < 2

x = 1 < 2 < "a"

x = {1: ok(), "b": b.x}

x = [ok(), b.x, 3]

x = (ok(), b.x, 3)

x = {ok(), b}

x = b[1:b.x:3]

x = b[1, b.x]

x = "abc"[b:2]

next(iter([]))

next(i for i in ())
"""


def program() -> str:
    """Return a program that runs each statement in its own function and prints its traceback."""
    parts = [OPENING]
    for number, raising in enumerate(RAISING.strip("\n").split("\n\n")):
        body = "\n".join(f"    {line}" for line in raising.split("\n"))
        parts.append(f"def f{number}():\n{body}\ntry: f{number}()")
        parts.append("except BaseException: traceback.print_exc(file=sys.stdout)")
    return "\n".join(parts)
