"""Does the token of a value distinguish it from others, without running code of the program?"""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import fractions
import gc
import pathlib
import re
import uuid
import weakref
import zoneinfo
from typing import Any

from whence.frontend.python.hook.whence_recorder.tokens import TYPE, ValueTokens


def tokens() -> tuple[ValueTokens, list[tuple[Any, ...]]]:
    """Return a maker of tokens, and the list of the types that it notes."""
    noted: list[tuple[Any, ...]] = []

    def note(op: int, value: object) -> None:
        assert op == TYPE
        assert isinstance(value, tuple)
        noted.append(value)

    return ValueTokens(note), noted


def shape(x: object) -> object:
    """Return the shape in the token of an object."""
    token = tokens()[0].token(x)
    assert token[0] == id(x)
    return token[2]


def test_plain_values_are_themselves() -> None:
    for x in (None, True, 5, -(2**100), 1.5, "text", b"bytes"):
        assert tokens()[0].token(x) is x


def test_a_long_value_is_recorded_by_its_start() -> None:
    text = "a" * 5000
    assert tokens()[0].token(text) == ("long", "str", 5000, "a" * 256, hash(text))
    number = 1 << 5000
    assert tokens()[0].token(number)[:3] == ("long", "int", 5001)


def test_containers_are_recorded_with_their_first_elements() -> None:
    assert shape([1, "a", None]) == (3, (1, "a", None))
    assert shape(list(range(20))) == (20, tuple(range(12)))
    assert shape({"b", "a", 1}) == (3, (1, "a", "b"))
    assert shape({"a": 1, "b": 2}) == (2, ("a", 1, "b", 2))
    inner = [1, 2]
    assert shape((inner, 3))[1] == ((id(inner), 1, (2, None)), 3)  # type: ignore[index]
    assert shape(collections.OrderedDict(a=1)) == (1, ("a", 1))


def test_other_objects_are_recorded_with_their_name() -> None:
    class Color(enum.Enum):
        RED = 1

    class Text(str):
        pass

    assert shape(Color.RED) == "RED"
    assert shape(Text("x")) == "x"
    assert shape(tokens) == "tokens"
    assert shape(ValueTokens) == "ValueTokens"
    assert shape(gc) == "gc"
    assert shape(KeyError("k")) == ("KeyError", ("k",))
    values: list[int] = []
    assert shape(values.append) == ("append", id(values))
    assert shape(object()) is None


def known(x: object) -> object:
    """Return the shape of a value whose type is a known one."""
    maker, noted = tokens()
    found = maker.token(x)
    assert noted[-1][-1] == "known", x
    return found[2]


def test_a_known_value_is_recorded_with_the_arguments_that_make_it() -> None:
    utc = datetime.timezone.utc
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    assert known(datetime.date(2024, 5, 6)) == "2024, 5, 6"
    assert known(datetime.datetime(2024, 5, 6)) == "2024, 5, 6, 0, 0"
    moment = datetime.datetime(2024, 5, 6, 7, 8, 9, 10, utc)
    assert known(moment) == "2024, 5, 6, 7, 8, 9, 10, tzinfo=timezone(timedelta(0))"
    assert (
        known(datetime.time(7, 8, 9, tzinfo=berlin)) == "7, 8, 9, tzinfo=ZoneInfo('Europe/Berlin')"
    )
    assert known(datetime.timedelta(1, 5)) == "days=1, seconds=5"
    assert known(decimal.Decimal("1.50")) == "'1.50'"
    assert known(fractions.Fraction(2, 6)) == "1, 3"
    number = uuid.uuid4()
    assert known(number) == repr(str(number))
    for path in ("a/b", "/", "/etc/x", "."):
        assert known(pathlib.PurePosixPath(path)) == repr(path)
    assert known(re.compile("a+", re.I)) == "'a+', flags=2"
    assert known(re.search("a+", "baa")) == "span=(1, 3), match='aa'"
    assert known(1 + 2j) == "1.0, 2.0"


def test_a_known_value_runs_no_code_of_the_program() -> None:
    class Zone(datetime.tzinfo):
        def utcoffset(self, _: object) -> datetime.timedelta:
            raise AssertionError

        tzname = dst = utcoffset  # type: ignore[assignment]

    class Day(datetime.datetime):
        def __repr__(self) -> str:
            raise AssertionError

        @property
        def year(self) -> int:
            raise AssertionError

    class Text(str):
        def __repr__(self) -> str:
            raise AssertionError

    class Price(decimal.Decimal):
        def __str__(self) -> str:
            raise AssertionError

    assert str(known(Day(2024, 5, 6, tzinfo=Zone()))).endswith(".Zone>")
    assert known(Price("2")) == "'2'"
    assert known(re.match("a", Text("ab"))) == "span=(0, 1)"
    assert known(re.compile(Text("a"))) is None


def test_a_class_that_only_has_the_name_of_a_known_one_is_an_object() -> None:
    made = type("Decimal", (), {"__module__": "decimal", "__qualname__": "Decimal"})
    maker, noted = tokens()
    assert maker.token(made())[2] is None
    assert noted[-1][-1] == "object"


def test_a_type_is_noted_once() -> None:
    maker, noted = tokens()
    first, second = maker.token([1]), maker.token([2])
    assert first[1] == second[1] == 0
    assert [(number, name, kind) for number, _, name, _, _, kind in noted] == [(0, "list", "list")]


def test_a_deleted_type_is_forgotten() -> None:
    maker, noted = tokens()
    made = type("Made", (), {})
    maker.token(made())
    alive = weakref.ref(made)
    del made
    gc.collect()
    assert alive() is None
    assert maker.plain == {}
    assert len(noted) == 1
