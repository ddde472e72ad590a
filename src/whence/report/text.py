"""The answer for people, in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from whence.model import ChangeKind, Reported, Result
from whence.report.document import diff_lines

_MOST_LINES = 40  # of one change; the patch has it whole

KINDS = {
    ChangeKind.ADD: "new file",
    ChangeKind.DELETE: "deleted file",
    ChangeKind.RENAME: "renamed",
    ChangeKind.MODE: "executable bit",
    ChangeKind.REPLACE: "replaced",
}


def to_text(result: Result) -> RenderableType:
    """Return what there is to say, most important first."""
    return Group(*_paragraphs(result))


def _paragraphs(result: Result) -> Iterator[RenderableType]:
    yield _headline(result)
    yield Text.assemble(("failure  ", "dim"), failure_line(result))
    if result.reason:
        yield Text.assemble(("note     ", "dim"), (result.reason, "yellow"))
    for note in result.notes:
        yield Text.assemble(("note     ", "dim"), (note, "yellow"))
    numbered = bool(result.alternatives)
    for change in result.root:
        yield Text()
        yield from _change(change, numbered=numbered)
    if result.auxiliary:
        yield Text()
        count = counted(len(result.auxiliary), "auxiliary change")
        yield Text(f"{count}, to be reverted too, or the program does not hold together:")
        for change in result.auxiliary:
            yield Text()
            yield from _change(change, numbered=numbered)
    if result.alternatives:
        yield Text()
        sets = "; ".join("{" + ", ".join(map(str, ids)) + "}" for ids in result.alternatives)
        yield Text(f"Other sets that make the test pass when reverted (change numbers): {sets}")
    yield Text()
    yield Text(cost_line(result), style="dim")


def _headline(result: Result) -> Text:
    found = counted(len(result.root), "change")
    if result.status == "unexplained":
        return Text(f"Not isolated: {found} left of {result.total}.", style="bold yellow")
    several = len(result.root) > 1
    them = "them" if several else "it"
    auxiliary = counted(len(result.auxiliary), "auxiliary change")
    also = f" and {auxiliary}" if result.auxiliary else ""
    all_needed = several and result.reason is None
    each = f"; with any of the {len(result.root)} left in, it does not" if all_needed else ""
    return Text.assemble(
        (f"{found} of {result.total} broke the test.", "bold"),
        f" With {them}{also} reverted, it passes{each}.",
    )


def failure_line(result: Result) -> str:
    """What failed, and where."""
    failure = result.failure
    where = f"  ({failure.file}:{failure.line})" if failure.file and failure.line else ""
    return f"{failure.message}{where}"


def _change(change: Reported, *, numbered: bool) -> Iterable[RenderableType]:
    place = Text(change.file, style="bold cyan")
    if change.kind is ChangeKind.EDIT:
        place.append(f":{max(change.new.start, 1)}")
    if change.function:
        place.append(f"  in {change.function}", style="default")
    if change.kind in KINDS:
        place.append(f"  ({KINDS[change.kind]})", style="default")
    if numbered:
        place.append(f"   change {change.id}", style="dim")
    lines = told_lines(change)
    yield place
    for line in lines[:_MOST_LINES]:
        yield Text.assemble("  ", (line, diff_style(line)))
    if len(lines) > _MOST_LINES:
        yield Text(f"  … {len(lines) - _MOST_LINES} more lines (--patch has them all)", "dim")


def told_lines(change: Reported) -> list[str]:
    """Its diff, below a line that has told where it is."""
    is_told = len(change.hunks) == 1 and change.kind is ChangeKind.EDIT
    return diff_lines(change)[is_told:]


def diff_style(line: str) -> str:
    """How a line of a diff is coloured."""
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "default")


def cost_line(result: Result, recorded: int = 0) -> str:
    """What the answer took; some of the runs were recorded."""
    cached = f", {result.cached} outcomes known from before" if result.cached else ""
    builds = f", {counted(result.builds, 'build')}" if result.builds else ""
    seconds = result.seconds.get("total", 0.0)
    recordings = f" ({recorded} recorded)" if recorded else ""
    cost = f"{counted(result.runs, 'run')}{recordings}{builds}{cached}, {seconds:.1f} s"
    if result.executed is None:
        return cost
    return f"{cost}; the test executes {result.executed} of {result.total} changes"


def counted(number: int, noun: str) -> str:
    """Return such as `1 run` or `3 runs`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
