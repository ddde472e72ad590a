"""What is the value of a C expression at the start or the end of a recorded call?

No code of the program runs: variables are read from the recorded memory.  Numbers are exact, so
nothing overflows unless a cast says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, NoReturn

import tree_sitter
import tree_sitter_c

from whence.frontend.c.debug import DebugType
from whence.frontend.c.terms import as_signed, bare
from whence.program.ids import Step
from whence.trace.c.call_states import PointerState, StateReader
from whence.trace.c.called_functions import CFunction
from whence.trace.c.object_paths import decoded_value, is_pointer
from whence.trace.calls import NOT_RECORDED, ExpressionError, State, UnknownStateError

_BEFORE = "int whence = ("
_CASTS = {
    "char": (1, False), "signed char": (1, False), "unsigned char": (1, True), "short": (2, False),
    "unsigned short": (2, True), "int": (4, False), "unsigned": (4, True),
    "unsigned int": (4, True), "long": (8, False), "unsigned long": (8, True), "size_t": (8, True),
    "long long": (8, False), "unsigned long long": (8, True),
}  # fmt: skip
_FORMS = ("_old", "_prev")
_QUANTIFIERS = ("_forall", "_exists")
_FUNCTIONS = ("strlen", "strcmp", "strncmp", "abs", "isnan")
_MAX_TEXT = 1 << 16  # bytes of a string that is compared; guessed
_MAX_TURNS = 100_000  # values of a quantified variable; guessed
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11}


@dataclass(frozen=True)
class CallScope:
    """A call: where its variables are found."""

    reader: StateReader
    function: CFunction
    first: Step
    last: Step
    arguments: Mapping[str, int]
    pointers: Mapping[str, tuple[int, DebugType | None]]
    result: int | None
    pointed: PointerState

    def is_initial(self, place: str) -> bool:
        """Is a place a part of a static variable that nothing wrote before the call?"""
        name = re.match(r"\w+", place)
        block = name and name[0] not in self.arguments and self.reader.blocks.by_name.get(name[0])
        if not block or "->" in place:
            return False
        return not self.reader.log.was_written(block.start, block.size, self.first)

    def at(self, *, at_end: bool) -> Moment:
        return Moment(self, self.last + 1 if at_end else self.first)


class Moment(NamedTuple):
    """A call at one moment."""

    scope: CallScope
    before: int  # the step that comes next


class CValue(NamedTuple):
    """A value; with an address, it is an object in memory."""

    number: Any  # int, float or bytes (a string literal)
    type: DebugType | None = None
    address: int | None = None
    moment: Moment | None = None
    size: int = 0  # of an element behind a pointer whose type is not known


@dataclass(frozen=True)
class CExpression:
    """An expression of C; offsets count from its first character."""

    text: str
    root: Any = field(repr=False)

    def names(self) -> Iterator[tuple[str, int]]:
        """Yield the names that are used, each with its offset."""
        bound = set(re.findall(r"_(?:forall|exists)\s*\(\s*(\w+)", self.text))
        for node in _nodes(self.root):
            if node.type == "identifier":
                text = _text(node)
                is_called = node.parent is not None and node.parent.type == "call_expression"
                if text in bound or (is_called and text in (*_FUNCTIONS, *_FORMS, *_QUANTIFIERS)):
                    continue
                if text not in ("_result", "_latest", "_deprecated", "NULL", "true", "false"):
                    yield text, node.start_byte - len(_BEFORE)

    def value(self, moments: Mapping[str, Moment], state: str, known: Mapping[str, int]) -> Any:
        """Return the value in a state: before, good or bad."""
        return _Evaluation(moments, known).number(self.root, state)


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language()))


def parse_expression(text: str) -> CExpression:
    """Return an expression; `\\result` and the like are written with a backslash."""
    plain = text.replace("\\result", "_result")
    for name in (*_FORMS, *_QUANTIFIERS):
        plain = plain.replace(f"\\{name[1:]}", name)
    tree = _parser().parse(f"{_BEFORE}{plain}\n);".encode())
    for node in _nodes(tree.root_node):
        if node.is_missing or node.type == "ERROR":
            raise ExpressionError(
                "this is no expression of C", min(max(node.start_byte - len(_BEFORE), 0), len(text))
            )
    found = [n for n in _nodes(tree.root_node) if n.type == "init_declarator"]
    value = found[0].child_by_field_name("value") if found else None
    if value is None or value.type != "parenthesized_expression":
        raise ExpressionError("this is no expression of C", 0)
    return CExpression(plain, value)


def _nodes(node: Any) -> Iterator[Any]:
    waiting = [node]
    while waiting:
        at = waiting.pop()
        yield at
        waiting.extend(reversed(at.children))


def _text(node: Any) -> str:
    return str(node.text.decode("utf-8", "replace"))


def evaluated_path(scope: CallScope, place: str, *, at_end: bool) -> State:
    """Return what a place held, as a state; NOT_RECORDED if that is not known."""
    moment = scope.at(at_end=at_end)
    try:
        root = parse_expression(place).root
        found = _Evaluation({"before": moment}, {}).evaluate(root, "before")
        if found.address is None:
            return NOT_RECORDED
        kind = bare(found.type)
        size = kind.size if kind else 0
        data = scope.reader.log.read(found.address, size, moment.before) if size else None
    except (ExpressionError, UnknownStateError, RecursionError):
        return NOT_RECORDED
    if data is None:
        return NOT_RECORDED
    if is_pointer(kind) and kind is not None:
        return scope.pointed(int.from_bytes(data, "little"), place, kind.base)
    value = decoded_value(kind, data)
    if kind is not None and kind.kind == "enum" and isinstance(value, str):
        return scope.reader.named(value)
    return value


class PlaceInMemory(NamedTuple):
    """Where a place lies in memory."""

    address: int
    size: int
    is_pointer: bool


def located(scope: CallScope, place: str) -> PlaceInMemory | None:
    """Return where a place lies at the start of a call; None if that is not known."""
    try:
        root = parse_expression(place).root
        found = _Evaluation({"before": scope.at(at_end=False)}, {}).evaluate(root, "before")
    except (ExpressionError, UnknownStateError, RecursionError):
        return None
    kind = bare(found.type)
    if found.address is None or kind is None or not kind.size:
        return None
    return PlaceInMemory(found.address, kind.size, is_pointer(kind))


class _Evaluation:
    """Evaluates one expression."""

    def __init__(self, moments: Mapping[str, Moment], known: Mapping[str, int]) -> None:
        self._moments, self._known = moments, known
        self._bound: dict[str, int] = {}

    def number(self, node: Any, state: str) -> Any:
        return self._loaded(self.evaluate(node, state))

    def evaluate(self, node: Any, state: str) -> CValue:
        method = getattr(self, f"_{node.type}", None)
        if method is None:
            self._fail(node, f"a contract cannot use this: {_text(node)}")
        found: CValue = method(node, state)
        return found

    def _fail(self, node: Any, what: str) -> NoReturn:
        raise ExpressionError(what, max(node.start_byte - len(_BEFORE), 0))

    # --- names and literals --------------------------------------------------------------------

    def _parenthesized_expression(self, node: Any, state: str) -> CValue:
        inner = [child for child in node.named_children if child.type != "comment"]
        return self.evaluate(inner[0], state)

    def _number_literal(self, node: Any, _state: str) -> CValue:
        text = _text(node).replace("'", "")
        plain = text.rstrip("uUlL")
        try:
            if re.fullmatch(r"0[0-7]+", plain):
                return CValue(int(plain, 8))
            return CValue(int(plain, 0))
        except ValueError:
            return CValue(float(text.rstrip("fFlL")))

    def _char_literal(self, node: Any, _state: str) -> CValue:
        return CValue(_unescaped(_text(node)[1:-1])[0])

    def _string_literal(self, node: Any, _state: str) -> CValue:
        return CValue(bytes(_unescaped(_text(node)[1:-1])))

    def _true(self, _node: Any, _state: str) -> CValue:
        return CValue(1)

    def _false(self, _node: Any, _state: str) -> CValue:
        return CValue(0)

    def _null(self, _node: Any, _state: str) -> CValue:
        return CValue(0)

    def _identifier(self, node: Any, state: str) -> CValue:
        name = _text(node)
        if name in self._bound:
            return CValue(self._bound[name])
        moment = self._moments[state]
        scope = moment.scope
        params = {each.name: each.type for each in scope.function.params}
        if name == "_result":
            if "\\result" in scope.pointers:
                address, kind = scope.pointers["\\result"]
                return CValue(None, kind, address, moment)
            if scope.result is None:
                raise UnknownStateError("the call did not return a value")
            return self._given(scope.function.result, scope.result, moment)
        if name in scope.arguments:
            return self._given(params.get(name), scope.arguments[name], moment)
        if name in scope.pointers:
            address, kind = scope.pointers[name]
            return CValue(None, kind, address, moment)
        before = self._moments.get("good", moment).scope
        if state == "before" and name in before.arguments:  # a parameter that was deleted
            kinds = {each.name: each.type for each in before.function.params}
            return self._given(
                kinds.get(name), before.arguments[name], Moment(before, before.first)
            )
        block = scope.reader.blocks.by_name.get(name)
        if block is not None:
            return CValue(None, block.type, block.start, moment)
        if name in self._known:
            return CValue(self._known[name])
        if name in scope.reader.enumerators:
            return CValue(scope.reader.enumerators[name])
        raise UnknownStateError(f"{name} was not recorded for this call")

    def _given(self, kind: DebugType | None, raw: int, moment: Moment) -> CValue:
        found = bare(kind)
        if found is not None and found.kind == "reference":
            return CValue(None, found.base, raw, moment)
        if found is None or not found.size or found.size > 8:
            return CValue(raw, kind, None, moment)
        data = (raw & ((1 << 8 * found.size) - 1)).to_bytes(found.size, "little")
        return CValue(_plain(found, data), kind, None, moment)

    # --- objects -------------------------------------------------------------------------------

    def _loaded(self, value: CValue) -> Any:
        """Return the number that a value is; that of an array is its address."""
        if value.address is None:
            return value.number
        kind = bare(value.type)
        if kind is not None and kind.kind == "array":
            return value.address
        if kind is None or not kind.size or kind.size > 16 or kind.members:
            raise UnknownStateError("a structure has no value as a whole: name a field of it")
        return _plain(kind, self._read(value, kind.size))

    def _read(self, value: CValue, size: int) -> bytes:
        assert value.address is not None
        moment = value.moment
        data = moment and moment.scope.reader.log.read(value.address, size, moment.before)
        if data is None:
            raise UnknownStateError("this memory was not recorded")
        return data

    def _behind(self, value: CValue, node: Any, index: int = 0) -> CValue:
        """Return the object that a pointer points to, or an element behind it."""
        kind, start = bare(value.type), self._loaded(value)
        base = kind.base if kind is not None and kind.kind in ("pointer", "array") else None
        size = (base.size if base else 0) or value.size
        if not isinstance(start, int) or (index and not size):
            self._fail(node, f"this is no pointer to something of a known size: {_text(node)}")
        if not 4096 <= start < 2**64 - 4096:
            raise UnknownStateError(f"{_text(node)} is a null or invalid pointer")
        if base is None and value.size:
            return CValue(self._read(CValue(0, None, start + index, value.moment), 1)[0])
        return CValue(None, base, start + index * size, value.moment)

    def _pointer_expression(self, node: Any, state: str) -> CValue:
        inner = node.child_by_field_name("argument")
        value = self.evaluate(inner, state)
        if _text(node).startswith("&"):
            if value.address is None:
                self._fail(node, f"this has no address: {_text(inner)}")
            return CValue(value.address, None, None, value.moment)
        return self._behind(value, inner)

    def _subscript_expression(self, node: Any, state: str) -> CValue:
        inner = node.child_by_field_name("argument")
        index = self.number(node.child_by_field_name("index"), state)
        return self._behind(self.evaluate(inner, state), inner, int(index))

    def _field_expression(self, node: Any, state: str) -> CValue:
        inner, name = (node.child_by_field_name(each) for each in ("argument", "field"))
        value = self.evaluate(inner, state)
        kind = bare(value.type)
        if kind is not None and kind.kind == "pointer":
            value = self._behind(value, inner)
            kind = bare(value.type)
        found = _member(kind, _text(name), 0)
        if found is None or value.address is None:
            self._fail(name, f"{kind or 'this'} has no member {_text(name)}")
        offset, member, bits = found
        if bits is None:
            return CValue(None, member, value.address + offset, value.moment)
        low, width = bits
        start = value.address + low // 8
        size = (low % 8 + width + 7) // 8
        raw = int.from_bytes(self._read(CValue(0, None, start, value.moment), size), "little")
        raw = (raw >> low % 8) & ((1 << width) - 1)
        is_negative = member is not None and not member.is_unsigned and raw >> (width - 1)
        return CValue(raw - (1 << width) if is_negative else raw)

    # --- operators -----------------------------------------------------------------------------

    def _unary_expression(self, node: Any, state: str) -> CValue:
        value = self.number(node.child_by_field_name("argument"), state)
        operator = _text(node.child_by_field_name("operator"))
        if operator == "!":
            return CValue(int(not value))
        return CValue(-value if operator == "-" else ~value if operator == "~" else value)

    def _conditional_expression(self, node: Any, state: str) -> CValue:
        condition = self.number(node.child_by_field_name("condition"), state)
        part = "consequence" if condition else "alternative"
        return self.evaluate(node.child_by_field_name(part), state)

    def _binary_expression(self, node: Any, state: str) -> CValue:
        left, right = (node.child_by_field_name(each) for each in ("left", "right"))
        operator = _text(node.child_by_field_name("operator"))
        one = self.number(left, state)
        if operator in ("&&", "||"):
            if bool(one) == (operator == "||"):
                return CValue(int(bool(one)))
            return CValue(int(bool(self.number(right, state))))
        other = self.number(right, state)
        if isinstance(one, bytes) != isinstance(other, bytes):
            self._fail(node, "strings are compared with strcmp(a, b) == 0")
        if operator in ("/", "%") and not other:
            raise ExpressionError("division by zero", max(node.start_byte - len(_BEFORE), 0))
        return CValue(_BINARY[operator](one, other))

    def _cast_expression(self, node: Any, state: str) -> CValue:
        target = _text(node.child_by_field_name("type")).replace("const ", "").strip()
        value = self.evaluate(node.child_by_field_name("value"), state)
        number = self._loaded(value)
        if target.endswith("*"):
            size = _CASTS.get(target.rstrip("* "), (0, False))[0]
            return CValue(number, None, None, value.moment, 1 if size == 1 else 0)
        if target in ("double", "float"):
            return CValue(float(number))
        if target not in _CASTS:
            self._fail(node, f"a contract cannot cast to {target}")
        size, unsigned = _CASTS[target]
        return CValue(as_signed(int(number), size, unsigned))

    def _call_expression(self, node: Any, state: str) -> CValue:
        name = _text(node.child_by_field_name("function"))
        given = list(node.child_by_field_name("arguments").named_children)
        if name in _FORMS:
            if len(given) != 1:
                self._fail(node, f"\\{name[1:]} has one argument")
            return self.evaluate(given[0], _inner_state(state, name, self._moments))
        if name in _QUANTIFIERS:
            return CValue(int(self._quantified(node, name, given, state)))
        if name in _FUNCTIONS:
            return CValue(self._function(node, name, given, state))
        return self._fail(
            node, f"a contract cannot call {name}; it may call {', '.join(_FUNCTIONS)}"
        )

    def _quantified(self, node: Any, name: str, given: list[Any], state: str) -> bool:
        if len(given) != 4 or given[0].type != "identifier":
            self._fail(node, f"write \\{name[1:]}(i, FIRST, END, CONDITION)")
        low, high = (int(self.number(each, state)) for each in given[1:3])
        if high - low > _MAX_TURNS:
            raise UnknownStateError("too many values to try")
        variable, outer = _text(given[0]), dict(self._bound)
        found = []
        for number in range(low, high):
            self._bound[variable] = number
            found.append(bool(self.number(given[3], state)))
        self._bound = outer
        return all(found) if name == "_forall" else any(found)

    def _function(self, node: Any, name: str, given: list[Any], state: str) -> Any:
        if len(given) != {"strcmp": 2, "strncmp": 3}.get(name, 1):
            self._fail(node, f"wrong number of arguments of {name}")
        if name in ("abs", "isnan"):
            value = self.number(given[0], state)
            return abs(value) if name == "abs" else int(value != value)
        texts = [self._string(each, state) for each in given[:2]]
        if name == "strlen":
            return len(texts[0])
        if name == "strncmp":
            size = int(self.number(given[2], state))
            texts = [text[:size] for text in texts]
        return (texts[0] > texts[1]) - (texts[0] < texts[1])

    def _string(self, node: Any, state: str) -> bytes:
        value = self.evaluate(node, state)
        number = self._loaded(value)
        if isinstance(number, bytes):
            return number
        moment = value.moment or self._moments[state]
        if not isinstance(number, int) or not 4096 <= number < 2**63:
            raise UnknownStateError(f"{_text(node)} is no string")
        found = moment.scope.reader.text_at(number, moment.before, _MAX_TEXT)
        if found is None:
            raise UnknownStateError(f"the string {_text(node)} was not recorded")
        return found


def _inner_state(state: str, form: str, moments: Mapping[str, Moment]) -> str:
    if state == "before" or form == "_old":  # both versions start in the same state
        return "before"
    return "good" if "good" in moments else state


def _member(
    kind: DebugType | None, name: str, start: int
) -> tuple[int, DebugType | None, tuple[int, int] | None] | None:
    """Return offset and type of a member, and the bits of a bit-field."""
    for member in kind.members if kind else ():
        at = start + member.bit_offset
        if member.name == name:
            bits = (at, member.bits) if member.is_bitfield else None
            return (0 if bits else at // 8), member.type, bits
        if member.is_base or not member.name:
            inner = _member(bare(member.type), name, at)
            if inner:
                return inner
    return None


def _plain(kind: DebugType, data: bytes) -> Any:
    """Return the number that bytes of a type hold."""
    if kind.encoding == "float":
        return decoded_value(kind, data)
    unsigned = kind.is_unsigned or kind.kind in ("pointer", "reference")
    return as_signed(int.from_bytes(data, "little"), len(data), unsigned)


def _unescaped(text: str) -> list[int]:
    found, at = [], 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            found.append(_ESCAPES.get(text[at + 1], ord(text[at + 1])))
            at += 2
        else:
            found.extend(text[at].encode())
            at += 1
    return found or [0]


def _divided(one: Any, other: Any) -> Any:
    if isinstance(one, float) or isinstance(other, float):
        return one / other
    quotient = abs(one) // abs(other)
    return quotient if (one < 0) == (other < 0) else -quotient


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": _divided,
    "%": lambda a, b: a - _divided(a, b) * b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
    "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b), "<=": lambda a, b: int(a <= b), ">=": lambda a, b: int(a >= b),
}  # fmt: skip
