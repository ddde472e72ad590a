"""Which random C programs are worth recording, to find cases that nobody has thought of?

`programs()` draws the text of closed, deterministic C programs without undefined behaviour:

1. Every variable is initialised where it is declared.
2. Indices are masked to the size of their array, which is a power of two.
3. Signed arithmetic goes through functions that return an operand if the result would not fit;
   everything else is unsigned, or narrower than int.  `tame` keeps doubles small.
4. A pointer points to a variable that lives at least as long as the pointer: a global, or one
   that was in scope where the pointer was declared.
5. Expressions have no side effects; calls and assignments stand where the order is defined.
6. A loop runs a fixed number of times at most; functions call earlier ones, or themselves with
   smaller `depth`.  The number of statements that can run is counted while the text is made.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
INTEGERS = ("i32", "u32", "u8", "i8", "u16", "i16", "u64", "i64")
UNSIGNED = ("u32", "u64", "u8", "u16")
CHECKED = {"i32": "i32", "i64": "i64"}  # types whose arithmetic could overflow
MAX_STEPS = 5_000  # limit on the statements that one call of a function can run, including main
MAX_DEPTH = 4  # limit on the depth of recursion

PRELUDE = """\
#include <stdio.h>
#include <string.h>

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;

#define FITS(operation, type, a, b) !__builtin_##operation##_overflow(a, b, &(type){0})
#define CHECKED(type, bits) \\
    static type add_##type(type a, type b) { return FITS(add, type, a, b) ? a + b : a; } \\
    static type sub_##type(type a, type b) { return FITS(sub, type, a, b) ? a - b : b; } \\
    static type mul_##type(type a, type b) { return FITS(mul, type, a, b) ? a * b : a; } \\
    static type div_##type(type a, type b) { return b == 0 || b == -1 ? a : a / b; } \\
    static type mod_##type(type a, type b) { return b == 0 || b == -1 ? b : a % b; } \\
    static type shr_##type(type a, u64 n) { return a >> n % bits; } \\
    static type shl_##type(type a, u64 n) { \\
        return a < 0 || a >> (bits - 1 - n % bits) ? a : a << n % bits; \\
    }
CHECKED(i32, 32)
CHECKED(i64, 64)
static double tame(double d) { return d > -1e9 && d < 1e9 ? d : 0.5; }
"""
MIXED = """
static u64 mixed = 14695981039346656037u;
static void note(u64 value) { mixed = (mixed ^ value) * 1099511628211u; }
static void show(void) { printf("%016llx\\n", mixed); }
"""
BY_LINE = """
static void note(u64 value) { printf("%llu\\n", value); }
static void show(void) { }
"""


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: str
    bits: int = 0  # of a bit-field
    count: int = 0  # of an array

    def declared(self) -> str:
        tail = f" : {self.bits}" if self.bits else f"[{self.count}]" if self.count else ""
        return f"{self.type} {self.name}{tail};"


@dataclass(frozen=True, slots=True)
class Struct:
    name: str
    fields: tuple[Field, ...]

    @property
    def type(self) -> str:
        return f"struct {self.name}"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; `depth` is the number of scopes around it, a pointer's `type` is its target's."""

    name: str
    type: str
    depth: int
    count: int = 0  # of an array
    pointer: bool = False
    fixed: bool = False  # a loop counter, which only the loop changes


@dataclass(frozen=True, slots=True)
class Place:
    """A scalar that can be assigned; in its text, @8 stands for an index below 8 to be drawn."""

    text: str
    type: str


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    result: str
    parameters: tuple[tuple[str, bool], ...]  # (type, is it a pointer to it?)
    recursive: bool
    cost: int

    @property
    def signature(self) -> tuple[object, ...]:
        return self.result, self.parameters, self.recursive


@st.composite
def _one_more(draw: st.DrawFn, usual: int, write: Callable[[], None]) -> bool:
    """Write one more item or return False, after about `usual` items.

    It is a strategy of its own, so that shrinking can drop everything written at once.
    """
    if draw(st.integers(0, usual)) == 0:
        return False
    write()
    return True


def _element(text: str, count: int) -> str:
    return f"{text}[@{count}]" if count else text


def _noted(place: Place) -> str:
    exact = f"(i64)(tame({place.text}) * 4)" if place.type == "double" else place.text
    return f"note((u64){exact});"


@dataclass
class Writer:
    """Writes one program from front to back; `lines` holds the text so far."""

    draw: st.DrawFn
    left: int  # statements still to write
    lines: list[str] = field(default_factory=list)
    indent: int = 0
    scopes: list[list[Variable]] = field(default_factory=lambda: [[]])
    structs: list[Struct] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)  # targets of a goto out of each loop
    times: int = 1  # how often the next statement can run in a call
    cost: int = 0  # statements that one call of the current function can run
    names: Iterator[int] = field(default_factory=itertools.count)

    # --- choices: the first is the simplest, because programs shrink to it

    def number(self, low: int, high: int) -> int:
        return self.draw(st.integers(low, high))

    def pick(self, options: Sequence[T]) -> T:
        return options[self.number(0, len(options) - 1)]

    def maybe(self) -> bool:
        return self.number(0, 1) == 1

    def name(self, prefix: str) -> str:
        return f"{prefix}{next(self.names)}"

    # --- lines and scopes

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    @contextmanager
    def block(self, head: str, times: int = 1, tail: str = "}") -> Iterator[None]:
        self.line(head + " {")
        self.indent += 1
        self.scopes.append([])
        before, self.times = self.times, self.times * times
        yield
        self.times = before
        self.scopes.pop()
        self.indent -= 1
        self.line(tail)

    def visible(self) -> list[Variable]:
        return [variable for scope in self.scopes for variable in scope]

    def struct(self, type_: str) -> Struct | None:
        return next((struct for struct in self.structs if struct.type == type_), None)

    # --- places

    def places(self, *types: str) -> list[Place]:
        """Return every scalar of these types (or of any type) that can be assigned now."""
        return [
            place
            for variable in self.visible()
            if not variable.fixed
            for place in self._places_of(variable)
            if not types or place.type in types
        ]

    def _places_of(self, variable: Variable) -> Iterator[Place]:
        text = (
            f"(*{variable.name})" if variable.pointer else _element(variable.name, variable.count)
        )
        struct = self.struct(variable.type)
        if struct is None:
            yield Place(text, variable.type)
        else:
            for part in struct.fields:
                yield Place(_element(f"{text}.{part.name}", part.count), part.type)

    def place(self, options: Sequence[Place]) -> Place:
        chosen = self.pick(options)
        return Place(self.indexed(chosen.text), chosen.type)

    def indexed(self, text: str) -> str:
        return re.sub(r"@(\d+)", lambda match: self._index(int(match[1])), text)

    def _index(self, count: int) -> str:
        counters = [variable.name for variable in self.visible() if variable.fixed]
        chosen = self.number(0, count - 1 + len(counters))
        return str(chosen) if chosen < count else f"{counters[chosen - count]} & {count - 1}"

    # --- expressions

    def value(self, type_: str, depth: int = 2) -> str:
        """Return an expression of this type without side effects (a double is tame)."""
        if type_ == "double":
            return f"tame({self._double(depth)})"
        return f"({type_})({self._integer(depth, type_)})"

    def _integer(self, depth: int, type_: str) -> str:
        kinds = ["constant", "variable"]
        if depth > 0:
            kinds += ["unsigned", "checked", "compare", "choose", "logic", "unary", "double"]
        kind = self.pick(kinds)
        again = depth - 1
        if kind == "variable":
            return self._variable()
        if kind == "unsigned":
            operator = self.pick(["+", "-", "*", "&", "|", "^"])
            wide = self.pick(["u32", "u64"])
            return f"{self.value(wide, again)} {operator} {self.value(wide, again)}"
        if kind == "checked":
            wide = CHECKED.get(type_, self.pick(sorted(CHECKED)))
            operation = self.pick(["add", "sub", "mul", "div", "mod"])
            if self.maybe():
                shift = self.pick(["shl", "shr"])
                return f"{shift}_{wide}({self.value(wide, again)}, {self.value('u8', again)})"
            return f"{operation}_{wide}({self.value(wide, again)}, {self.value(wide, again)})"
        if kind == "compare":
            operator = self.pick(["<", "==", "!=", ">=", ">", "<="])
            same = self.pick(INTEGERS)
            return f"{self.value(same, again)} {operator} {self.value(same, again)}"
        if kind == "choose":
            return (
                f"{self.condition(again)} ? {self.value(type_, again)} : {self.value(type_, again)}"
            )
        if kind == "logic":
            return self.condition(again)
        if kind == "unary":
            operator = self.pick(["~", "-", "!"])
            return f"{operator}{self.value(self.pick(UNSIGNED), again)}"
        if kind == "double":
            return f"(i32)tame({self._double(again)})"
        return str(self.number(0, 100))

    def _variable(self) -> str:
        options = [place.text for place in self.places(*INTEGERS)]
        options += [variable.name for variable in self.visible() if variable.fixed]
        return self.indexed(self.pick(options)) if options else "1"

    def _double(self, depth: int) -> str:
        options = self.places("double")
        kind = self.pick(["constant", "integer", "variable", "operation"][: 4 if depth > 0 else 3])
        if kind == "variable" and options:
            return self.place(options).text
        if kind == "integer":
            return f"(double){self.value('i16', 0)}"
        if kind == "operation":
            operator = self.pick(["+", "-", "*"])
            return f"{self.value('double', depth - 1)} {operator} {self.value('double', depth - 1)}"
        return self.pick(["0.5", "2.0", "-1.25", "100.0"])

    def condition(self, depth: int) -> str:
        if depth > 0 and self.maybe():
            operator = self.pick(["&&", "||"])
            return f"({self.condition(depth - 1)} {operator} {self.condition(depth - 1)})"
        same = self.pick(INTEGERS)
        return f"({self.value(same, 0)} {self.pick(['<', '!=', '=='])} {self.value(same, 1)})"

    # --- declarations

    def declare(self) -> None:
        """Declare a variable of any shape, initialised; often of an existing type."""
        known = [*INTEGERS, "double", *(struct.type for struct in self.structs)]
        type_ = self.pick(
            [*known, *(variable.type for variable in self.visible() if not variable.fixed)]
        )
        depth = len(self.scopes) - 1
        static = depth == 0
        shape = self.pick(["scalar", "array", "pointer"])
        targets = self._targets(type_, depth)
        struct = self.struct(type_)
        prefix = "static " if static else ""
        if shape == "pointer" and targets:
            variable = Variable(self.name("p"), type_, depth, pointer=True)
            self.line(f"{prefix}{type_} *{variable.name} = {self.indexed(self.pick(targets))};")
        elif shape == "array":
            variable = Variable(self.name("a"), type_, depth, count=self.pick([4, 8]))
            given = (
                "{0}"
                if struct
                else "{" + ", ".join(str(self.number(0, 99)) for _ in range(2)) + "}"
            )
            self.line(f"{prefix}{type_} {variable.name}[{variable.count}] = {given};")
        else:
            variable = Variable(self.name("g" if static else "v"), type_, depth)
            if struct:
                given = self._initialiser(struct)
            else:
                given = str(self.number(0, 99)) if static else self.value(type_)
            self.line(f"{prefix}{type_} {variable.name} = {given};")
        self.scopes[-1].append(variable)

    def _initialiser(self, struct: Struct) -> str:
        given = (f".{part.name} = {self.number(0, 3)}" for part in struct.fields if not part.count)
        return "{" + (", ".join(given) or "0") + "}"

    def _targets(self, type_: str, depth: int) -> list[str]:
        """Return the addresses that a pointer declared at this depth may hold (see invariant 4).

        Targets of other pointers are excluded: they may live shorter than this pointer.
        """
        found = []
        for variable in self.visible():
            if variable.depth > depth or variable.pointer or variable.fixed:
                continue
            text = _element(f"&{variable.name}", variable.count)
            if variable.type == type_:
                found.append(text)
            elif struct := self.struct(variable.type):
                found += [
                    _element(f"{text}.{part.name}", part.count)
                    for part in struct.fields
                    if part.type == type_ and not part.bits
                ]
        return found

    def define_struct(self) -> None:
        fields = []
        for position in range(self.number(1, 4)):
            type_ = self.pick([*INTEGERS, "double"])
            shape = self.pick(["scalar", "bits", "array"])
            bits = self.number(1, 7) if shape == "bits" and type_ != "double" else 0
            fields.append(Field(f"f{position}", type_, bits, 4 if shape == "array" else 0))
        struct = Struct(self.name("s"), tuple(fields))
        self.line(f"{struct.type} {{ {' '.join(part.declared() for part in fields)} }};")
        self.structs.append(struct)

    # --- statements

    def statements(self, usual: int) -> None:
        """Write about `usual` statements."""
        while self.left > 0 and self.draw(_one_more(usual, self.statement)):
            pass

    def statement(self) -> None:
        self.left -= 1
        self.cost += self.times
        simple = [
            self.note,
            self.assign,
            self.declare,
            self.update,
            self.call,
            self.copy,
            self.repoint,
        ]
        nested = [self.branch, self.count_up, self.switch, self.walk, self.leave]
        self.pick([*simple, *nested] if self.indent < 4 else simple)()

    def note(self) -> None:
        """Write an output: the value of a variable, or the checksum so far."""
        places = self.places()
        if places and self.number(0, 3) < 3:
            self.line(_noted(self.place(places)))
        else:
            self.line("show();")

    def assign(self) -> None:
        places = self.places()
        if not places:
            return self.declare()
        place = self.place(places)
        given = self.value(place.type)
        others = self.places(*INTEGERS)
        if others and self.number(0, 5) == 5:  # (a = x, y) is sequenced
            other = self.place(others)
            given = f"({other.text} = {self.value(other.type, 1)}, {given})"
        return self.line(f"{place.text} = {given};")

    def update(self) -> None:
        places = self.places(*UNSIGNED)
        if not places:
            return self.assign()
        place = self.place(places)
        if self.maybe():
            return self.line(f"{place.text}{self.pick(['++', '--'])};")
        operator = self.pick(["+", "^", "-", "|", "&"])
        return self.line(f"{place.text} {operator}= {self.value(place.type, 1)};")

    def copy(self) -> None:
        """Write a memcpy, memset or assignment of a whole struct or array."""
        whole = [v for v in self.visible() if not v.fixed and not v.pointer]
        whole = [v for v in whole if v.count or self.struct(v.type)]
        if not whole:
            return self.assign()
        to = self.pick(whole)
        like = [v for v in whole if (v.type, v.count) == (to.type, to.count) and v != to]
        if not like:
            if self.struct(to.type) or to.type == "double":
                return self.line(f"memset(&{to.name}, 0, sizeof {to.name});")
            return self.line(f"memset({to.name}, {self.value('u8', 1)}, sizeof {to.name});")
        source = self.pick(like)
        if not to.count and self.maybe():
            return self.line(f"{to.name} = {source.name};")
        function = self.pick(["memcpy", "memmove"])
        return self.line(f"{function}(&{to.name}, &{source.name}, sizeof {to.name});")

    def repoint(self) -> None:
        # A global pointer may be repointed in any function, but to globals only.
        pointers = [v for v in self.visible() if v.pointer and self._targets(v.type, v.depth)]
        if not pointers:
            return self.assign()
        pointer = self.pick(pointers)
        targets = self._targets(pointer.type, pointer.depth)
        return self.line(f"{pointer.name} = {self.indexed(self.pick(targets))};")

    def call(self) -> None:
        affordable = [f for f in self.functions if self._affords(f)]
        if affordable:
            self.call_of(self.pick(affordable))
        else:
            self.assign()

    def _affords(self, function: Function) -> bool:
        return self.cost + self.times * function.cost < MAX_STEPS

    def call_of(self, function: Function) -> None:
        arguments = [self._argument(type_, pointer) for type_, pointer in function.parameters]
        given = [argument for argument in arguments if argument is not None]
        if len(given) < len(arguments):  # there is nothing that a pointer could point to
            return self.assign()
        depth = [str(self.number(0, MAX_DEPTH))] if function.recursive else []
        self.cost += self.times * function.cost
        return self._use(
            f"{self._callee(function)}({', '.join([*depth, *given])})", function.result
        )

    def _use(self, called: str, result: str) -> None:
        places = self.places(*INTEGERS)
        if struct := self.struct(result):
            parts = [part for part in struct.fields if not part.count and part.type != "double"]
            return self.line(f"note((u64){called}.{parts[0].name});" if parts else f"{called};")
        if not places:
            return self.line(f"note((u64){called});")
        place = self.place(places)
        if self.number(0, 3) < 3:
            return self.line(f"{place.text} = ({place.type}){called};")
        given = self.value(place.type, 1)
        return self.line(f"if ({self.condition(1)} && {called}) {place.text} = {given};")

    def _callee(self, function: Function) -> str:
        """Return the function's name, or an indexed table of it and another one of its type."""
        alike = [f for f in self.functions if f.signature == function.signature]
        alike = [f for f in alike if f.cost <= function.cost]
        if len(alike) < 2 or self.maybe():
            return function.name
        table = f"({self._signature(function, '*[]')}){{{alike[0].name}, {alike[1].name}}}"
        return f"({table})[{self.value('u8', 1)} & 1]"

    def _signature(self, function: Function, name: str) -> str:
        parameters = [f"{t} *" if pointer else t for t, pointer in function.parameters]
        return f"{function.result} ({name})({', '.join(['i32'] * function.recursive + parameters)})"

    def _argument(self, type_: str, pointer: bool) -> str | None:
        if pointer:
            targets = self._targets(type_, len(self.scopes))
            targets += [v.name for v in self.visible() if v.pointer and v.type == type_]
            return self.indexed(self.pick(targets)) if targets else None
        if self.struct(type_):
            return self._whole(type_)
        return self.value(type_, 1)

    def _whole(self, type_: str) -> str:
        options = [
            f"(*{v.name})" if v.pointer else _element(v.name, v.count)
            for v in self.visible()
            if v.type == type_
        ]
        struct = self.struct(type_)
        assert struct is not None
        return self.indexed(self.pick([f"({type_}){self._initialiser(struct)}", *options]))

    def branch(self) -> None:
        tail = "} else {" if self.maybe() else "}"
        with self.block(f"if {self.condition(2)}", tail=tail):
            self.statements(3)
        if tail == "} else {":
            self.indent += 1
            self.scopes.append([])
            self.statements(3)
            self.scopes.pop()
            self.indent -= 1
            self.line("}")

    def count_up(self) -> None:
        """Write a loop with a limited number of iterations; `goto` may leave it."""
        rounds = self.number(1, 6)
        if self.cost + self.times * rounds * 10 > MAX_STEPS:
            return self.assign()
        counter, label = self.name("n"), self.name("out")
        kind = self.pick(["for", "while", "do"])
        step = self.pick([1, 2])
        head = f"for (int {counter} = 0; {counter} < {rounds}; {counter} += {step})"
        tail = "}"
        if kind != "for":
            self.line(f"int {counter} = 0;")
            head = "do" if kind == "do" else f"while ({counter} < {rounds} && {self.condition(1)})"
            tail = f"}} while ({counter} < {rounds});" if kind == "do" else "}"
            self.scopes[-1].append(Variable(counter, "int", len(self.scopes) - 1, fixed=True))
        self.labels.append(label)
        with self.block(head, rounds, tail):
            if kind != "for":
                self.line(f"{counter}++;")
            else:
                self.scopes[-1].append(Variable(counter, "int", len(self.scopes) - 1, fixed=True))
            self.statements(4)
        self.labels.pop()
        if any(f"goto {label};" in line for line in self.lines):
            self.line(f"{label}:;")
        return None

    def walk(self) -> None:
        """Write a loop in which a pointer walks through an array."""
        arrays = [v for v in self.visible() if v.count and v.type in UNSIGNED]
        if not arrays:
            return self.count_up()
        array = self.pick(arrays)
        walker = self.name("w")
        end = f"{array.name} + {array.count}"
        head = f"for ({array.type} *{walker} = {array.name}; {walker} < {end}; {walker}++)"
        with self.block(head, array.count):
            self.line(f"*{walker} {self.pick(['+', '^'])}= {self.value(array.type, 1)};")
            self.cost += self.times
        return None

    def leave(self) -> None:
        """Leave a loop, or the current iteration, on a condition."""
        if not self.labels:
            return self.branch()
        how = self.pick(["break", "continue", *(f"goto {label}" for label in self.labels)])
        return self.line(f"if {self.condition(1)} {how};")

    def switch(self) -> None:
        self.line(f"switch ({self.value('u8', 1)} & 7) {{")
        for case in range(self.number(1, 4)):
            head = f"case {case * 2}:" if self.maybe() else f"case {case * 2}: case {case * 2 + 1}:"
            with self.block(head):
                self.statements(2)
            if self.maybe():
                self.line("break;")
        if self.maybe():
            with self.block("default:"):
                self.statements(2)
        self.line("}")

    # --- functions and the whole

    def define_function(self) -> None:
        function = self._declared()
        result, parameters = function.result, function.parameters
        variables = [
            Variable(self.name("p" if pointer else "v"), type_, 1, pointer=pointer)
            for type_, pointer in parameters
        ]
        told = [f"{v.type} {'*' if v.pointer else ''}{v.name}" for v in variables]
        told = ["i32 depth"] * function.recursive + told
        self.cost = 0
        with self.block(f"static {result} {function.name}({', '.join(told)})"):
            self.scopes[-1].extend(variables)
            if function.recursive:
                self.line(f"if (depth <= 0) return {self._result(result)};")
            self.statements(15)
            if function.recursive and not self.struct(result):
                passed = ", ".join(["depth - 1", *(v.name for v in variables)])
                self.line(f"{result} below = {function.name}({passed});")
                self.line("note((u64)below);")
            self.line(f"return {self._result(result)};")
        cost = (self.cost + 4) * (MAX_DEPTH + 1 if function.recursive else 1)
        self.functions.append(replace(function, cost=cost))

    def _declared(self) -> Function:
        """Declare a new function, of an existing or a new type."""
        name = self.name("fun")
        if self.functions and self.maybe():
            return replace(self.pick(self.functions), name=name, cost=0)
        structs = [struct.type for struct in self.structs]
        kinds = [("i32", False), ("u64", False), ("i32", True)]
        kinds += [(type_, pointer) for type_ in structs for pointer in (False, True)]
        parameters = tuple(self.pick(kinds) for _ in range(self.number(1, 3)))
        return Function(name, self.pick(["i32", "u64", *structs]), parameters, self.maybe(), 0)

    def _result(self, type_: str) -> str:
        return self._whole(type_) if self.struct(type_) else self.value(type_)

    def define_main(self) -> None:
        self.cost = 0
        with self.block("int main(void)"):
            for function in self.functions:
                if self._affords(function):
                    self.call_of(function)
            self.statements(40)
            for place in self.places():
                self.line(_noted(self.place([place])))
            self.line("show();")
            self.line("return 0;")

    def program(self) -> None:
        self._some(self.define_struct, 2)
        self._some(self.declare, 5)
        self._some(self.define_function, 4)
        self.define_main()

    def _some(self, define: Callable[[], None], most: int) -> None:
        count = 0
        while count < most and self.draw(_one_more(4, define)):
            count += 1


@st.composite
def programs(draw: st.DrawFn, by_line: bool = False, most: int = 100) -> str:
    """Draw the text of a program of at most `most` statements, 20 to 300 lines in all.

    It prints a checksum of its variables after every few statements; with `by_line`, it prints the
    values themselves, each on a line of its own.
    """
    writer = Writer(draw, most)
    writer.program()
    return PRELUDE + (BY_LINE if by_line else MIXED) + "\n" + "\n".join(writer.lines) + "\n"
