"""What do functions of the C library compute from the bytes that they read?

A model sets the term of what a call returned, or of the bytes that it left in memory.  It returns
False where it does not know: then the result is taken as recorded, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import z3

from whence.inputs import InputByte
from whence.paths.c import numbers, reals
from whence.paths.c.calls import MAX_STRING, LibraryCall, bits, unknowns_of
from whence.paths.c.options import next_option
from whence.paths.c.scanf import scanned
from whence.paths.c.tables import FIRST_BYTE
from whence.paths.c.tokens import next_token
from whence.paths.c.values import Value
from whence.paths.terms import Fact, Term
from whence.program.rows import INPUT, WRITE

# --- strings -------------------------------------------------------------------------------------


def _first(tests: Sequence[Any], results: Sequence[Any], other: Any) -> Any:
    """Return the result at the first test that holds."""
    found = other
    for test, result in zip(reversed(tests), reversed(results), strict=True):
        found = z3.If(test, result, found)
    return found


def _strlen(call: LibraryCall) -> bool:
    text = call.string(call.recorded(0))
    if text is None:
        return False
    limit = call.recorded(1) if call.name == "strnlen" else len(text)
    text = text[:limit]
    width = call.width
    tests = [bits(byte, 8) == 0 for byte in text]
    places = [z3.BitVecVal(k, width) for k in range(len(text))]
    found = _first(tests, places, z3.BitVecVal(min(limit, len(text)), width))
    return call.returns(_folded(found, unknowns_of(text)))


def _folded(term: Any, unknowns: int) -> Term | None:
    """Return a term, or None if it does not depend on its unknowns."""
    simple = z3.simplify(term)
    return None if z3.is_bv_value(simple) else Term(simple, unknowns)


def _lowered(byte: Any) -> Any:
    is_upper = z3.And(z3.UGE(byte, ord("A")), z3.ULE(byte, ord("Z")))
    return z3.If(is_upper, byte + 32, byte)


def _compared(call: LibraryCall) -> bool:
    """strcmp, strncmp, strcasecmp, strncasecmp, memcmp, bcmp."""
    is_memory = call.name in ("memcmp", "bcmp")
    has_limit = is_memory or call.name in ("strncmp", "strncasecmp")
    limit = call.recorded(2) if has_limit else None
    texts: list[list[Value] | None] = []
    for number in (0, 1):
        address = call.recorded(number)
        if is_memory:
            assert limit is not None
            found: list[Value] = call.memory(address, limit) if limit <= MAX_STRING else [None]
            texts.append(None if None in found else found)
        else:
            texts.append(call.string(address, limit))
    if texts[0] is None or texts[1] is None:
        return False
    for own, other in ((texts[0], texts[1]), (texts[1], texts[0])):
        call.notes_text(own, other, ends_with_zero=not is_memory)
    folds = "case" in call.name
    pairs = list(zip(*texts, strict=False))[:limit]
    width, unknowns = call.width, 0
    found = z3.BitVecVal(0, width)
    sign = _sign_of(call, pairs, folds)
    for one, other in reversed(pairs):
        unknowns |= unknowns_of([one, other])
        a, b = bits(one, 8), bits(other, 8)
        if folds:
            a, b = _lowered(a), _lowered(b)
        difference = z3.ZeroExt(width - 8, a) - z3.ZeroExt(width - 8, b)
        if sign:
            one_bit = z3.BitVecVal(1, width)
            difference = z3.If(z3.ULT(a, b), -one_bit, one_bit)
        rest = found if is_memory else z3.If(a == 0, z3.BitVecVal(0, width), found)
        found = z3.If(a == b, rest, difference)
    return call.returns(_folded(found, unknowns))


def _sign_of(call: LibraryCall, pairs: Sequence[tuple[Value, Value]], folds: bool) -> bool:
    """Does this library return a sign, and not the difference of two bytes?"""
    result = call.result - (1 << call.width) if call.result >> (call.width - 1) else call.result
    if result in (0,) or abs(result) > 1:
        return False
    for pair in pairs:
        a, b = (_recorded_byte(call, value) for value in pair)
        if folds:
            a, b = (x + 32 if 65 <= x <= 90 else x for x in (a, b))
        if a != b:
            return abs(a - b) != 1
    return False


def _recorded_byte(call: LibraryCall, value: Value) -> int:
    if not isinstance(value, Term):
        return value or 0
    pairs = [(one.term, _same_sort(one)) for one in call.of.unknowns.members(value.unknowns)]
    found = z3.simplify(z3.substitute(value.term, *pairs))
    return found.as_long() if z3.is_bv_value(found) else 0


def _same_sort(one: Any) -> Any:
    return z3.BitVecVal(one.recorded, one.term.size())


def _searched(call: LibraryCall) -> bool:
    """strchr, strrchr, memchr, strchrnul: a pointer to a byte, or null."""
    address, wanted = call.recorded(0), call.argument(1)
    if wanted is None:
        return False
    is_memory = call.name == "memchr"
    text = call.memory(address, call.recorded(2)) if is_memory else call.string(address)
    if text is None or None in text or len(text) > MAX_STRING:
        return False
    width = call.width
    target = z3.Extract(7, 0, wanted.term) if isinstance(wanted, Term) else wanted & 0xFF
    null = z3.BitVecVal(0, width)
    found, unknowns = null, unknowns_of([*text, wanted])
    places = list(enumerate(text))
    for place, byte in reversed(places):
        at = z3.BitVecVal(address + place, width)
        here, is_end = bits(byte, 8) == target, bits(byte, 8) == 0
        if call.name in ("strrchr", "rindex"):
            # The last match before the end: later bytes count only if this is not the end.
            later = found
            found = z3.If(
                is_end, z3.If(here, at, null), z3.If(later != null, later, z3.If(here, at, null))
            )
        elif is_memory:
            found = z3.If(here, at, found)
        else:
            missing = at if call.name == "strchrnul" else null
            found = z3.If(here, at, z3.If(is_end, missing, found))
    return call.returns(_folded(found, unknowns))


def _spanned(call: LibraryCall) -> bool:
    """strspn, strcspn and strpbrk."""
    address = call.recorded(0)
    text, members = call.string(address), call.string(call.recorded(1))
    if text is None or members is None or any(isinstance(byte, Term) for byte in members):
        return False
    wanted = [byte for byte in members if byte]
    width = call.width
    stops = []
    for byte in text:
        one = bits(byte, 8)
        is_member = z3.Or([one == other for other in wanted]) if wanted else z3.BoolVal(False)
        ends = z3.Not(is_member) if call.name == "strspn" else is_member
        stops.append(z3.Or(one == 0, ends))
    if call.name == "strpbrk":
        null = z3.BitVecVal(0, width)
        places = [
            z3.If(bits(byte, 8) == 0, null, z3.BitVecVal(address + k, width))
            for k, byte in enumerate(text)
        ]
        found = _first(stops, places, null)
    else:
        places = [z3.BitVecVal(k, width) for k in range(len(text))]
        found = _first(stops, places, places[-1])
    return call.returns(_folded(found, unknowns_of(text)))


def _found_text(call: LibraryCall) -> bool:
    """strstr."""
    address = call.recorded(0)
    text, what = call.string(address), call.string(call.recorded(1))
    if text is None or what is None or any(isinstance(byte, Term) for byte in what):
        return False
    wanted = what[:-1]
    if len(text) * len(wanted) > MAX_STRING:
        return False
    width = call.width
    null = z3.BitVecVal(0, width)
    found = null
    for place in reversed(range(len(text))):
        parts = text[place : place + len(wanted)]
        at = z3.BitVecVal(address + place, width)
        here = z3.BoolVal(len(parts) == len(wanted))
        if len(parts) == len(wanted):
            here = z3.And([bits(a, 8) == bits(b, 8) for a, b in zip(parts, wanted, strict=True)])
        found = z3.If(here, at, z3.If(bits(text[place], 8) == 0, null, found))
    return call.returns(_folded(found, unknowns_of(text)))


# --- characters ----------------------------------------------------------------------------------

_CLASSES: dict[str, str] = {
    "isdigit": "09", "isupper": "AZ", "islower": "az", "isalpha": "AZaz", "isalnum": "09AZaz",
    "isxdigit": "09AFaf", "isspace": "\t\r  ", "isblank": "\t\t  ", "isprint": " ~",
    "isgraph": "!~", "ispunct": "!/:@[`{~", "iscntrl": "\0\x1f\x7f\x7f",
}  # fmt: skip


def _classified(call: LibraryCall) -> bool:
    """isdigit and the like, as calls: any number that is not zero stands for true."""
    value = call.argument(0)
    if not isinstance(value, Term):
        return True
    ranges = _CLASSES[call.name]
    pairs = [(ord(ranges[k]), ord(ranges[k + 1])) for k in range(0, len(ranges), 2)]
    tests = [z3.And(value.term >= low, value.term <= high) for low, high in pairs]
    width = call.width
    true = call.result or 1
    found = z3.If(z3.Or(tests), z3.BitVecVal(true, width), z3.BitVecVal(0, width))
    return call.returns(Term(found, value.unknowns))


def _converted(call: LibraryCall) -> bool:
    """toupper and tolower; what they make of a negative number is that of the byte."""
    value = call.argument(0)
    if not isinstance(value, Term):
        return True
    low, high, more = ("a", "z", -32) if call.name == "toupper" else ("A", "Z", 32)
    term = value.term
    is_letter = z3.And(term >= ord(low), term <= ord(high))
    is_negative = z3.And(term >= FIRST_BYTE, term < -1)
    other = z3.If(is_negative, term + 256, term)
    return call.returns(Term(z3.If(is_letter, term + more, other), value.unknowns))


def _character(call: LibraryCall) -> bool:
    """getchar and the like: the byte, or EOF where the input ended."""
    flow = call.flow
    for number in flow.queries.effects_of(call.step):
        row = flow.thread.stream.effects[number]
        if row["kind"] == INPUT and int(row["len"]) == 1:
            source = flow.source_of(int(row["source"]))
            value = call.of.byte(InputByte(source, int(row["offset"])))
            if isinstance(value, Term):
                return call.returns(Term(z3.ZeroExt(call.width - 8, value.term), value.unknowns))
    return True


def _line(call: LibraryCall) -> bool:
    """fgets, getline and getdelim: bytes before the end of the line are no newlines.

    What fgets reads behind a zero byte is not recorded, so such a byte stays none.
    """
    flow = call.flow
    for number in flow.queries.effects_of(call.step):
        row = flow.thread.stream.effects[number]
        if row["kind"] != INPUT or not int(row["len"]):
            continue
        source = flow.source_of(int(row["source"]))
        start, size = int(row["offset"]), int(row["len"])
        if row["addr"]:
            call.of.written[call.step, int(row["addr"]) + size] = 0
        contents = call.of.contents.get(source)
        if source not in call.of.free or contents is None:
            continue
        last = start + size - 1
        for offset in range(start, start + size):
            value = call.of.byte(InputByte(source, offset))
            if not isinstance(value, Term) or offset >= len(contents):
                continue
            is_end = offset == last and contents[offset] == ord("\n")
            if offset < last or is_end:
                newline = value.term == ord("\n")
                formula = newline if is_end else z3.Not(newline)
                if call.name.startswith("fgets"):
                    formula = z3.And(formula, value.term != 0)
                fact = Fact(formula, value.unknowns)
                call.of.unknowns.add_fact(InputByte(source, offset), fact)
    return True


def _filled(call: LibraryCall) -> bool:
    """memset: all bytes are the same."""
    value = call.argument(1)
    for number in (0, 2):
        call.recorded(number)
    if isinstance(value, Term):
        byte = Term(z3.Extract(7, 0, value.term), value.unknowns)
        for number in call.flow.queries.effects_of(call.step):
            row = call.flow.thread.stream.effects[number]
            if row["kind"] == WRITE:
                for offset in range(int(row["len"])):
                    call.of.written[call.step, int(row["addr"]) + offset] = byte
    return True


def _absolute(call: LibraryCall) -> bool:
    value = call.argument(0)
    if isinstance(value, Term):
        call.returns(Term(z3.If(value.term < 0, -value.term, value.term), value.unknowns))
    return True


def _unaffected(call: LibraryCall) -> bool:
    """malloc, fputs and the like: what they return is no matter of the inputs."""
    del call
    return True


def _put_character(call: LibraryCall) -> bool:
    """putchar, ungetc and the like return the byte that they got."""
    value = call.argument(0)
    if isinstance(value, Term):
        byte = z3.ZeroExt(call.width - 8, z3.Extract(7, 0, value.term))
        return call.returns(Term(byte, value.unknowns))
    return True


Model = Callable[[LibraryCall], bool]
MODELS: dict[str, Model] = {
    **dict.fromkeys(("strlen", "strnlen"), _strlen),
    **dict.fromkeys(
        ("strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp", "bcmp"), _compared
    ),
    **dict.fromkeys(("strchr", "strrchr", "index", "rindex", "memchr", "strchrnul"), _searched),
    **dict.fromkeys(("strspn", "strcspn", "strpbrk"), _spanned),
    "strstr": _found_text,
    **dict.fromkeys(_CLASSES, _classified),
    **dict.fromkeys(("toupper", "tolower"), _converted),
    **dict.fromkeys(
        ("getchar", "getc", "fgetc", "_IO_getc", "getc_unlocked", "getchar_unlocked",
         "fgetc_unlocked"), _character,
    ),
    **dict.fromkeys(("fgets", "fgets_unlocked", "getline", "getdelim", "__getdelim"), _line),
    **dict.fromkeys(("abs", "labs", "llabs"), _absolute),
    "memset": _filled,
    **dict.fromkeys(
        ("malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "free", "cfree", "puts",
         "fputs", "fwrite", "fflush", "fclose", "write", "perror", "_Znwm", "_Znam", "_ZdlPv",
         "_ZdlPvm", "_ZdaPv"), _unaffected,
    ),
    **dict.fromkeys(
        ("putchar", "putc", "fputc", "_IO_putc", "putchar_unlocked", "putc_unlocked", "ungetc",
         "_IO_ungetc"), _put_character,
    ),
    **dict.fromkeys(
        ("atoi", "atol", "atoll", "strtol", "strtoul", "strtoll", "strtoull", "strtoimax",
         "strtoumax"), numbers.parsed,
    ),
    **dict.fromkeys(("strtod", "strtof", "atof"), reals.parsed_real),
    **dict.fromkeys(("getopt", "getopt_long"), next_option),
    **dict.fromkeys(("scanf", "fscanf", "sscanf"), scanned),
    **dict.fromkeys(("strtok", "strtok_r", "__strtok_r", "strsep"), next_token),
}  # fmt: skip
