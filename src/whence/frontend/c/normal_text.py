"""What does a simplified function do, written so that equal functions are equal texts?

The order of instructions that only compute does not count, nor the names of registers, the order
of blocks, or which way round a condition is asked: `if (!c) a else b` is `if (c) b else a`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import NamedTuple

_LOCAL = re.compile(r"%(?:\"[^\"]*\"|[-\w.$]+)")
_GLOBAL = re.compile(r"@(?:\"[^\"]*\"|[-\w.$]+)")
_LABEL = re.compile(r"^(\"[^\"]*\"|[-\w.$]+):")
_NAMED = re.compile(r"^(%(?:\"[^\"]*\"|[-\w.$]+)) = (.*)$", re.DOTALL)
_FLAGS = re.compile(r"\b(?:nsw|nuw|exact|disjoint|nneg|samesign|inbounds|nusw|tail|notail) ")
_COMPARED = re.compile(r"icmp (\w+) (\S+) ([^,]+), ([^,]+)$")
_ADDED = re.compile(r"add (i\d+) ([^,]+), (-?\d+)$")
_BRANCH = re.compile(r"br i1 ([^,]+), label (%[^,]+), label (%\S+)$")
_CHOICE = re.compile(r"select i1 ([^,]+), (.+)$")
_PHI = re.compile(r"\[ ([^,\]]+), (%[^ \]]+) \]")
_PURE = frozenset({
    "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "icmp", "select", "zext",
    "sext", "trunc", "getelementptr", "extractvalue", "insertvalue", "freeze", "bitcast", "fcmp",
    "ptrtoint", "inttoptr", "fadd", "fsub", "fmul", "fdiv", "fneg", "sitofp", "uitofp", "fptosi",
    "fptoui", "fpext", "fptrunc", "udiv", "sdiv", "urem", "srem",
})  # fmt: skip
_COMMUTATIVE = re.compile(r"(add|mul|and|or|xor|fadd|fmul) (\S+) ([^,]+), ([^,]+)$")
_CONNECTED = re.compile(r"(and|or) i1 ([^,]+), ([^,]+)$")
_OPPOSITE = {"ne": "eq", "uge": "ult", "sge": "slt", "ule": "ugt", "sle": "sgt"}
_LONG = 400  # characters of an expression from which on it is a hash; guessed


class _Value(NamedTuple):
    text: str
    is_inverted: bool = False  # of a truth: does it hold if `text` does not?

    @property
    def whole(self) -> str:
        return f"not({self.text})" if self.is_inverted else self.text


class FunctionText:
    """The text of one function."""

    def __init__(self, lines: list[str], private: Mapping[str, str]) -> None:
        """`lines` are those of a definition; `private`: what names without a meaning stand for."""
        self._private = private
        self._head, self._blocks = lines[0], _blocks(lines[1:])
        self._values: dict[str, _Value] = {}
        self._numbers: dict[str, int] = {}
        self._conjunctions: dict[str, frozenset[str]] = {}  # the parts of what `_all` returned
        names = _LOCAL.findall(self._head)
        self._values.update((name, _Value(f"parameter{at}")) for at, name in enumerate(names))

    def text(self) -> str:
        self._number_phis()
        self._evaluate()
        self._order()
        parts = [_LOCAL.sub("", self._head)]
        for label in self._numbers:
            parts += [f"block {self._numbers[label]}", *self._effects(label)]
        return "\n".join(parts)

    # --- values ----------------------------------------------------------------------------------

    def _number_phis(self) -> None:
        """Give what is not computed from other values in a block a name by its block and order.

        Blocks have no number yet, so the name is that of the block; it is replaced at the end.
        """
        for label, lines in self._blocks.items():
            effects = 0
            for line in lines:
                named = _NAMED.match(line)
                if named is None or not self._is_pure(named[2]):
                    if named:
                        self._values[named[1]] = _Value(f"<{label}|{effects}>")
                    effects += 1

    @staticmethod
    def _is_pure(text: str) -> bool:
        return text.split(" ", 1)[0] in _PURE

    def _evaluate(self) -> None:
        """Find the expressions of all registers, wherever their blocks stand."""
        waiting = {
            named[1]: _FLAGS.sub("", named[2])
            for lines in self._blocks.values() for line in lines
            if (named := _NAMED.match(line)) and self._is_pure(named[2])
        }  # fmt: skip
        while waiting:
            ready = [
                name for name, text in waiting.items()
                if all(one in self._values for one in _LOCAL.findall(text) if one in waiting)
            ]  # fmt: skip
            if not ready:
                raise ValueError("registers are defined by each other")
            for name in ready:
                self._values[name] = self._expression(waiting.pop(name))

    def _expression(self, text: str) -> _Value:
        choice = _CHOICE.match(text)
        if choice:
            return self._choice(choice[1], choice[2])
        compared = _COMPARED.match(text)
        if compared:
            return self._comparison(*(one.strip() for one in compared.groups()))
        if text.startswith("xor i1 ") and text.endswith(", true"):
            return _inverted(self._of(text[7:-6]))
        connected = _CONNECTED.match(text)
        if connected:
            parts = [self._of(connected[2]), self._of(connected[3])]
            if connected[1] == "and":
                return self._all(parts)
            return _inverted(self._all([_inverted(one) for one in parts]))
        both = _COMMUTATIVE.match(text)
        if both:
            first, second = sorted((self._of(both[3]).whole, self._of(both[4]).whole))
            return _Value(_short(f"{both[1]} {both[2]} {first}, {second}"))
        return _Value(_short(self._filled(text)))

    def _choice(self, condition: str, rest: str) -> _Value:
        tested = self._of(condition)
        first, _, second = rest.partition(", ")
        if second == "i1 false":
            return self._all([tested, self._of(first[3:])])
        if first == "i1 true":
            return _inverted(self._all([_inverted(tested), _inverted(self._of(second[3:]))]))
        if tested.is_inverted:
            first, second = second, first
        return _Value(
            _short(f"select {tested.text}, {self._filled(first)}, {self._filled(second)}")
        )

    def _all(self, values: list[_Value]) -> _Value:
        """Return that several truths hold."""
        parts: set[str] = set()
        for value in values:
            is_list = not value.is_inverted and value.text in self._conjunctions
            parts |= self._conjunctions[value.text] if is_list else {value.whole}
        found = _Value(_short(f"all {', '.join(sorted(parts))}"))
        self._conjunctions[found.text] = frozenset(parts)
        return found

    def _comparison(self, sign: str, kind: str, left: str, right: str) -> _Value:
        """Return a comparison as one of eq, ult and slt, perhaps inverted."""
        is_inverted = sign in _OPPOSITE
        sign = _OPPOSITE.get(sign, sign)
        if sign in ("ugt", "sgt"):
            if re.fullmatch(r"-?\d+", right):  # x > 5 is !(x < 6)
                sign, is_inverted = f"{sign[0]}lt", not is_inverted
                right = str(int(right) + 1)
            else:
                sign, left, right = f"{sign[0]}lt", right, left
        if sign == "ult" and re.fullmatch(r"-?\d+", right) and kind[1:].isdigit():
            return self._range(kind, left, int(right), is_inverted=is_inverted)
        own, other = self._of(left).whole, self._of(right).whole
        if sign == "eq":
            own, other = sorted((own, other))
        return _Value(_short(f"icmp {sign} {kind} {own}, {other}"), is_inverted)

    def _range(self, kind: str, left: str, limit: int, *, is_inverted: bool) -> _Value:
        """Return that a value lies in a range, or that it is not in the rest if that is smaller."""
        size = 1 << int(kind[1:])
        limit %= size
        added = _ADDED.match(self._sums.get(left, ""))
        base, offset = (added[2], int(added[3])) if added else (left, 0)
        if limit > size // 2:
            offset, limit, is_inverted = offset - limit, size - limit, not is_inverted
        text = f"range {kind} {self._of(base).whole} + {offset % size} < {limit}"
        return _Value(_short(text), is_inverted)

    @property
    def _sums(self) -> dict[str, str]:
        if not hasattr(self, "_known_sums"):
            self._known_sums = {
                named[1]: text
                for lines in self._blocks.values() for line in lines
                if (named := _NAMED.match(line))
                and (text := _FLAGS.sub("", named[2])).startswith("add ")
            }  # fmt: skip
        return self._known_sums

    def _of(self, operand: str) -> _Value:
        operand = operand.strip()
        if operand in self._values:
            return self._values[operand]
        return _Value(self._filled(operand))

    def _filled(self, text: str) -> str:
        """Return a text with expressions for registers, and contents for private names."""
        text = _GLOBAL.sub(lambda name: self._private.get(name[0], name[0]), text)
        return _LOCAL.sub(
            lambda name: self._values[name[0]].whole if name[0] in self._values else name[0], text
        )

    # --- blocks ----------------------------------------------------------------------------------

    def _order(self) -> None:
        """Number the blocks in the order in which they are come to."""
        work = [next(iter(self._blocks))]
        while work:
            label = work.pop()
            if label in self._numbers or label not in self._blocks:
                continue
            self._numbers[label] = len(self._numbers)
            last = self._turned(self._blocks[label][-1])
            after = [one[1:] for one in re.findall(r"label (%(?:\"[^\"]*\"|[-\w.$]+))", last)]
            work += reversed(after)

    def _turned(self, line: str) -> str:
        """Return a branch so that its condition is not inverted."""
        branch = _BRANCH.match(line)
        if branch is None or not self._of(branch[1]).is_inverted:
            return line
        return f"br i1 {branch[1]}, label {branch[3]}, label {branch[2]}"

    def _effects(self, label: str) -> Iterator[str]:
        """Yield what a block does that is more than to compute."""
        for line in self._blocks[label]:
            named = _NAMED.match(line)
            text = _FLAGS.sub("", named[2] if named else line)
            if named and self._is_pure(text):
                continue
            if text.startswith("phi "):
                text = self._phi(text)
            branch = _BRANCH.match(text)
            if branch:
                turned = _BRANCH.match(self._turned(text))
                assert turned is not None
                text = f"br {self._of(branch[1]).text} {turned[2]} {turned[3]}"
            yield self._placed(self._filled(text))

    def _phi(self, text: str) -> str:
        pairs = [
            (self._numbers.get(found[2][1:], self._entry), self._filled(found[1]))
            for found in _PHI.finditer(text)
        ]
        return f"{text.split('[')[0]}{sorted(pairs)}"

    @property
    def _entry(self) -> int:
        return 0  # its label is never written

    def _placed(self, text: str) -> str:
        """Return a text with numbers in the place of the names of blocks."""
        text = _LOCAL.sub(
            lambda name: f"block{self._numbers[name[0][1:]]}"
            if name[0][1:] in self._numbers else name[0], text,
        )  # fmt: skip
        return re.sub(
            r"<([^|<>]+)\|(\d+)>", lambda at: f"<{self._numbers.get(at[1], at[1])}|{at[2]}>", text
        )


def _inverted(value: _Value) -> _Value:
    return _Value(value.text, not value.is_inverted)


def _blocks(lines: list[str]) -> dict[str, list[str]]:
    """Return the instructions of each block, those that take several lines on one."""
    found: dict[str, list[str]] = {}
    current = found.setdefault("entry block", [])
    for line in lines:
        label = _LABEL.match(line)
        if label:
            current = found.setdefault(label[1], [])
        elif line.startswith("    ") or line.strip() == "]":
            current[-1] += f" {line.strip()}"
        elif line.strip() and line != "}":
            current.append(line.strip())
    return found


def _short(text: str) -> str:
    """Return a text, or its hash if it is long: expressions share their parts.

    The places that `<block|number>` names are replaced later, so they are kept beside it.
    """
    if len(text) < _LONG:
        return f"({text})"
    places = dict.fromkeys(re.findall(r"<[^|<>]+\|\d+>", text))
    pattern = text
    for at, place in enumerate(places):
        pattern = pattern.replace(place, f"${at}")
    digest = blake2b(pattern.encode(), digest_size=16).hexdigest()
    return f"({digest} {' '.join(places)})"
