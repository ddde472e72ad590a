"""What did a parser of options make of the arguments?

The code of argparse is not recorded.  If one argument surely spells the value of an option, the
option is that argument's text or number.  Which argument belongs to which option is taken as
recorded, and the result says so; so are all other options.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from whence.inputs import InputByte, InputRange
from whence.paths.python.site import Site
from whence.paths.python.sources import InputValues
from whence.paths.python.values import AnyValue, Options, Text, taken

PARSERS = frozenset({"parse_args", "parse_known_args"})


def option_value(site: Site, inputs: InputValues, options: Options, name: str) -> AnyValue:
    """Return the value of the option `name`, which is the result of the site."""
    read = _read_by(inputs, options.read, name, site.result)
    text = None if read is None else inputs.text(read, inputs.spelling(read))
    if text is None or not text.value:
        return taken(site.result, options.unknowns)
    assert read is not None
    if isinstance(site.result, str):
        if not read.start and text.value[:1] != "-":
            inputs.keep_from(InputByte(read.source, 0), ord("-"))
        return Text(text.chars, text.unknowns | options.made, text.value)
    number = inputs.number(read, site.result)
    return replace(number, unknowns=number.unknowns | options.made)


def _read_by(
    inputs: InputValues, given: Sequence[InputRange], name: str, value: Any
) -> InputRange | None:
    """Return the argument, or the part of one, that surely is the value of an option.

    It stands behind the name of the option, or it alone among the others spells the value.
    """
    texts = [inputs.spelling(one) for one in given]
    is_named = [text.startswith("--") for text in texts]
    flag = f"--{name.replace('_', '-')}"
    for at, text in enumerate(texts):
        if text == flag and at + 1 < len(texts):
            return _value_in(inputs, given[at + 1], value)
        if text.startswith(f"{flag}="):
            return _value_in(inputs, given[at], value)
    others = [
        found
        for at, one in enumerate(given)
        if not is_named[at] and not (at and is_named[at - 1] and "=" not in texts[at - 1])
        and (found := _value_in(inputs, one, value)) is not None
    ]  # fmt: skip
    return others[0] if len(others) == 1 else None


def _value_in(inputs: InputValues, read: InputRange, value: Any) -> InputRange | None:
    """Return the part of an argument that spells a value: all of it, or what follows `=`."""
    if not inputs.is_free(read.source):
        return None
    text = inputs.spelling(read)
    start = text.find("=") + 1 if text.startswith("-") else 0
    for at in {0, start}:
        if _is_spelling(text[at:], value):
            return InputRange(read.source, read.start + len(text[:at].encode()), read.stop)
    return None


def _is_spelling(text: str, value: Any) -> bool:
    if isinstance(value, str):
        return text == value
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    try:
        return type(value)(text) == value
    except ValueError:
        return False
