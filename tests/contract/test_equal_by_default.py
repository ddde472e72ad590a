"""Is a call that does something else in the same state found, and nothing else?"""

from __future__ import annotations

from pathlib import Path

from whence.model import ContractVerdict

from .two_versions import TwoVersions, origins, verdict_on

PRICE = """
class Cart:
    def __init__(self, prices, discount=0):
        self.prices, self.discount, self.total = prices, discount, None

    def price(self, count=1):
        self.total = sum(self.prices) * count - self.discount
        return self.total

def checkout(cart):
    return f"pay {cart.price()}"

def each(prices):
    for price in prices:
        yield price * 2

def find(names, name):
    return names[name]
"""
USE = """
from shop import *
print(checkout(Cart([1, 2, 3])), list(each([1, 2])))
Cart([4], 1).price(2)
try:
    find({}, "x")
except KeyError:
    pass
"""


def test_equal_versions_have_no_difference(two_versions: TwoVersions) -> None:
    result = two_versions.check(PRICE, PRICE, USE)
    assert result.is_kept
    assert {each.verdict for each in result.functions} == {ContractVerdict.SAME}
    assert verdict_on(result, "Cart.price").calls == 2
    assert verdict_on(result, "Cart.price").compared == 2


def test_the_function_where_a_difference_arises_comes_first(two_versions: TwoVersions) -> None:
    bad = PRICE.replace("- self.discount", "+ self.discount")
    result = two_versions.check(PRICE, bad, USE)
    assert not result.is_kept
    first = result.functions[0]
    assert (first.function, first.verdict) == ("Cart.price", ContractVerdict.CHANGED)
    assert (first.compared, first.differing) == (2, 1)
    assert first.first is not None
    assert first.first.called_from == "test.py:4"
    assert first.first.arguments["count"] == "2"
    assert (first.first.good, first.first.bad) == ("returns 7", "returns 9")
    assert "self.total: 7 before, 9 now" in first.first.differs


def test_a_caller_only_passes_the_difference_on(two_versions: TwoVersions) -> None:
    bad = PRICE.replace("* count", "* count + 1")
    result = two_versions.check(PRICE, bad, USE)
    assert origins(result) == ["Cart.price"]
    assert verdict_on(result, "checkout").through == ("Cart.price",)


def test_a_call_in_another_state_is_not_judged(two_versions: TwoVersions) -> None:
    """The list that `price` gets differs; the function that made it is to blame."""
    good = "def parts(n):\n    return list(range(n))\ndef size(parts):\n    return len(parts)\n"
    bad = good.replace("range(n)", "range(n + 1)")
    result = two_versions.check(good, bad, "from shop import *\nprint(size(parts(3)))\n")
    assert origins(result) == ["parts"]
    assert verdict_on(result, "size").compared == verdict_on(result, "size").rerun


def test_an_exception_instead_of_a_result_is_a_difference(two_versions: TwoVersions) -> None:
    bad = PRICE.replace("names[name]", "names.get(name)")
    found = two_versions.verdict(PRICE, bad, USE, "find")
    assert found.verdict is ContractVerdict.CHANGED
    assert found.first is not None
    assert found.first.good.startswith("raises KeyError")
    assert found.first.bad == "returns None"


def test_what_a_generator_yields_is_compared(two_versions: TwoVersions) -> None:
    bad = PRICE.replace("price * 2", "price * 3")
    found = two_versions.verdict(PRICE, bad, USE, "each")
    assert found.first is not None
    assert found.first.differs[0] == "yielded[0]: 2 before, 3 now"


def test_output_is_compared(two_versions: TwoVersions) -> None:
    good = "def greet(name):\n    print('hello', name)\n"
    bad = good.replace("hello", "Hello")
    found = two_versions.verdict(good, bad, "from shop import *\ngreet('you')\n", "greet")
    assert found.first is not None
    assert "standard output" in found.first.differs[0]


def test_changes_to_globals_are_compared_and_belong_to_the_state(two_versions: TwoVersions) -> None:
    good = """
    SEEN = {}
    def note(name):
        SEEN[name] = True
    def known(name):
        return name in SEEN
    """
    bad = good.replace("SEEN[name] = True", "SEEN[name.lower()] = True")
    result = two_versions.check(good, bad, "from shop import *\nnote('A')\nprint(known('A'))\n")
    assert origins(result) == ["note"]
    assert verdict_on(result, "known").compared == verdict_on(result, "known").rerun


def test_a_changed_constant_is_a_change_of_the_function_that_uses_it(
    two_versions: TwoVersions,
) -> None:
    good = "RATE = 19\ndef tax(n):\n    return n * RATE\n"
    found = two_versions.verdict(
        good, good.replace("19", "20"), "import shop\nshop.tax(3)\n", "tax"
    )
    assert found.verdict is ContractVerdict.CHANGED


def test_an_edited_function_comes_before_one_that_only_uses_a_constant(
    two_versions: TwoVersions,
) -> None:
    good = "RATE = 19\ndef tax(n):\n    return n * RATE\ndef net(n):\n    return n - 1\n"
    bad = good.replace("19", "20").replace("n - 1", "n - 2")
    result = two_versions.check(good, bad, "import shop\nshop.tax(3); shop.net(3)\n")
    assert origins(result) == ["net", "tax"]


def test_a_changed_default_is_a_change_of_the_function(two_versions: TwoVersions) -> None:
    good = "def tax(n, rate=19):\n    return n * rate\n"
    found = two_versions.verdict(
        good, good.replace("19", "20"), "import shop\nshop.tax(3)\n", "tax"
    )
    assert found.verdict is ContractVerdict.CHANGED


def test_a_new_parameter_and_a_new_attribute_are_no_difference(two_versions: TwoVersions) -> None:
    good = """
    class A:
        def __init__(self, n):
            self.n = n
        def get(self):
            return self.n
    """
    bad = good.replace("n):", "n, unit=None):").replace("= n", "= n; self.unit = unit")
    result = two_versions.check(good, bad, "from shop import *\nA(3).get()\n")
    assert result.is_kept
    assert verdict_on(result, "A.get").compared == 1


def test_renamed_and_moved_functions_are_paired(two_versions: TwoVersions) -> None:
    body = "    a = n + 1\n    b = a * 2\n    c = b - 3\n    return c"
    good = f"def old_name(n):\n{body}\n"
    bad = f"def new_name(n):\n{body}\n"
    test = "import shop\n(getattr(shop, 'new_name', None) or shop.old_name)(4)\n"
    found = two_versions.verdict(good, bad, test, "new_name")
    assert (found.good_name, found.verdict) == ("old_name", ContractVerdict.SAME)


def test_noise_of_the_good_version_is_left_out_and_said(two_versions: TwoVersions) -> None:
    good = """
    import itertools, os, random, time
    class Order:
        def __init__(self, name):
            self.name, self.made, self.key = name, time.time(), id(self)
    def dice():
        return random.random()
    def names():
        return list({"a", "b", "c", "d", "e"})
    def text(order):
        return repr(object())
    """
    bad = good.replace("def dice", "# a comment\n    def dice")
    test = "from shop import *\no = Order('x')\ndice(); names(); text(o)\n"
    result = two_versions.check(good, bad, test)
    assert result.is_kept, result.functions
    assert verdict_on(result, "text").compared == 1
    assert ".made of Order" in result.notes[0]


def test_objects_of_standard_types_are_compared(two_versions: TwoVersions) -> None:
    """An element of a tree has its tag, text and children; a `partial` its arguments."""
    good = """
    import xml.etree.ElementTree as ET
    from functools import partial

    def label(element, number):
        element.text = f"{number} {element.text}"

    def later(n):
        return partial(int, n)

    def span(n):
        return range(n)
    """
    bad = good.replace("{number} ", "{number}. ").replace("int, n)", "int, n + 1)")
    test = """
    from shop import *
    book = ET.fromstring("<book><c>One</c><c>Two</c></book>")
    for number, element in enumerate(book):
        label(element, number)
    later(1), span(3)
    """
    result = two_versions.check(good, bad.replace("range(n)", "range(n, 0)"), test)
    assert origins(result) == ["label", "later", "span"]
    assert verdict_on(result, "label").differing == 2


def test_a_long_loop_is_compared_in_part(two_versions: TwoVersions) -> None:
    good = "def half(n):\n    return n // 2\n"
    bad = "def half(n):\n    return n // 2 if n != 7 else 0\n"
    test = "import shop\nfor n in range(20_000):\n    shop.half(n)\n"
    found = two_versions.verdict(good, bad, test, "half")
    assert found.calls == 20_000
    assert found.differing == 1
    assert 1_500 < found.compared < 20_000


def test_threads_processes_and_coroutines_are_watched(two_versions: TwoVersions) -> None:
    good = """
    import asyncio
    def work(n):
        return n + 1
    async def wait(n):
        await asyncio.sleep(0)
        return work(n)
    """
    test = """
    import asyncio, subprocess, sys, threading, shop
    thread = threading.Thread(target=shop.work, args=(5,))
    thread.start(); thread.join()
    asyncio.run(shop.wait(2))
    if len(sys.argv) == 1:
        subprocess.run([sys.executable, "test.py", "inner"], check=True)
    """
    result = two_versions.check(good, good.replace("n + 1", "n + 2"), test)
    assert origins(result) == ["work"]
    assert verdict_on(result, "work").calls == 4
    assert verdict_on(result, "wait").through == ("work",)


def test_watching_changes_nothing_that_the_program_can_see(two_versions: TwoVersions) -> None:
    """The script fails if a traceback, a default, a docstring or a closure looks different."""
    good = '''
    import inspect, traceback
    def outer(a, b=3, *c, d=4, **e):
        """Doc."""
        def inner():
            return a + b
        return inner() + d
    def boom():
        try:
            return 1
        finally:
            raise ValueError("boom")
    '''
    test = """
    import inspect, traceback, shop
    assert shop.outer.__doc__ == "Doc." and shop.outer.__defaults__ == (3,)
    assert str(inspect.signature(shop.outer)) == "(a, b=3, *c, d=4, **e)"
    assert shop.outer(1) == 8 and "def inner" in inspect.getsource(shop.outer)
    try:
        shop.boom()
    except ValueError as error:
        frames = traceback.extract_tb(error.__traceback__)
        assert (frames[-1].name, frames[-1].line) == ("boom", 'raise ValueError("boom")')
        assert len(frames) == 2, frames
    print("all well")
    """
    result = two_versions.check(good, good, test)
    assert verdict_on(result, "outer").calls == 1
    assert result.is_kept


def test_a_difference_that_was_told_by_another_way_is_still_one_in_the_next_call(
    tmp_path: Path,
) -> None:
    """Of two ways to an object only the first is told; the second one differs, too."""
    good = """
    class Box:
        pass

    class Outer:
        def __init__(self, box):
            self.box = box

    def both(n):
        box = Box()
        box.n = n
        return [box, Outer(box)]

    def second(outer):
        return outer.box.n
    """
    bad = good.replace("box.n = n", "box.n = n + 1")
    test = """
    import shop
    pairs = shop.both(1)
    result = shop.second(pairs[1])
    """
    found = TwoVersions(tmp_path).check(good, bad, test)
    assert origins(found) == ["both"]
    second = verdict_on(found, "second")
    assert second.compared == second.rerun  # it starts in another state
