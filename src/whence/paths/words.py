"""How are the conditions and the result of a run described in the words of the source?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from whence.program.source import NamedValue
from whence.subject.command import Ended

MAX_PARTS = 12  # conditions that a sentence lists; guessed
_MAX_OUTPUT = 60  # characters of an output in a sentence; guessed
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_COMPARISON = re.compile(r"(?<![<>=!-])(==|!=|<=|>=|<|>)(?![<>=])")
_CONNECTIVE = re.compile(r"&&|\|\||\band\b|\bor\b|\bnot\b|[?:]")
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")


def branch_words(text: str, *, is_true: bool, negation: str = "!") -> str:
    """Return a tested condition so that it holds: `x > y`, or `x <= y` if it was false."""
    if is_true:
        return text
    inner = _without_negation(text, negation)
    if inner is not None:
        return inner
    plain = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), text)
    found = list(_COMPARISON.finditer(plain))
    if len(found) == 1 and not _CONNECTIVE.search(plain) and _is_outside(plain, found[0].start()):
        sign = found[0]
        return f"{text[: sign.start()]}{_OPPOSITE[sign[1]]}{text[sign.end() :]}"
    is_simple = re.fullmatch(r"[\w.\->]+(\(.*\)|\[.*\])*", text)
    space = " " if negation.isalpha() else ""
    return f"{negation}{space}{text}" if is_simple else f"{negation}{space}({text})"


def _without_negation(text: str, negation: str) -> str | None:
    """Return what a negated name or call negates; None if the text is something else."""
    rest = text.removeprefix(negation).strip()
    if not text.startswith(negation) or text.startswith("!="):
        return None
    if negation.isalpha() and not text.removeprefix(negation).startswith((" ", "(")):
        return None  # a name that begins so
    plain = _QUOTED.sub(lambda quoted: "_" * len(quoted[0]), rest)
    if _is_in_brackets(plain):
        return rest[1:-1]
    is_weak = text.startswith("not ") and not _CONNECTIVE.search(plain)  # `not a < b` is `a >= b`
    return rest if is_weak or re.fullmatch(r"[\w.\->]+(\([^()]*\))?", rest) else None


def _is_in_brackets(text: str) -> bool:
    """Do the first and the last character of a text belong together as brackets?"""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return at == len(text) - 1 and at > 0
    return False


def _is_outside(text: str, at: int) -> bool:
    """Is a place of an expression outside of all brackets?"""
    before = text[:at]
    return all(before.count(a) == before.count(b) for a, b in ("()", "[]"))


def case_words(named: NamedValue) -> str:
    """Return which case of a switch was taken."""
    return f"{named.name} == {named.value}"


def conjuncts(parts: Sequence[str]) -> tuple[str, ...]:
    """Return conditions as parts of a sentence; one that holds several times is listed once."""
    counts: dict[str, int] = {}
    for part in parts:
        counts[part] = counts.get(part, 0) + 1
    return tuple(f"{part} ({n} times)" if n > 1 else part for part, n in counts.items())


def conjunction(listed: Sequence[str], most: int = MAX_PARTS) -> str:
    """Return the parts of a condition as one sentence."""
    if len(listed) > most:
        listed = [*listed[: most - 1], f"{len(listed) - most + 1} more conditions"]
    return " and ".join(listed) or "inputs of these lengths"


def result_words(ended: Ended, printed: str | None = None) -> str:
    """Return how a run ended: what it printed, and its status unless that is 0.

    `printed` is the output in the words of the source, if it is known.
    """
    if ended.timed_out:
        return "does not end"
    shown = printed or shown_output(ended.stdout)
    said = f"prints {shown}" if ended.stdout else "prints nothing"
    if ended.status > 128:
        return f"{said}, then is killed by signal {ended.status - 128}"
    return f"{said}, exit status {ended.status}" if ended.status else said


def shown_output(output: bytes) -> str:
    """Return an output on one line, in quotes unless it is a plain word; a long one is cut."""
    text = output.decode("utf-8", "backslashreplace").removesuffix("\n")
    if len(text) > _MAX_OUTPUT:
        text = f"{text[: _MAX_OUTPUT - 1]}…"
    return text if re.fullmatch(r"[\w.+-]+", text) else in_quotes(text)


def in_quotes(text: str) -> str:
    """Return a text as a literal on one line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
