"""How is a cause said on the interactive screen?

What is said may come from the program under test.  All of it goes through `literal`, and into
`Text` objects, whose content nobody parses: a plain string would be read as markup.
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
_LINKS = {  # from a cause to the one that it bears on
    Influence.DIRECT: "decided that this ran",
    Influence.INDIRECT: "could, gone the other way, have changed this",
    Influence.PREMISE: "is what the proof of this rests on",
    Influence.ADDRESS: "says which memory this used",
}
_OUTCOMES = {"true": ("✓", "green"), "false": ("✗", "red")}

HELP = Text("""\
↑ ↓ j k   go to another line
→ enter   unfold, which computes the causes below; again: go to the first
←         fold; again: go to the cause above
tab       to the statements, to the source, and back to the tree
b         benign: it is as it should be, so what leads to it goes away
r         root: this is the fault; shows how the damage travels from it
p         how the damage travels from here to the failure
e         open the source at the selected line in $VISUAL or $EDITOR
v         all values of the selected statement
/         search in the causes computed so far; n, N: next, previous
q ctrl+c  quit; marks, and what is unfolded, are kept

✓ was true   ✗ was false   • had this value   x3 in 3 turns of a loop
decided             it decided that a statement of the cause above ran
could have changed  gone the other way, it could have changed what one read
premise             the proof of the cause above rests on it
which memory        it says which memory a statement there read or wrote""")


def escaped(text: str) -> str:
    """Return `text` with everything that does not print written as an escape.

    Nothing of it can move the cursor, turn the direction of writing or end the line.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def place_phrase(where: Predicate | Statement) -> str:
    """The file, without its folders, and the line; empty if unknown."""
    return escaped(f"{PurePath(where.file).name}:{where.line}") if where.file else ""


def holds(predicate: Predicate) -> Text:
    """The predicate after a sign for what it was: `✓ a > b`, `✗ p`, `• class = RIGHT`."""
    sign, style = _OUTCOMES.get(predicate.outcome, ("•", "cyan"))
    text = Text(end="").append(f"{sign} ", style=style).append(escaped(predicate.text))
    if predicate.outcome not in _OUTCOMES:
        text.append(f" = {escaped(predicate.outcome)}")
    return text


def values_of(where: Statement | Predicate) -> str:
    return escaped(", ".join(f"{name} = {value}" for name, value in where.values.items()))


def cause_sentence(cause: Cause) -> Text:
    """Why the predicate held, then what else there is to know about the cause."""
    text = Text(escaped(cause.because))
    facts = [f"in {escaped(cause.predicate.function)}"] if cause.predicate.function else []
    facts.append(_counted(cause.instances, "instruction"))
    if cause.times > 1:
        facts.append(f"stands for {cause.times:,} turns of a loop")
    if cause.also:
        facts.append(f"bears on {_counted(len(cause.also), 'other cause')} too")
    if cause.children == ():
        facts.append("nothing else leads to it")
    text.append(f"\n{', '.join(facts)}", style="dim")
    if not cause.is_proved:
        text.append("\nThe solver gave up: some of these statements may not matter.", "yellow")
    return text


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def everything(statement: Statement) -> Text:
    """All that is known of a statement, one value a line."""
    text = Text(escaped(statement.text.strip()), style="bold")
    where = escaped(f"{statement.file}:{statement.line}")
    inside = f" in {escaped(statement.function)}" if statement.function else ""
    text.append(f"\n{where}{inside}, ran {_counted(statement.instances, 'time')}\n", "not bold dim")
    widest = max(map(len, map(escaped, statement.values)), default=0)
    for name, value in statement.values.items():
        text.append(f"\n{escaped(name):{widest}}", "not bold")
        text.append(" = ", "not bold dim").append(escaped(value), "not bold green")
    if not statement.values:
        text.append("\nIt computed nothing that has a name.", "not bold")
    return text


def travel(steps: Sequence[Cause]) -> Text:
    """How the damage travels: `steps` leads from a cause to the failure."""
    text = Text()
    for number, cause in enumerate(steps):
        text.append_text(holds(cause.predicate)).append(
            f"   {place_phrase(cause.predicate)}\n", "dim"
        )
        text.append(f"  {escaped(cause.because)}\n")
        if number + 1 < len(steps):
            text.append(f"  ↓ {_LINKS.get(cause.influence, 'bears on this')}\n", "cyan")
    text.rstrip()
    return text
