"""Which generated C projects have rewritten functions whose changes depend on each other?

Most changes of such a project are harmless.  Some functions are rewritten: their locals have other
names, declarations moved, loops and conditions are written differently, braces open and close at
other lines.  Other changes need each other across functions: other parameters, renamed fields and
globals, new helper functions, two places that must agree on a unit.  One change is the culprit.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

PLACES = ("outside", "inside", "tied")
"""Where the culprit is: in another function; in a rewritten function, on a line that could be
reverted alone; in a rewritten function, on a line that uses a renamed local."""

BUILD = "$CC -O0 -g -w -Werror=implicit-function-declaration -o app *.c"
TEST = "./app"
RIGHT, WRONG = "1017", "1018"  # a constant in the line of the culprit, in good and in bad
_UNITS = ("10", "100")  # a constant that two functions of a module must agree on

Pair = tuple[list[str], list[str]]
"""Lines of the good and of the bad version."""

_LOCALS = {"i": "index", "sum": "total", "last": "previous", "box": "record"}


@dataclass(frozen=True)
class Project:
    """Two versions of a C project, and what is known about them."""

    good: dict[str, str]
    bad: dict[str, str]
    culprit: str  # the name of the function that holds the culprit
    chain: tuple[str, ...]  # functions from `main` to the culprit, each called by the one before
    executed: frozenset[str]  # the functions that the test executes


@dataclass
class _Function:
    name: str
    style: str  # same, edited, rewritten
    callee: str | None = None
    adds_parameter: bool = False
    culprit: str | None = None  # a member of PLACES
    has_helper: bool = False

    @property
    def is_rewritten(self) -> bool:
        return self.style == "rewritten"


@dataclass
class _Module:
    name: str
    renames_field: bool
    renames_global: bool
    changes_unit: bool = False
    functions: list[_Function] = field(default_factory=list)


def make_project(place: str, functions: int, seed: int = 1) -> Project:
    """Make a project with this number of functions, in modules of six functions."""
    rng = random.Random(f"{place}/{functions}/{seed}")
    modules = [_module(f"m{i:02}", rng) for i in range(-(-functions // 6))]
    for module in rng.sample(modules, min(2, len(modules))):
        module.changes_unit = True
    everything: list[_Function] = []
    for module in modules:
        for i in range(6):
            style = rng.choices(("same", "edited", "rewritten"), (2, 4, 3))[0]
            callee = rng.choice(everything[-9:]).name if everything and rng.random() < 0.8 else None
            function = _Function(f"{module.name}_f{i}", style, callee)
            function.adds_parameter = rng.random() < 0.25
            function.has_helper = function.is_rewritten and rng.random() < 0.4
            module.functions.append(function)
            everything.append(function)
    by_name = {function.name: function for function in everything}
    chain = _chain(everything, place, rng)
    culprit = by_name[chain[-1]]
    culprit.culprit = place
    live = {name for top in (chain[0], *_tops(everything, rng)) for name in _calls(top, by_name)}
    good: dict[str, str] = {}
    bad: dict[str, str] = {}
    for module in modules:
        for name, pair in _module_files(module, by_name, rng).items():
            good[name], bad[name] = ("\n".join(lines) + "\n" for lines in pair)
    main = _main(modules, [chain[0], *sorted(live - set(chain[1:]))], by_name)
    good["main.c"], bad["main.c"] = ("\n".join(lines) + "\n" for lines in main)
    return Project(good, bad, culprit.name, tuple(chain), frozenset(live))


def write_project(project: Project, folder: Path) -> None:
    """Write good/ and bad/ into the folder."""
    for tree, files in (("good", project.good), ("bad", project.bad)):
        (folder / tree).mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / tree / name).write_text(text)


def _module(name: str, rng: random.Random) -> _Module:
    return _Module(name, rng.random() < 0.5, rng.random() < 0.4)


def _chain(functions: list[_Function], place: str, rng: random.Random) -> list[str]:
    """Return a chain of calls to a function that can hold the culprit; make one if there is none.

    With `outside`, a function on the way is rewritten.
    """
    top, *way = rng.sample(functions[len(functions) // 2 :], 4)
    way.sort(key=lambda f: f.name, reverse=True)
    chain = [top, *(f for f in way if f.name < top.name)]
    if len(chain) < 2:
        chain = [top, functions[0]]
    for caller, called in pairwise(chain):
        caller.callee = called.name
    last = chain[-1]
    last.callee = None if last.callee in {f.name for f in chain} else last.callee
    last.style = "edited" if place == "outside" else "rewritten"
    chain[0].style = "rewritten" if place == "outside" else chain[0].style
    return [function.name for function in chain]


def _tops(functions: list[_Function], rng: random.Random) -> list[str]:
    return [function.name for function in functions if rng.random() < 0.3]


def _calls(name: str, by_name: dict[str, _Function]) -> Iterable[str]:
    while name:
        yield name
        name = by_name[name].callee or ""


# --- one module --------------------------------------------------------------------------------


def _module_files(
    module: _Module, by_name: dict[str, _Function], rng: random.Random
) -> dict[str, Pair]:
    m = module.name
    old_field, new_field = "len", "length" if module.renames_field else "len"
    old_count, new_count = f"{m}_count", f"{m}_calls" if module.renames_global else f"{m}_count"
    header: Pair = ([f"#ifndef {m.upper()}_H", f"#define {m.upper()}_H"],) * 2
    header = _joined([header, _both(f"struct {m}_box {{", "    int first;")])
    header = _joined([header, ([f"    int {old_field};"], [f"    int {new_field};"])])
    header = _joined([header, _both("    int rest;", "};")])
    header = _joined([header, ([f"extern int {old_count};"], [f"extern int {new_count};"])])
    parts = [_both(*(f'#include "{other}.h"' for other in sorted(_modules_of(module))))]
    parts.append(([f"int {old_count};"], [f"int {new_count};"]))
    unit = _UNITS if module.changes_unit else _UNITS[:1] * 2
    for name, text in (("put", "n * {unit}"), ("get", "n / {unit}")):
        lines = [
            ["", f"int {m}_{name}(int n)", "{", f"    return {text.format(unit=u)};", "}"]
            for u in unit
        ]
        parts.append((lines[0], lines[1]))
        header = _joined([header, _both(f"int {m}_{name}(int n);")])
    for function in module.functions:
        old, new = _heads(function)
        header = _joined([header, ([f"{old};"], [f"{new};"])])
        parts.append(_function(function, module, by_name, rng, (old_field, new_field)))
    end = _both("#endif")
    return {f"{m}.c": _joined(parts), f"{m}.h": _joined([header, end])}


def _modules_of(module: _Module) -> set[str]:
    called = {f.callee.partition("_")[0] for f in module.functions if f.callee}
    return called | {module.name}


def _heads(function: _Function) -> tuple[str, str]:
    old = f"int {function.name}(int a, int b)"
    return old, f"int {function.name}(int a, int b, int more)" if function.adds_parameter else old


def _function(
    function: _Function,
    module: _Module,
    by_name: dict[str, _Function],
    rng: random.Random,
    fields: tuple[str, str],
) -> Pair:
    names = {name: name for name in _LOCALS}
    renamed = {
        name: new if function.is_rewritten and rng.random() < 0.7 else name
        for name, new in _LOCALS.items()
    }
    if function.culprit == "tied":
        renamed["sum"] = _LOCALS["sum"]
    old_head, new_head = _heads(function)
    parts: list[Pair] = [_both(""), ([old_head], [new_head]), _both("{")]
    if function.has_helper:
        helper = ["", f"static int {function.name}_step(int n, int k)", "{"]
        parts.insert(0, ([], [*helper, "    return (n + k) * 3;", "}"]))
    body = [
        _Statement(["    int {i} = 0;"]),
        _Statement(["    int {sum} = 0;"]),
        _Statement(["    int {last} = 0;"]),
        _Statement([f"    struct {module.name}_box {{box}} = {{{{0, 0, 0}}}};"]),
        *_statements(function, module, by_name, rng, fields),
        _Statement(["    return {sum} + {last} + {box}.first;"]),
    ]
    if function.is_rewritten and rng.random() < 0.5:
        _move_declaration(body)
    elif function.is_rewritten and rng.random() < 0.5:
        _retype(body)
    changed = 0
    for statement in body:
        new = statement.new if statement.new is not None else statement.old
        is_kept = function.style == "same" or changed >= 2 or rng.random() < 0.5
        if is_kept and not function.is_rewritten and not statement.is_bound:
            new = statement.old
        changed += new is not statement.old
        parts.append(
            (
                [line.format(**names) for line in statement.old],
                [line.format(**renamed) for line in new],
            )
        )
        if rng.random() < 0.3:
            parts.append(_both(""))  # most functions have lines that no rewriting changes
    return _joined([*parts, _both("}")])


@dataclass
class _Statement:
    """A statement in two styles.  A bound one changes whatever the style of its function is."""

    old: list[str]
    new: list[str] | None = None  # None: the same
    is_bound: bool = False


def _move_declaration(body: list[_Statement]) -> None:
    """In the new version, declare `last` where it is first set."""
    first = next(s for s in body if s.old == ["    {last} = a;"])
    before = body[: body.index(first)]
    if any("{last}" in line for statement in before[4:] for line in statement.old):
        return
    body[2].new = []
    first.new = ["    int {last} = a;"]


def _retype(body: list[_Statement]) -> None:
    """In the new version, `last` is an array: no name changes, but all its uses do."""
    body[2].new = ["    int {last}[1] = {{0}};"]
    for statement in body[3:]:
        if any("{last}" in line for line in statement.old):
            new = statement.new if statement.new is not None else statement.old
            statement.new = [line.replace("{last}", "{last}[0]") for line in new]


def _statements(
    function: _Function,
    module: _Module,
    by_name: dict[str, _Function],
    rng: random.Random,
    fields: tuple[str, str],
) -> list[_Statement]:
    recipes: list[Callable[[random.Random], Pair]] = [_scale, _loop, _branch, _guard, _choice]
    found = [_Statement(*recipe(rng)) for recipe in rng.choices(recipes, k=rng.randint(4, 9))]

    def add(old: str, new: str, *, is_bound: bool = True) -> None:
        found.insert(rng.randint(0, len(found)), _Statement([old], [new], is_bound and old != new))

    add("    {last} = a;", "    {last} = a;")
    add(*(f"    {{box}}.{name} = b;" for name in fields))
    if module.renames_global:
        add(f"    {module.name}_count++;", f"    {module.name}_calls++;")
    if function.callee:
        more = ", 0" if by_name[function.callee].adds_parameter else ""
        add(*(f"    {{sum}} += {function.callee}(a, 2{m});" for m in ("", more)))
    if function.has_helper:
        step = f"    {{sum}} += {function.name}_step(b, 4);"
        add("    {sum} += (b + 4) * 3;", step, is_bound=False)
    if function.culprit:
        changed = "b" if function.culprit == "inside" else "{sum}"
        add(*(f"    {changed} += {constant};" for constant in (RIGHT, WRONG)))
    return found


def _scale(rng: random.Random) -> Pair:
    k = rng.randint(2, 9)
    return [f"    {{sum}} += a * {k};"], [f"    {{sum}} = {{sum}} + {k} * a;"]


def _loop(rng: random.Random) -> Pair:
    k = rng.randint(2, 9)
    old = ["    for ({i} = 0; {i} < a; {i}++) {{", f"        {{sum}} += {{i}} * {k};", "    }}"]
    new = ["    {i} = 0;", "    while ({i} < a) {{", f"        {{sum}} += {k} * {{i}};"]
    return old, [*new, "        {i}++;", "    }}"]


def _branch(rng: random.Random) -> Pair:
    k = rng.randint(2, 9)
    more, less = f"        {{sum}} += {k};", "        {sum} -= 1;"
    old = [f"    if (a > {k}) {{{{", more, "    }} else {{", less, "    }}"]
    return old, [f"    if (a <= {k}) {{{{", less, "    }} else {{", more, "    }}"]


def _guard(rng: random.Random) -> Pair:
    """Return lines that get a condition around them: two changes that need each other."""
    k = rng.randint(2, 9)
    inner = [f"    {{sum}} += b * {k};", f"    {{box}}.first = a + {k};", "    {sum} -= b;"]
    return inner, ["    if (a >= 0) {{", *inner, "    }}"]


def _choice(rng: random.Random) -> Pair:
    k = rng.randint(2, 9)
    old = [f"    if (a > {k})", f"        {{sum}} += {k};", "    else", "        {sum} -= 1;"]
    return old, [f"    {{sum}} += a > {k} ? {k} : -1;"]


def _main(modules: list[_Module], tops: list[str], by_name: dict[str, _Function]) -> Pair:
    parts = [_both("#include <stdio.h>", *(f'#include "{m.name}.h"' for m in modules))]
    parts += [_both("", "int main(void)", "{")]
    for module in modules:
        m = module.name
        parts.append(_both(f"    if ({m}_get({m}_put(7)) != 7) {{", '        puts("units");'))
        parts.append(_both("        return 3;", "    }"))
    for name in tops:
        more = ", 0" if by_name[name].adds_parameter else ""
        text = '    printf("{name} %d\\n", {name}(3, 4{more}));'
        old, new = (text.format(name=name, more=m) for m in ("", more))
        parts.append(([old], [new]))
    return _joined([*parts, _both("    return 0;", "}")])


def _both(*lines: str) -> Pair:
    return list(lines), list(lines)


def _joined(parts: Iterable[Pair]) -> Pair:
    old: list[str] = []
    new: list[str] = []
    for before, after in parts:
        old += before
        new += after
    return old, new
