"""Which steps does a shell command consist of, so that the first ones can be left out?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# With one of these words the command is a loop or a choice; `set` may let it end at a failure.
_KEYWORDS = re.compile(r"\b(?:do|then|in|function|set)\b")
# These change the state of the shell, as do assignments without a command.
_BUILTINS = re.compile(
    r"(?:\{ )?(?:(?:cd|pushd|popd|export|set|unset|umask|ulimit|alias|trap|eval|exec|exit|shift"
    r"|read|test|\[|:|\.|source|hash|local|readonly|command|builtin|true|false|!)(?=\s|;|$)"
    r"|(?:[A-Za-z_]\w*=(?:'[^']*'|\"[^\"]*\"|[^\s;'\"])*\s*)+(?:$|[;|&]))"
)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\`$]|\\.|\$(?!\())*\"", re.DOTALL)
_OPERATOR = re.compile(r"&&|\|\||;;|[;\n]")


@dataclass(frozen=True, slots=True)
class _Operator:
    """A place between two commands of a list."""

    start: int
    end: int
    text: str  # && or || or ;


def changes_the_shell(step: str) -> bool:
    """Must a step run each time, because later steps depend on what it does to the shell?"""
    return _BUILTINS.match(step) is not None


def split_steps(command: str) -> list[str]:
    """Split a shell command into steps; joined by `&&`, they do what the command does.

    A command that is not a plain list is one step.  Before a `;`, all is one step, which may fail.
    """
    operators = _operators(command)
    if operators is None:
        return [command]
    steps, start = [], 0
    for number, operator in enumerate(operators):
        later = operators[number + 1 :]
        if operator.text == ";":
            text = command[start : operator.start].strip()
            if text:
                steps.append(f"{{ {text} || :; }}")
        elif operator.text == "||" or any(each.text != "&&" for each in later):
            continue  # `a || b && c` is `(a || b) && c`
        else:
            steps.append(command[start : operator.start].strip())
        start = operator.end
    last = command[start:].strip(" \t\n;")
    return [*steps, last] if last and all(steps) else [command]


def _operators(command: str) -> list[_Operator] | None:
    """Return the operators between the commands of a list; None if it is no plain list."""
    bare = _QUOTED.sub(lambda found: "_" * len(found[0]), command)
    bare = re.sub(r"\$\{\w+\}|\\.", lambda found: "_" * len(found[0]), bare, flags=re.DOTALL)
    is_strange = re.search(r"['\"`#]|<<|;;|(?<!\S)[{}](?!\S)", bare) is not None
    flat = _without_parentheses(bare)
    if is_strange or flat is None or _KEYWORDS.search(flat):
        return None
    if re.search(r"(?<![&<>])&(?![&>\d])", flat):  # runs in the background
        return None
    return list(_found(flat))


def _found(flat: str) -> Iterator[_Operator]:
    for match in _OPERATOR.finditer(flat):
        is_end = match[0] in ";\n" and not flat[match.end() :].strip(" \t\n;")
        goes_on = match[0] == "\n" and flat[: match.start()].rstrip().endswith(("&", "|"))
        if not is_end and not goes_on:
            yield _Operator(match.start(), match.end(), ";" if match[0] in ";\n" else match[0])


def _without_parentheses(text: str) -> str | None:
    """Return the text with all that stands in parentheses masked; None if they do not match."""
    depth, masked = 0, []
    for letter in text:
        depth += letter == "("
        masked.append("_" if depth else letter)
        depth -= letter == ")"
        if depth < 0:
            return None
    return "".join(masked) if not depth else None
