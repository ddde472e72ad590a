"""How is a cause put into words on the interactive screen?

The words may come from the program under test.  All of them go through `escaped`, and into `Text`
objects, which are not parsed: a plain string would be read as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from rich.text import Text

from whence.model import Cause, Influence, Predicate, Statement

WORDS = {
    Influence.FAILURE: "the failure",
    Influence.DIRECT: "decided",
    Influence.INDIRECT: "could have changed",
    Influence.PREMISE: "premise",
    Influence.ADDRESS: "which memory",
}
_LINKS = {  # between a cause and the cause above it ("this")
    Influence.DIRECT: "decided that this ran",
    Influence.INDIRECT: "could have changed this by going the other way",
    Influence.PREMISE: "is assumed by the proof of this",
    Influence.ADDRESS: "says which memory this used",
}
_OUTCOMES = {"true": ("✓", "green"), "false": ("✗", "red")}

HELP = Text("""\
↑ ↓ j k   go to another line
→ enter   unfold, which computes the causes below; again: go to the first
←         fold; again: go to the cause above
tab       to the statements, to the source, and back to the tree
b         benign: this is correct, so hide the causes below
r         root: this is the fault; shows the path to the failure
p         show the path from this cause to the failure
e         open the source at the selected line in $VISUAL or $EDITOR
v         show all values of the selected statement
/         search in the causes computed so far; n, N: next, previous
q ctrl+c  quit; marks and unfolded causes are saved

✓ was true   ✗ was false   • had this value   x3 in 3 iterations of a loop
decided             it decided that a statement of the cause above ran
could have changed  by going the other way, it could have changed a value read there
premise             the proof of the cause above rests on it
which memory        it says which memory a statement of the cause above used""")


def escaped(text: str) -> str:
    """Return `text` with every character that is not printable written as an escape.

    The result cannot move the cursor, change the direction of writing or end the line.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def place_phrase(where: Predicate | Statement) -> str:
    """Return the file, without its folders, and the line; empty if unknown."""
    return escaped(f"{PurePath(where.file).name}:{where.line}") if where.file else ""


def outcome_phrase(predicate: Predicate) -> Text:
    """Return the predicate after a sign for its outcome: `✓ a > b`, `✗ p`, `• class = RIGHT`."""
    sign, style = _OUTCOMES.get(predicate.outcome, ("•", "cyan"))
    text = Text(end="").append(f"{sign} ", style=style).append(escaped(predicate.text))
    if predicate.outcome not in _OUTCOMES:
        text.append(f" = {escaped(predicate.outcome)}")
    return text


def values_of(where: Statement | Predicate) -> str:
    return escaped(", ".join(f"{name} = {value}" for name, value in where.values.items()))


def cause_sentence(cause: Cause) -> Text:
    """Return why the predicate held, then further facts about the cause."""
    text = Text(escaped(cause.because))
    facts = [f"in {escaped(cause.predicate.function)}"] if cause.predicate.function else []
    facts.append(_counted(cause.instances, "instruction"))
    if cause.times > 1:
        facts.append(f"stands for {cause.times:,} iterations of a loop")
    if cause.also:
        facts.append(f"also bears on {_counted(len(cause.also), 'other cause')}")
    if cause.children == ():
        facts.append("there are no causes below it")
    text.append(f"\n{', '.join(facts)}", style="dim")
    if not cause.is_proved:
        text.append("\nThe solver gave up: some of these statements may not matter.", "yellow")
    return text


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def statement_text(statement: Statement) -> Text:
    """Return everything known about a statement, one value on each line."""
    text = Text(escaped(statement.text.strip()), style="bold")
    where = escaped(f"{statement.file}:{statement.line}")
    inside = f" in {escaped(statement.function)}" if statement.function else ""
    text.append(f"\n{where}{inside}, ran {_counted(statement.instances, 'time')}\n", "not bold dim")
    widest = max(map(len, map(escaped, statement.values)), default=0)
    for name, value in statement.values.items():
        text.append(f"\n{escaped(name):{widest}}", "not bold")
        text.append(" = ", "not bold dim").append(escaped(value), "not bold green")
    if not statement.values:
        text.append("\nIt computed no value that has a name.", "not bold")
    return text


def path_text(steps: Sequence[Cause]) -> Text:
    """Return the path from a cause, the first of `steps`, to the failure."""
    text = Text()
    for number, cause in enumerate(steps):
        text.append_text(outcome_phrase(cause.predicate)).append(
            f"   {place_phrase(cause.predicate)}\n", "dim"
        )
        text.append(f"  {escaped(cause.because)}\n")
        if number + 1 < len(steps):
            text.append(f"  ↓ {_LINKS.get(cause.influence, 'bears on this')}\n", "cyan")
    text.rstrip()
    return text
