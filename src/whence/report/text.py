"""How is the result of `whence isolate` shown in a terminal?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from whence.model import ChangeKind, Reported, Result
from whence.report.document import diff_lines
from whence.report.lines import shown_place

_MAX_LINES = 40  # shown of one change; guessed: about a screen
ALSO_REVERTED = "also reverted, so that the program builds and runs"  # of auxiliary changes

KINDS = {
    ChangeKind.ADD: "new file",
    ChangeKind.DELETE: "deleted file",
    ChangeKind.RENAME: "renamed",
    ChangeKind.MODE: "executable bit",
    ChangeKind.REPLACE: "replaced",
}


def to_text(result: Result) -> RenderableType:
    """Return the report, the most important part first."""
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
        yield Text(f"{count}, {ALSO_REVERTED}:")
        for change in result.auxiliary:
            yield Text()
            yield from _change(change, numbered=numbered)
    if result.alternatives:
        yield Text()
        sets = "; ".join("{" + ", ".join(map(str, ids)) + "}" for ids in result.alternatives)
        yield Text(f"Other sets of changes whose reverting makes the test pass (by number): {sets}")
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
    """Return what failed, and where."""
    failure = result.failure
    if not failure.file or not failure.line:
        return failure.message
    return f"{failure.message}  ({shown_place(failure.file, failure.line)})"


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
    lines = diff_body(change)
    yield place
    for line in lines[:_MAX_LINES]:
        yield Text.assemble("  ", (line, diff_style(line)))
    if len(lines) > _MAX_LINES:
        yield Text(f"  … {len(lines) - _MAX_LINES} more lines (--patch has them all)", "dim")


def diff_body(change: Reported) -> list[str]:
    """Return the diff of a change, without a `@@` line if it would repeat the place above."""
    has_one_place = len(change.hunks) == 1 and change.kind is ChangeKind.EDIT
    return diff_lines(change)[has_one_place:]


def diff_style(line: str) -> str:
    """Return the colour of a line of a diff."""
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "default")


def cost_line(result: Result, recorded: int = 0) -> str:
    """Return what the answer cost; `recorded` of the runs were recorded."""
    cached = f", {result.cached} outcomes known from earlier runs" if result.cached else ""
    builds = f", {counted(result.builds, 'build')}" if result.builds else ""
    if result.rejected:
        builds += f", {counted(result.rejected, 'variant')} rejected before the build"
    seconds = result.seconds.get("total", 0.0)
    recordings = f" ({recorded} recorded)" if recorded else ""
    cost = f"{counted(result.runs, 'run')}{recordings}{builds}{cached}, {seconds:.1f} s"
    if result.executed is None:
        return cost
    return f"{cost}; the test executes {result.executed} of {result.total} changes"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as `1 run` or `3 runs`."""
    return f"{number} {noun}" + ("" if number == 1 else "s")
