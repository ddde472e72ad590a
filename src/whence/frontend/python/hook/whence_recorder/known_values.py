"""What does the log contain for a date, a Decimal, a path, a pattern and the like?

It contains the arguments that would make an equal value, as text.  They are read from the slots of
the standard types, so no code of the program runs: a subclass may have a `__repr__` of its own.
Only types whose values never change are listed.
"""

from __future__ import annotations

import sys

from .private import BUILTINS

globals()["__builtins__"] = BUILTINS
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Text: TypeAlias = Callable[[Any], str | None]
    Getter: TypeAlias = Callable[..., Any]

MAX_TEXT = 4096  # limit on characters that are recorded; guessed

_bases = type.__dict__["__mro__"].__get__
_qualname = type.__dict__["__qualname__"].__get__
_module = type.__dict__["__module__"].__get__
_of_type = type.__dict__["__dict__"].__get__
_of_module = vars(type(sys))["__dict__"].__get__
# Descriptors that are written in C: reading them runs no code of the program.
_C_SLOTS = (
    type(type.__dict__["__dict__"]), type(complex.__dict__["real"]), type(str.join),
    type(object.__init__),
)  # fmt: skip


def known_text(t: type) -> Text | None:
    """Return the function for the text of the values of a type; None: the type is not known."""
    for base in _bases(t) or ():
        make = _KNOWN.get((_module(base), _qualname(base)))
        if make is not None and _is_standard(base):
            text = make(base)
            return None if text is None else _safe(text)
    return None


def _is_standard(base: type) -> bool:
    """Is a class the one that its module has under its name?"""
    module = sys.modules.get(_module(base))
    return type(module) is type(sys) and _of_module(module).get(_qualname(base)) is base


def _safe(text: Text) -> Text:
    def safe(x: Any) -> str | None:
        try:
            found = text(x)
        except (AttributeError, TypeError, ValueError):  # the value is not complete yet
            return None
        if found is None or len(found) <= MAX_TEXT:
            return found
        return f"{found[:MAX_TEXT]}… {hash(found)}"

    return safe


def _getters(base: type, *names: str) -> list[Getter] | None:
    """Return functions that read attributes or call methods; None if one is written in Python."""
    found: list[Getter] = []
    for name in names:
        slots = (_of_type(each).get(name) for each in _bases(base))
        slot: Any = next((each for each in slots if each is not None), None)
        if type(slot) not in _C_SLOTS:
            return None
        is_attribute = type(slot) in _C_SLOTS[:2]
        found.append(slot.__get__ if is_attribute else slot)
    return found


def _plain(x: Any) -> str | None:
    """Return the `repr` of a value whose type is a plain builtin type itself."""
    return repr(x) if type(x) in (str, bytes, int) else None


def _numbers(base: type, *names: str, least: int = 0) -> Text | None:
    """Return a function that lists numbers; zeros after the first `least` ones are left out."""
    getters = _getters(base, *names)
    if getters is None:
        return None

    def text(x: Any) -> str:
        numbers = [int(get(x)) for get in getters]
        while len(numbers) > least and not numbers[-1]:
            numbers.pop()
        return ", ".join(map(str, numbers))

    return text


def _date(base: type) -> Text | None:
    return _numbers(base, "year", "month", "day", least=3)


def _datetime(base: type) -> Text | None:
    names = "year", "month", "day", "hour", "minute", "second", "microsecond"
    return _with_zone(base, _numbers(base, *names, least=5))


def _time(base: type) -> Text | None:
    names = "hour", "minute", "second", "microsecond"
    return _with_zone(base, _numbers(base, *names, least=2))


def _with_zone(base: type, text: Text | None) -> Text | None:
    getters = _getters(base, "tzinfo", "fold")
    if getters is None or text is None:
        return None
    zone, fold = getters

    def zoned(x: Any) -> str:
        found = zone(x)
        more = f", tzinfo={_zone_text(found)}" if found is not None else ""
        return f"{text(x)}{more}{', fold=1' if fold(x) else ''}"

    return zoned


def _zone_text(zone: Any) -> str:
    t = type(zone)
    name = (_module(t), _qualname(t))
    if _is_standard(t):
        if name == ("datetime", "timezone") and (offset := _getters(t, "utcoffset")):
            delta = offset[0](zone, None)
            text = known_text(type(delta))
            return f"timezone(timedelta({text(delta) if text else ''}))"
        if name == ("zoneinfo", "ZoneInfo") and (key := _getters(t, "key")):
            return f"ZoneInfo({_plain(key[0](zone))})"
    return f"<{_qualname(t)}>"


def _timedelta(base: type) -> Text | None:
    names = "days", "seconds", "microseconds"
    getters = _getters(base, *names)
    if getters is None:
        return None

    def text(x: Any) -> str:
        numbers = zip(names, [int(get(x)) for get in getters], strict=True)
        return ", ".join(f"{name}={n}" for name, n in numbers if n) or "0"

    return text


def _decimal(base: type) -> Text | None:
    getters = _getters(base, "__str__")
    return None if getters is None else lambda x: repr(getters[0](x))


def _fraction(base: type) -> Text | None:
    return _numbers(base, "_numerator", "_denominator", least=2)


def _uuid(base: type) -> Text | None:
    getters = _getters(base, "int")
    if getters is None:
        return None

    def text(x: Any) -> str:
        digits = f"{int(getters[0](x)):032x}"
        return repr("-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])))

    return text


def _path(base: type) -> Text | None:
    raw = _getters(base, "_raw_paths")
    if raw is not None:  # Python 3.12 and later
        return lambda x: repr("/".join(map(str, raw[0](x))) or ".")
    parsed = _getters(base, "_drv", "_root", "_parts")
    if parsed is None:
        return None
    drive, root, parts = parsed

    def text(x: Any) -> str:
        anchor, names = drive(x) + root(x), list(parts(x))
        return repr(anchor + "/".join(names[1:] if anchor else names) or ".")

    return text


def _pattern(base: type) -> Text | None:
    getters = _getters(base, "pattern", "flags")
    if getters is None:
        return None
    pattern, flags = getters

    def text(x: Any) -> str | None:
        more = int(flags(x)) & ~32  # every pattern for str is Unicode
        found = _plain(pattern(x))
        return f"{found}, flags={more}" if more and found else found

    return text


def _match(base: type) -> Text | None:
    getters = _getters(base, "string", "span", "group")
    if getters is None:
        return None
    string, span, group = getters

    def text(x: Any) -> str:
        found = f"span={span(x)}"
        return f"{found}, match={_plain(group(x))}" if type(string(x)) in (str, bytes) else found

    return text


def _complex(base: type) -> Text | None:
    getters = _getters(base, "real", "imag")
    return None if getters is None else lambda x: ", ".join(repr(float(get(x))) for get in getters)


_KNOWN: dict[tuple[str, str], Callable[[type], Text | None]] = {
    ("datetime", "datetime"): _datetime,
    ("datetime", "date"): _date,
    ("datetime", "time"): _time,
    ("datetime", "timedelta"): _timedelta,
    ("decimal", "Decimal"): _decimal,
    ("fractions", "Fraction"): _fraction,
    ("uuid", "UUID"): _uuid,
    ("pathlib", "PurePath"): _path,
    ("pathlib._local", "PurePath"): _path,
    ("re", "Pattern"): _pattern,
    ("re", "Match"): _match,
    ("builtins", "complex"): _complex,
}
