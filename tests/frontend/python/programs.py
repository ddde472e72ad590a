"""Programs that together use every construct of Python.  Each prints what it does."""

# ruff: noqa: E501 (long lines are part of the programs)

from __future__ import annotations

PROGRAMS: dict[str, str] = {}

PROGRAMS["classes"] = """
'''The docstring.'''
class Base:
    '''A base.'''
    __slots__ = ("a", "__b")
    count: int = 0
    def __init__(self, a, *rest, b=1, **more):
        '''Makes one.'''
        self.a = a
        self.__b = b
        Base.count += 1
    @property
    def b(self):
        return self.__b
    @b.setter
    def b(self, value):
        self.__b = value
    @classmethod
    def make(cls, *args):
        return cls(*args)
    @staticmethod
    def twice(x): return x * 2
    def __repr__(self): return f"Base({self.a!r})"
class Derived(Base):
    def __init__(self, a):
        super().__init__(a, b=5)
        self.c = __class__.__name__
    def __getattr__(self, name):
        if name.startswith("x"): return name
        raise AttributeError(name)
d = Derived.make(3)
d.b += 2
print(d, d.b, d.c, d.xyz, Base.count, Derived.twice(4), Base.__doc__, __doc__, Base.__init__.__doc__)
print(Base.__dict__.keys(), vars(d), Derived.__mro__, Base.__annotations__)
try: d.nope
except AttributeError as error: print("no", error)
class Meta(type):
    def __new__(mcs, name, bases, namespace, **kw):
        print(name, bases, sorted(namespace), kw)
        return super().__new__(mcs, name, bases, namespace)
    def __eq__(cls, other): print("eq"); return cls is other
class Made(metaclass=Meta, flag=True):
    x = [i for i in range(3)]
    def m(self): return self.x
print(Made().m(), Made == Made)
class Hidden:
    def __init__(self): self.__x = 1
    def get(self): return [self.__x for __y in range(2)]
print(vars(Hidden()), Hidden().get())
del d.c
print(vars(d))
"""

PROGRAMS["functions"] = """
import functools, inspect
def outer(a, /, b, *c, d=4, **e):
    n = 0
    def inner():
        nonlocal n
        global G
        n += 1
        G = n
        return lambda q=n: (q, n, a)
    return inner
f = outer(1, 2, 3, d=5, z=6)
print(f()(), f()(9), G)
def deco(x):
    print("deco", x)
    def wrap(f):
        @functools.wraps(f)
        def run(*args, **kw):
            print("run", args, kw)
            return f(*args, **kw)
        return run
    return wrap
@deco(1)
@deco(2)
def g(x, y=[1, 2], *, k=None) -> int:
    "doc of g"
    return x, y, k
print(g(1), g(1, k=2), g.__doc__, inspect.signature(g), inspect.getsource(g.__wrapped__))
print(inspect.signature(outer), outer.__defaults__, outer.__kwdefaults__, outer.__code__.co_varnames)
print(outer.__code__.co_name, inner_names := [c.co_name for c in outer.__code__.co_consts if hasattr(c, "co_name")])
def empty():
    "only a docstring"
print(empty(), empty.__doc__, inspect.getsource(empty))
def nothing(): pass
def dots(): ...
print(nothing(), dots())
def rec(n): return 1 if n <= 1 else n * rec(n - 1)
print(rec(20), (lambda *a, **k: (a, k))(1, *[2, 3], x=1, **{"y": 2}))
def local_names(a):
    b = 2
    return sorted(locals()), dir(), sorted(vars())
print(local_names(1))
print(eval("rec(5)"), [eval("x") for x in range(2)])
exec("def made(x): return x + 1")
print(made(2))
"""

PROGRAMS["flow"] = """
def f(xs):
    for i, x in enumerate(xs):
        if x is None: continue
        elif x == "stop": break
        print(i, x)
    else:
        print("exhausted")
    n = 3
    while n:
        n -= 1
        if n == 1: continue
    else:
        print("else")
    while True:
        n += 1
        if n > 3: break
    for a, (b, *c), in [(1, (2, 3, 4))][:0]: pass
    for a, (b, *c) in [(1, (2, 3, 4))]: print(a, b, c)
    for o.x in range(2): print(o.x)
    for d["k"] in range(2): print(d)
    return n
class O: pass
o, d = O(), {}
print(f([1, None, 2]), f(["stop", 1]), f([]))
if 0: print("never")
else: print("always")
if 1: print("one")
while 0: pass
class Truth:
    def __init__(self, name, value): self.name, self.value = name, value
    def __bool__(self): print("?", self.name); return self.value
    def __lt__(self, other): print("<", self.name, other.name); return Truth(self.name + other.name, self.value)
    def __eq__(self, other): return Truth("eq", True)
T, F = Truth("t", True), Truth("f", False)
if T and F or T: print(1)
if not (T and F): print(2)
if T if F else F: print(3)
x = T and F or T; print(x.name)
y = (F or T) and F; print(y.name)
z = F or F or F; print(z.name)
if T < F < T: print(4)
if F < T < F: print(5)
w = F < T < F; print(w.name)
while F or F: pass
print([q.name for q in (T, F) if q if not F])
assert T, "fine"
assert T or F
print(1 if T else 2, not T, (not T) or 5)
if (n := len("abc")) > 2 and n: print(n)
print([y := 1, y ** 2], [last := i for i in range(3)], last)
"""

PROGRAMS["assigning"] = """
a = b = c = [1, 2]
a, b = b, a
(a, *b), c = ("xyz", 3)
print(a, b, c)
x = y, z = 1, 2
print(x, y, z)
d = {}
d["a"], d["b"] = 1, 2
d["a"] += 5
d.setdefault("l", []).append(3)
d["l"] += [4]
l = list(range(10))
l[1:3] = "ab"
l[::2] = [0] * 5
del l[0], l[-1:], d["a"]
print(l, d, l[1:4], l[-1], l[:], l[::-1])
class N: pass
n = N(); n.m = N(); n.m.v = 1
n.m.v += 1; n.m.v **= 3; n.m.v //= 2; n.m.v |= 8; n.m.v <<= 1
print(n.m.v)
class M:
    def __getitem__(self, key): return key
    def __setitem__(self, key, value): print("set", key, value)
    def __delitem__(self, key): print("del", key)
m = M()
print(m[1, 2], m[1:2, ::3], m[...], m[1:2], m[(1, 2)], m[()])
m[1:2, 3] = 4; m[0, "a"] += (1,); del m[1, 2:3]
t: int = 5
u: "str"
n.w: int = 3
n.m.q, m[1], n.w = range(3)
print(t, n.w, __annotations__)
class Inplace:
    def __iadd__(self, o): print("iadd", o); return self
i = Inplace(); i += 1; n.i = i; n.i += 2; d["i"] = i; d["i"] += 3
del t
try: t
except NameError as e: print(e)
def f():
    del v
    v = 1
try: f()
except UnboundLocalError as e: print(e)
print({**{"a": 1}, "b": 2, **{}}, [*"ab", 1], {*"a"}, (*[1], 2), {}, [], (), {1: [2, {3: 4}]})
print(1 < 2 < 3, 1 in [1, 2], 2 not in {1, 2}, None is None, 3 in (1, 2), -1, +1, ~5, not 1, 2 ** -1)
print("a" "b" % (), 10 % 3, 7 // 2, 1 << 4, 6 & 3, 6 ^ 3, 1 @ 2 if False else 0)
"""

PROGRAMS["exceptions"] = """
import sys
def f(kind):
    try:
        print("try", kind)
        if kind == 1: raise ValueError("v")
        if kind == 2: raise KeyError
        if kind == 3: return "returned"
        if kind == 4: raise ValueError("x") from KeyError("cause")
        if kind == 5: raise TypeError("t") from None
        if kind == 6: 1 / 0
    except ValueError as error:
        print("caught", repr(error), repr(error.__cause__), sys.exc_info()[1] is error)
        try: raise
        except ValueError as again: print(again is error, again.__context__)
    except (KeyError, ZeroDivisionError):
        print("other", repr(sys.exc_info()[1]))
        return "from handler"
    else:
        print("else")
    finally:
        print("finally")
    return "end"
for k in range(7):
    try: print(f(k))
    except Exception as e: print("out", repr(e), e.__suppress_context__, repr(e.__context__))
def g():
    for i in range(5):
        try:
            if i == 1: continue
            if i == 3: break
            print(i)
        finally:
            print("f", i)
    try:
        return 1
    finally:
        return 2
print(g())
def h():
    try:
        try: raise ValueError(1)
        finally: print("inner")
    except ValueError:
        raise RuntimeError(2)
try: h()
except RuntimeError as e: print(repr(e), repr(e.__context__))
try: e
except NameError: print("e is gone")
def nested(n):
    if n == 0: raise LookupError("deep")
    try: nested(n - 1)
    finally: print("leaving", n)
try: nested(3)
except LookupError: pass
import traceback
try: nested(1)
except LookupError: traceback.print_exc(file=sys.stdout)
print(sys.exc_info())
def deep(n): return deep(n + 1)
try: deep(0)
except RecursionError as e: print(e, repr(e.__context__), repr(e.__cause__))
def check(x): assert x, f"not {x}"
try: check(0)
except AssertionError as e: print(e)
class Boom:
    def __bool__(self): raise ValueError("no truth")
try:
    if Boom(): pass
except ValueError: traceback.print_exc(file=sys.stdout)
def f2():
    try: raise ValueError
    except ValueError: pass
    print(sys.exc_info())
f2()
"""

PROGRAMS["contexts"] = """
import contextlib
class C:
    def __init__(self, n, suppress=False): self.n, self.s = n, suppress
    def __enter__(self): print("enter", self.n); return self, self.n
    def __exit__(self, kind, value, tb): print("exit", self.n, kind, value, tb is not None); return self.s
with C(1) as (c, n), C(2): print(n)
with C(3, True): raise ValueError(1)
def f():
    with C(4):
        return 5
print(f())
def g():
    for i in range(3):
        with C(i):
            if i == 1: break
            continue
    with C(7, True) as h.x:
        1 / 0
    return h.x[1]
class H: pass
h = H()
print(g())
@contextlib.contextmanager
def man(x):
    try: yield x
    except ValueError as e: print("seen", e)
    finally: print("done")
with man(3) as m: print(m); raise ValueError("v")
with contextlib.ExitStack() as stack:
    stack.enter_context(man(4)); stack.callback(print, "cb")
with (C(8) as a, C(9) as b):
    pass
try:
    with C(10): raise KeyError(1)
except KeyError as e: print(e.__traceback__.tb_lineno)
"""

PROGRAMS["comprehensions"] = """
x = 5
print([x for x in range(3)], x, {x: x * x for x in range(3) if x}, {x % 2 for x in range(5)})
print([(i, j) for i in range(3) for j in range(i) if i + j if j], [[y for y in range(z)] for z in range(3)])
print([[x for x in x] for x in [[1], [2, 3]]], list(x for x in range(3) if x % 2))
def f(n):
    return [lambda: n + k for k in range(2)], sum(a * b for a, b in zip(range(n), range(n)))
print([g() for g in f(3)[0]], f(4)[1])
class K:
    n = 3
    xs = [i for i in range(n)]
    gs = list(i for i in range(n))
    d = {i: i for i in range(n)}
print(K.xs, K.gs, K.d)
print(any(v > 2 for v in [1, 3, 5]), all([]), max((abs(v) for v in (-3, 2)), default=0))
print([a for a, *b in [(1, 2, 3)]], [b for a, *b in [(1, 2, 3)]], [i for i in [1, 2] if i in [2]])
g = (print(q) or q for q in (1, 2, 3))
print(next(g)); print(next(g)); g.close()
print([(lambda y: y * 2)(y) for y in range(3)], [z for z in "ab" for z in z + z])
def names(): return [sorted(locals()) for i in range(1)]
print(len(names()))
try: [1 / v for v in (1, 0)]
except ZeroDivisionError as e: print(e)
try: list(1 / v for v in (1, 0))
except ZeroDivisionError as e: print(e)
"""

PROGRAMS["generators"] = """
import inspect
def g(n):
    "doc"
    try:
        while n:
            got = yield n
            print("got", got)
            n -= 1
    except ValueError as e:
        yield f"caught {e}"
    except GeneratorExit:
        print("closing"); raise
    finally:
        print("fin")
    return "result"
a = g(3)
print(next(a), a.send("x"), a.throw(ValueError("v")))
try: next(a)
except StopIteration as s: print(s.value)
b = g(2); next(b); b.close()
def outer():
    r = yield from g(1)
    print("r", r)
    yield from "ab"
    x = [(yield 1), (yield 2)]
    return x
o = outer()
print(list(o), inspect.getgeneratorstate(o), inspect.isgeneratorfunction(g))
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
import itertools
print(list(itertools.islice(fib(), 10)))
def bad():
    yield 1
    raise StopIteration
try: list(bad())
except RuntimeError as e: print(e)
c = g(5); next(c); del c
def tree(n):
    if n:
        yield from tree(n - 1)
        yield n
        yield from tree(n - 1)
print(list(tree(3)))
def empty():
    return
    yield
print(list(empty()))
lam = lambda: (yield)
print(list(lam()))
print(g(1).gi_code.co_name, repr(g(1)).split(" at ")[0], g(1).gi_frame.f_lineno)
def two():
    one = tree(2); other = tree(1)
    for i in one:
        for j in other: yield i, j
print(list(two()))
"""

PROGRAMS["async_"] = """
import asyncio, inspect
class A:
    def __init__(self, n): self.n = n
    def __aiter__(self): return self
    async def __anext__(self):
        await asyncio.sleep(0)
        if not self.n: raise StopAsyncIteration
        self.n -= 1
        return self.n
    async def __aenter__(self): await asyncio.sleep(0); print("aenter"); return 7
    async def __aexit__(self, *a): print("aexit", a[0]); return a[0] is KeyError
async def agen(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i
async def work(name, n):
    '''doc'''
    total = 0
    async for i in A(n):
        print(name, i)
        total += i
        if i == 1: continue
    else: print("out")
    async with A(1) as x, A(2): total += x
    async with A(1): raise KeyError
    total += sum([i async for i in agen(3) if i])
    total += sum([await asyncio.sleep(0, i) for i in range(3)])
    d = {i: await asyncio.sleep(0, i) async for i in agen(2)}
    g = (i async for i in agen(2))
    async for q in g: total += q
    return total, d
async def main():
    print(await asyncio.gather(work("a", 3), work("b", 2)))
    t = asyncio.create_task(asyncio.sleep(100))
    await asyncio.sleep(0)
    t.cancel()
    try: await t
    except asyncio.CancelledError: print("cancelled")
    try: await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError: print("timeout")
    f = lambda: asyncio.sleep(0, 3)
    return await f()
print(asyncio.run(main()), inspect.iscoroutinefunction(work), inspect.isasyncgenfunction(agen))
"""

PROGRAMS["match_"] = """
import dataclasses, enum
@dataclasses.dataclass
class P:
    x: int
    y: int = 0
class Color(enum.Enum):
    RED = 1
    BLUE = "b"
def m(v):
    match v:
        case 0: return "zero"
        case Color.RED: return "red"
        case int() | float() as n if n > 10: return f"big {n}"
        case [a, b, *rest] if rest: return a, b, rest
        case [a, b]: return "pair", a, b
        case {"k": k, **more}: return k, more
        case P(x=0, y=y): return "origin", y
        case P(x, y) if x == y: return "diagonal"
        case str(s): return s
        case None: return "none"
    return "nothing"
for v in (0, 1, 20, Color.RED, Color.BLUE, [1, 2], [1, 2, 3], {"k": 1, "z": 2}, P(0, 3), P(2, 2), P(1, 2), "s", None, b""):
    print(m(v))
def w(v):
    match v:
        case (x, 1) | (1, x): print("x", x)
        case _: print("other")
    match v, 1:
        case a, b: print(a, b)
w((2, 1)); w((1, 5)); w(3)
print(P(1), P(1) == P(1), Color.RED, list(Color), dataclasses.asdict(P(3)))
"""

PROGRAMS["strings"] = """
x, w = 3.14159, 10
print(f"{x:.2f} {x!r} {x:>{w}.{2}} {x=} {'a' + 'b'} {{}} {f'{x}'} {x!s:>20}")
class F:
    def __format__(self, spec): return f"<{spec}>"
    def __repr__(self): return "R"
print(f"{F():abc} {F()!r} {F()=}", f"", f"a", f'''
{x
 } {w:
>5}''')
print("%s %d" % ("a", 1), "a" + "b" * 3, b"ab"[0], r"\\n", "\\N{BULLET}", "é" + f"{'ü'}{x:.1f}")
name = "ä" * 3; print(name.encode(), name[1:], f"ö{name.upper()}ö{len(name)}")
print("x" * 5000 == "x" * 5000, len("y" * 10000), 2 ** 5000 % 97, -(2 ** 5000) % 97)
"""

PROGRAMS["library"] = """
import pickle, copy, collections, enum, dataclasses, typing, weakref, gc, functools, abc, sys, warnings, inspect, doctest, json
@dataclasses.dataclass(order=True)
class D:
    a: int
    b: list = dataclasses.field(default_factory=list)
    def m(self): return self.a
print(pickle.loads(pickle.dumps(D(1, [2]))), copy.deepcopy(D(1)), sorted([D(2), D(1)]), pickle.loads(pickle.dumps(D.m))(D(4)))
NT = collections.namedtuple("NT", "x y")
class T(typing.NamedTuple):
    x: int
    y: str = "d"
    def both(self): return self.x, self.y
print(NT(1, 2), T(1), T(1).both(), NT(1, 2)._replace(x=5))
class E(enum.IntFlag):
    A = enum.auto(); B = enum.auto()
    def up(self): return self.name.lower()
print(E.A | E.B, E.A.up(), E(2), [e.name for e in E])
class S(str, enum.Enum):
    X = "x"
print(S.X, S("x"), S.X.upper())
class W:
    def __del__(self): print("del", self.n)
def scope():
    w = W(); w.n = 1
    r = weakref.ref(w)
    v = W(); v.n = 2
    return r
r = scope(); print(r())
w = W(); w.n = 3; w = None
W().n = 4
print("after")
[W() for _ in range(1)][0].n = 5
class AB(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
try: AB()
except TypeError as e: print(e)
@functools.lru_cache
def cached(n): print("computing"); return n
cached(1); cached(1); print(cached.cache_info())
@functools.singledispatch
def sd(x): return "any"
@sd.register
def _(x: int): return "int"
print(sd(1), sd("a"))
class Desc:
    def __set_name__(self, owner, name): print("name", owner.__name__, name); self.name = name
    def __get__(self, obj, owner): return (self.name, obj is None)
    def __set__(self, obj, value): print("set", value)
class HasD:
    d = Desc()
    def __init_subclass__(cls, **kw): print("sub", cls.__name__, kw)
h = HasD(); h.d = 3; print(h.d, HasD.d)
class Sub(HasD, k=1): pass
def caller(): return sys._getframe(1).f_code.co_name, sys._getframe().f_lineno
def calls(): return caller()
print(calls(), [f.function for f in inspect.stack()])
def warn(): warnings.warn("careful", stacklevel=2)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warn()
print([(str(c.message), c.lineno) for c in caught])
def doc():
    '''
    >>> doc()
    5
    >>> 1 / 0
    Traceback (most recent call last):
    ZeroDivisionError: division by zero
    '''
    return 5
print(doctest.testmod())
print(inspect.getsource(D), inspect.getsourcelines(scope)[1], inspect.getdoc(doc), inspect.getmembers(T, inspect.isfunction)[-1][0])
print(sorted(k for k in globals() if not k.startswith("__")), __name__)
print(json.dumps({"a": [1, D(1).a]}), sys.getrefcount(h) > 0)
Generic = typing.TypeVar("Generic")
class Box(typing.Generic[Generic]):
    def __class_getitem__(cls, item): return super().__class_getitem__(item)
print(typing.get_type_hints(D), Box[int])
print(sys.modules[__name__].__dict__ is globals(), __builtins__ is not None)
import __main__
print(__main__ is sys.modules["__main__"], sorted(__main__.__dict__)[:3])
class Slots:
    __slots__ = ("a", "__weakref__")
s = Slots(); s.a = 1
try: s.b = 2
except AttributeError: print("no b")
print(sys.argv, sys.flags.dont_write_bytecode)
"""

PROGRAMS["processes"] = """
import os, sys, subprocess, threading, multiprocessing, time
def child(n): print("child", n, flush=True); return n
def run():
    if (pid := os.fork()) == 0:
        child(1)
        os._exit(3)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
run()
results = []
def work(n):
    for i in range(100): results.append(n)
threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
for t in threads: t.start()
for t in threads: t.join()
print(sorted(set(results)), len(results))
sys.stdout.flush()
print(subprocess.run([sys.executable, "-c", "import sys; print(sys.argv, __name__, '__file__' in globals(), sys.path[0] == '')", "a"], capture_output=True, text=True).stdout)
print(subprocess.run([sys.executable, "-c", "def f(): return 1/0\\nf()"], capture_output=True, text=True).stderr)
print(subprocess.run([sys.executable, "-c", "import os; os.execv('/bin/echo', ['echo', 'hi'])"], capture_output=True, text=True).stdout)
ctx = multiprocessing.get_context("fork")
with ctx.Pool(1) as pool: print(pool.map(abs, [-1, 2]), pool.apply(child, (7,)))
try:
    raise SystemExit("bye")
finally:
    print("last", flush=True)
"""

PROGRAMS["spawning"] = """
import multiprocessing, sys
def double(x): return 2 * x, __name__, sys.argv[1:]
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool: print(pool.map(double, [1, 2]))
"""

PROGRAMS["atexit_"] = """
import atexit, sys
atexit.register(print, "at exit")
def hook(kind, value, tb): print("hook", kind, value, tb.tb_lineno, tb.tb_frame.f_code.co_name, tb.tb_next)
sys.excepthook = hook
class Last:
    def __del__(self): print("last")
keep = Last()
raise KeyError("end")
"""

PROGRAMS["watching"] = """
import builtins, enum, gc, signal, sys, threading, types, warnings
class M(types.ModuleType):
    def asked(self): print("asked for __dict__"); return "no dict"
    __dict__ = property(asked)
m = M("m")
seen = []
def trace(frame, event, arg):
    seen.append((frame.f_code.co_name, event, frame.f_lineno))
    return trace
def f(x):
    if x > 2: return 3
    for i in range(2):
        x += i
    return [x]
sys.settrace(trace); f(1); print(sys.gettrace() is trace); sys.settrace(None)
print(seen); del seen[:]
def profile(frame, event, arg): seen.append((frame.f_code.co_name, event)) if event in ("call", "return") else None
sys.setprofile(profile); f(1); sys.setprofile(None)
print(seen)
real, calls = len, []
def fake(x): calls.append(type(x).__name__); return real(x)
builtins.len = fake
text = "abc".upper(); many = [1, text]
builtins.len = real
print(calls)
def handler(number, frame): print("signal", frame.f_code.co_name in ("wait", "w", "e", "b", "n", "enter0")); raise TimeoutError
signal.signal(signal.SIGALRM, handler)
def wait():
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    while True: pass
try: wait()
except TimeoutError: print("timed out")
class Unhashable(type):
    __hash__ = None
    def __eq__(cls, other): raise TypeError("never")
class U(metaclass=Unhashable):
    def __len__(self): raise TypeError("never")
    def __getattr__(self, name): raise TypeError(name)
    __slots__ = ()
u = U(); v = [u, U]
class L(list):
    def __len__(self): raise TypeError("never")
    def __iter__(self): raise TypeError("never")
    def __getitem__(self, i): raise TypeError("never")
l = L([1]); d = {"l": l}
class S(str):
    def __len__(self): raise TypeError("never")
    def __str__(self): raise TypeError("never")
s = S("text")
warnings.warn("here")
print(gc.isenabled(), gc.get_threshold(), sys.getrecursionlimit(), threading.active_count())
print([name for name in sys.modules if "whence" in name], [p for p in sys.path if "whence" in p], [h for h in sys.meta_path if "whence" in repr(h)])
import os
print([name for name in os.environ if "WHENCE" in name and name not in ("WHENCE_CACHE", "WHENCE_DEBUG")])
"""

PROGRAMS["kept_methods"] = """
class Collector:
    def __init__(self):
        self.found = []
        self.add = self.found.append
def fill(append, values):
    for value in values:
        append(value)
    return append
found, seen = [], {}
append, update = found.append, seen.update
fill(append, [1, [2]])(3)
update({"a": 1}, b=2)
collector = Collector()
collector.add(4)
last = (found.pop, found.clear)[0]
print(found, seen, collector.found, last(), found, [].append is append)
"""
PROGRAMS["futures"] = """
'''doc'''
from __future__ import annotations
import sys
def f(x: Undefined, y: int | None = None) -> Nope: return x
print(f.__annotations__, __doc__, f(1))
class C:
    a: Missing
    b: int = 3
print(C.__annotations__)
"""

NEWER: dict[str, tuple[int, str]] = {}  # (N, program that needs at least Python 3.N)

NEWER["groups"] = (
    11,
    """
def f(kind):
    try:
        if kind: raise ExceptionGroup("g", [ValueError(1), TypeError(2), KeyError(3)])
        print("none")
    except* ValueError as e: print("v", e.exceptions)
    except* (TypeError, KeyError) as e: print("t", e.exceptions)
    else: print("else")
    finally: print("fin")
f(0); f(1)
def rest():
    try: raise ExceptionGroup("g", [ValueError(1), OSError(2)])
    except* ValueError: pass
try: rest()
except ExceptionGroup as e: print(e.exceptions)
def star(*args: *tuple[int, ...]): return args
print(star(1), star.__annotations__)
x = [1, 2]
class Q:
    def __getitem__(self, k): return k
print(Q()[*x, 3])
""",
)

NEWER["types"] = (
    12,
    """
type Alias[T] = list[T]
def first[T](xs: list[T], default=None) -> T: return xs[0] if xs else default
class Box[T: int]:
    items: list[T]
    def __init__(self, x: T): self.x = x
    def map[U](self, f: "U") -> U: return f(self.x)
class Sub[T](Box[T]): pass
print(first([1]), Box(3).map(str), Alias, Alias.__value__, first.__type_params__, Sub.__orig_bases__, Box.__type_params__)
def f():
    type Inner = int
    def g[T = int](x: T): return T
    return Inner
print(f"{f"{1 + 1}" 'x'}", f'{"a" "b"}')
""".replace("[T = int]", "[T]"),
)

PROGRAMS["decorated"] = """
def mark(name):
    def wrap(found):
        found.key = name.upper()
        found.uses = 0
        found.uses += 1
        return found
    return wrap
class Meta(type):
    def __init__(cls, name, bases, space):
        cls.made = name
        super().__init__(name, bases, space)
@mark("one")
@mark("two")
class One(metaclass=Meta):
    key = "own"
@mark("three")
def three(x=[1]):
    return three.key, x
print(One.key, One.uses, One().made, three(), three.uses)
counts = {"a": 1}
counts["a"] += 2
counts["b"] = counts["a"]
counts["b"] -= 1
print(counts)
"""

PROGRAMS["starred targets"] = """
def read(line):
    words = line.split()
    name, *rest = words
    return name, globals()["read_" + name](rest)
def read_a(words):
    return len(words)
def read_b(words):
    return words[2]
for line in ["a 1 2", "a 3", "b 4 5 6 7", "a", "b 8 9 10"]:
    print(read(line))
for first, *middle, last in [(1, 2), [3, 4, 5], "wxyz"]:
    middle.append(first)
    print(first, middle, last)
(*x, y), z = [(1, 2, 3), 4]
*head, [tail, *more] = ["p", "q", ["r", "s"]]
class Box: pass
box = Box()
*box.all, one = "abc"
print(x, y, z, head, tail, more, box.all, one, [b for a, *b in [(1, 2), (3,)]])
"""
