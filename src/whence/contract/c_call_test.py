"""What must hold at the end of a call of a C function, so that it does what the good one did?

The call is known by its arguments and its number among the calls with the same arguments.  Both
must be the same in the two versions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

from whence.contract.c_checked_source import NOT_NULL, RESULT, THROWN, CallCheck, NotCheckableError
from whence.contract.contracts import CallView
from whence.contract.differences import Difference
from whence.trace.calls import Call, Missing, State, WatchedProcess

_MAX_CONDITIONS = 12  # conditions that choose a call; guessed
_CLASS = re.compile(r"\w+(?:::\w+)*")
_NAME = re.compile(r"&?[A-Za-z_]\w*")
_PLACE = re.compile(r"[*(&]*[A-Za-z_\\]")


_STRING = re.compile(r"(.+?)\._M_(?:local_buf|string_length|dataplus)\b")
_MAX_TEXT = 200  # characters of a text that is compared; guessed
_OUTPUT = "standard output"


def call_check(view: CallView, differences: tuple[Difference, ...]) -> CallCheck | None:
    """Return a check that the good version's call passes, and the bad version's call does not.

    None: only what the call prints differs.
    """
    if {each.part for each in differences} == {_OUTPUT}:
        return None
    conditions, number = _choice(view)
    if view.good.raised is not None:
        return CallCheck(conditions, number, None, thrown=_thrown(view, differences))
    if view.bad.raised is not None:
        return CallCheck(conditions, number, "1", may_throw=False)
    for each in sorted(differences, key=lambda difference: difference.part != "result"):
        claim = _claim(view, each)
        if claim is not None:
            return CallCheck(conditions, number, claim)
    parts = ", ".join(dict.fromkeys(each.where for each in differences[:4]))
    raise NotCheckableError(f"what differs cannot be written as an expression of C ({parts})")


def _thrown(view: CallView, differences: tuple[Difference, ...]) -> tuple[str, str] | None:
    """Return the class of the exception of the good version, and a claim about what differs."""
    process, node = view.good_process, view.good_process.node(view.good.raised)
    if node is None or not _CLASS.fullmatch(node[1]):
        if view.bad.raised is None:
            return None  # that the call does not return is enough
        raise NotCheckableError("the exception of the good version is not known")
    parts = dict(node[2]) if node[0] == "o" else {}
    for each in differences:
        name = each.path[0].removeprefix(".") if len(each.path) == 1 else ""
        if each.part == "exception" and name in parts:
            claim = _part_of_exception(process, name, parts[name])
            if claim is not None:
                return node[1], claim
    return node[1], ""


def _part_of_exception(process: WatchedProcess, name: str, state: State) -> str | None:
    place = THROWN if name == "value" else f"{THROWN}.{name}"
    if name == "what()" and type(state) is str:
        return f"__builtin_strcmp({place}, {_literal(state)}) == 0"
    return _equal(process, place, state)


def _claim(view: CallView, difference: Difference) -> str | None:
    """Return the condition that a part is as the good version left it; None: it has none."""
    process, call, part = view.good_process, view.good, difference.part
    if part == "result":
        return _of_result(process, call.result, difference.path)
    text = _text_of(call, part)
    if text is not None or not _is_place(part):
        return text
    found = call.around_after.get(part, Missing)
    if found is Missing:
        found = process.state_of(call, part, at_end=True)
    return _equal(process, _written(part), found)


def _of_result(process: WatchedProcess, state: State, path: tuple[str, ...]) -> str | None:
    """Return the condition that a part of the result is what it was."""
    for step in path:
        node = process.node(state)
        state = dict(node[2] if node else ()).get(step.removeprefix("."), Missing)
    way = "".join(path)
    return _equal(process, RESULT + way, state) if _is_place(f"result{way}") else None


def _written(part: str) -> str:
    """Return how a part is written in the source; what a pointer leads to now is new there."""
    return part.replace("(new ", "(").replace("\\result", RESULT)


def _text_of(call: Call, part: str) -> str | None:
    """Return the condition that a std::string is what it was; None if it is none, or unknown.

    Its members have names of the library, which a test cannot use.
    """
    match = _STRING.match(part)
    if match is None:
        return None
    known, place = call.around_after, match[1]
    length = known.get(f"{place}._M_string_length")
    if type(length) is not int or length > _MAX_TEXT:
        return None
    for way in ("._M_local_buf", "._M_dataplus._M_p"):
        found = [known.get(f"{place}{way}[{number}]") for number in range(length)]
        characters = [each for each in found if type(each) is str and len(each) == 1]
        if len(characters) == length:
            return f"{place} == {_literal(characters)}".replace("\\result", RESULT)
    return None


def _literal(characters: Iterable[str]) -> str:
    """Return a text as C writes it."""
    return '"{}"'.format("".join(
        each if " " <= each <= "~" and each not in '"\\?' else f"\\{ord(each) & 0xFF:03o}"
        for each in characters
    ))  # fmt: skip


def _is_place(part: str) -> bool:
    """Can a part be named in the source?"""
    text = _written(part)
    return _PLACE.match(text) is not None and not re.search(r"[<{ ]|(?:\.|->)_M_", text)


def _equal(process: WatchedProcess, place: str, state: State) -> str | None:
    """Return the condition that a place holds a value; None if that cannot be written."""
    if type(state) is str and len(state) == 1:
        return f"(unsigned char)({place}) == {ord(state)}"
    if type(state) in (bool, int):
        return f"{place} == {int(state)}{'ull' if state > 2**63 - 1 else ''}"
    if type(state) is float:
        return _equal_float(place, state)
    node = process.node(state)
    if node is None or node[0] != "f":
        return None
    name = node[1]
    if name == "NULL":
        return f"!{place}"
    if name.startswith('"'):
        if name.endswith('..."'):
            return None
        name = re.sub(r"\\x(..)", lambda match: f"\\{int(match[1], 16):03o}", name)
        return f"{place} && __builtin_strcmp({place}, {name}) == 0"
    return f"{place} == {name}" if _NAME.fullmatch(name) and name != place else None


def _equal_float(place: str, value: float) -> str | None:
    if math.isnan(value):
        return f"{place} != {place}"
    if math.isinf(value):
        return f"{place} == {'-' if value < 0 else ''}__builtin_inf()"
    return f"{place} == {value.hex()}"


# --- which call -----------------------------------------------------------------------------------


def _choice(view: CallView) -> tuple[tuple[str, ...], int]:
    """Return conditions on a call, and its number among those for which they hold."""
    for given in (dict(_given(view.bad)), {**dict(_given(view.bad)), **dict(_around(view.bad))}):
        written = {
            place: text
            for place, state in given.items()
            if (text := _equal(view.bad_process, place, state)) is not None
        }
        written = dict([*written.items()][:_MAX_CONDITIONS])
        conditions = dict.fromkeys(
            each for place, text in written.items() for each in (*_guards(place), text)
        )
        states = {place: given[place] for place in written}
        bad, good = (
            _number(process, call, states)
            for process, call in (
                (view.bad_process, view.bad),
                (view.good_process, view.good),
            )
        )
        if bad == good and bad is not None:
            return tuple(conditions), bad
    raise NotCheckableError("it is not the same call in the runs of both versions")


def _guards(place: str) -> Iterator[str]:
    """Yield what must hold in other calls so that a place can be read at all."""
    for match in re.finditer(r"->", place):
        if place[: match.start()] != "this":
            yield place[: match.start()].lstrip("*") + NOT_NULL


def _given(call: Call) -> Iterator[tuple[str, State]]:
    for name, state in call.given.items():
        if name.isidentifier():
            yield name, state


def _around(call: Call) -> Iterator[tuple[str, State]]:
    for place, state in call.around.items():
        if _is_place(place) and re.match(r"\(?\*?\w+", place):
            yield place, state


def _number(process: WatchedProcess, call: Call, states: dict[str, State]) -> int | None:
    """Return the number of a call among those that start with these states."""
    count = 0
    for each in process.calls.values():
        if each.function == call.function and _starts_with(process, each, states):
            count += 1
            if each is call:
                return count
    return None


def _starts_with(process: WatchedProcess, call: Call, states: dict[str, State]) -> bool:
    for place, state in states.items():
        found: Any = call.given.get(place, Missing)
        if found is Missing:
            found = call.around.get(place, Missing)
        if found is Missing:
            found = process.state_of(call, place, at_end=False)
        if found != state:
            return False
    return True
