"""How is a cause tree shown: as text, and as JSON?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from rich.text import Text

from whence.model import Cause, Influence, Mark, Predicate, Statement, WhyResult
from whence.report.cause_way import way_of
from whence.report.document import VERSION, failure_document
from whence.report.lines import SCREEN, TextLines, plain_text, shown_place
from whence.report.text import counted

_MAX_ALSO = 3  # numbers of other causes that a cause bears on; guessed
# Limits on the lines of a tree that is shortened to one screen; all guessed.
_MAX_MESSAGE = 2  # of the failure's message
_MAX_TITLE = 2  # of the title of a cause
_MAX_BECAUSE = 3  # of the sentences of a cause
_MAX_STATEMENTS = 5  # statements of a cause

BEARING = {
    Influence.FAILURE: "the failure",
    Influence.DIRECT: "decided that it ran",
    Influence.INDIRECT: "could have changed what it read",
    Influence.PREMISE: "its proof rests on this",
    Influence.ADDRESS: "says which memory it used",
}
"""How a predicate bears on the cause above it in the tree; "it" is that cause."""


def in_order(causes: Sequence[Cause], without: AbstractSet[int] = frozenset()) -> Iterator[Cause]:
    """Yield every cause, followed by all causes below it, except those below `without`."""
    known = {cause.id: cause for cause in causes}
    waiting = [cause for cause in reversed(causes) if cause.parent is None]
    while waiting:
        cause = waiting.pop()
        yield cause
        if cause.id not in without:
            below = [known[n] for n in cause.children or () if n in known]
            # A predicate that bears on several causes is below one of them, its parent.
            waiting += reversed([child for child in below if child.parent == cause.id])


def tree_summary(result: WhyResult) -> str:
    """Return how much there is to read."""
    lines = {(s.file, s.line) for cause in result.causes for s in cause.statements}
    causes = counted(len(result.causes), "cause")
    return f"{causes}, naming {len(lines):,} of the {result.of_lines:,} lines that ran"


def cause_place(of: Predicate | Statement) -> str:
    """Return the place, such as `shape.c:12`; empty if it is unknown."""
    return shown_place(of.file, of.line) if of.file else ""


def listed(values: Mapping[str, str]) -> str:
    """Return the values as text, such as `a = 6, b = 5`."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


# --- JSON ------------------------------------------------------------------------------------


def why_document(result: WhyResult) -> dict[str, Any]:
    """Return the JSON of `whence why`."""
    is_recorded_now = "trace" in result.seconds  # otherwise an earlier recording was used
    return {
        "whence": VERSION,
        "command": "why",
        "status": result.status,
        "reason": result.reason,
        "failure": failure_document(result.failure),
        "changes": None,
        "root": [],
        "auxiliary": [],
        "alternatives": [],
        "causes": [cause_document(cause) for cause in result.causes],
        "marks": {str(number): mark.value for number, mark in sorted(result.marks.items())},
        "of": {"steps": result.of_steps, "lines": result.of_lines},
        "notes": list(result.notes),
        "cost": {
            "runs": int(is_recorded_now),
            "builds": int(is_recorded_now),
            "cached": int(not is_recorded_now),
            "solver_calls": result.solver_calls,
            "trace_events": result.events,
            "seconds": {phase: round(s, 3) for phase, s in result.seconds.items()},
        },
    }


def cause_document(cause: Cause) -> dict[str, Any]:
    """Return a cause as plain data."""
    return {
        "id": cause.id,
        "key": cause.key,
        "parent": cause.parent,
        "level": cause.level,
        "influence": cause.influence.value,
        "predicate": {**vars(cause.predicate)},
        "because": cause.because,
        "statements": [{**vars(statement)} for statement in cause.statements],
        "instances": cause.instances,
        "times": cause.times,
        "also": list(cause.also),
        "children": None if cause.children is None else list(cause.children),
        "is_proved": cause.is_proved,
        "is_cut": cause.is_cut,
        "changes": list(cause.changes),
        "about": list(cause.about) if cause.about else None,
        "missing": [
            {
                "statement": {**vars(missing.statement)},
                "file": missing.file,
                "line": missing.line,
                "changes": list(missing.changes),
            }
            for missing in cause.missing
        ],
    }


# --- text ------------------------------------------------------------------------------------


def why_text(result: WhyResult, *, width: int, everything: bool = False) -> Text:
    """Return the tree for a terminal of this width, without causes below a benign one.

    A tree that does not fit on one screen is shortened to the causes on the way of the failing
    value, unless `everything` is asked for.
    """
    benign = {number for number, mark in result.marks.items() if mark is Mark.BENIGN}
    causes = list(in_order(result.causes, benign))
    hidden = _hidden(len(result.causes) - len(causes))
    page = None
    if everything or len(causes) < SCREEN:
        page = _text_of(result, causes, [hidden], width, is_short=False)
    if page is None or (len(page.lines) > SCREEN and not everything):
        page = _shortened(result, causes, hidden, width)
    text = page.text
    text.rstrip()
    return text


def _shortened(result: WhyResult, causes: Sequence[Cause], hidden: str, width: int) -> TextLines:
    """Return the causes on the way and those that the user marked, as far as a screen has room."""
    benign = {number for number, mark in result.marks.items() if mark is Mark.BENIGN}
    way = way_of(causes, benign)
    marked = [cause for cause in causes if cause.id in result.marks]
    wanted = [cause.id for cause in (*way[:1], *marked, *way[1:])][:SCREEN]
    while True:
        shown = [cause for cause in causes if cause.id in wanted]
        notes = [_left_out(len(causes) - len(shown)), hidden]
        page = _text_of(result, shown, notes, width, is_short=True)
        if len(page.lines) <= SCREEN or len(shown) <= 1:
            return page
        wanted.pop()


def _text_of(
    result: WhyResult,
    causes: Sequence[Cause],
    remarks: Sequence[str],
    width: int,
    *,
    is_short: bool,
) -> TextLines:
    page = TextLines(width)
    page.add(_headline(result))
    if result.failure.message != result.point:
        message = Text(plain_text(result.failure.message))
        page.add(message, "  ", most=_MAX_MESSAGE if is_short else None)
    for cause in causes:
        page.line()
        _add_cause(page, cause, result.marks.get(cause.id), is_short=is_short)
    notes = [result.reason if causes else "", *remarks, _unknown(causes), *result.notes]
    page.line()
    for note in filter(None, notes):
        page.add(Text(f"note: {plain_text(note)}", "yellow"), rest="      ")
    return page


def _headline(result: WhyResult) -> Text:
    if not result.causes:
        reason = plain_text(result.reason or "nothing was found")
        return Text(f"Not explained: {reason}", "bold yellow")
    return Text.assemble((f"Why {plain_text(result.point)}: ", "bold"), tree_summary(result))


def _add_cause(page: TextLines, cause: Cause, mark: Mark | None, *, is_short: bool) -> None:
    depth = " " * min(2 * cause.level, page.width // 3)  # deep in the tree, text needs the room
    number = f"{cause.id}  "
    inner = depth + " " * len(number)
    page.add(_title(cause, mark), depth + number, inner, most=_MAX_TITLE if is_short else None)
    if mark is Mark.BENIGN:
        return
    page.add(Text(plain_text(cause.because)), inner, most=_MAX_BECAUSE if is_short else None)
    lines = list(_statements(cause.statements, page.width - len(inner) - 2))
    if is_short and len(lines) > _MAX_STATEMENTS:
        first, last = _MAX_STATEMENTS // 3, _MAX_STATEMENTS - _MAX_STATEMENTS // 3
        left_out = counted(len(lines) - _MAX_STATEMENTS, "more statement")
        lines = [*lines[:first], Text(f"… {left_out}", "dim"), *lines[-last:]]
    for line in lines:
        page.line(Text(inner + "  ").append_text(line))


def _title(cause: Cause, mark: Mark | None) -> Text:
    """Return the predicate with its outcome and place, and remarks on the cause."""
    predicate = cause.predicate
    style = {Mark.BENIGN: "strike", Mark.ROOT: "bold red", None: "bold"}[mark]
    text = Text().append(f"{plain_text(predicate.text)} was {plain_text(predicate.outcome)}", style)
    text.append(f"  {plain_text(cause_place(predicate))}", "cyan")
    if predicate.function:
        text.append(f" in {plain_text(predicate.function)}")
    words = [*([mark.value] if mark else []), BEARING[cause.influence]]
    if cause.times > 1:
        words.append(f"stands for {cause.times:,} iterations of a loop")
    if cause.also:
        numbers = ", ".join(map(str, cause.also[:_MAX_ALSO]))
        more = len(cause.also) - _MAX_ALSO
        words.append(f"also bears on {numbers}" + (f" and {more} more" if more > 0 else ""))
    if not cause.is_proved:
        words.append("not proved: it may need fewer statements")
    if cause.is_cut:
        words.append("cut: it has more statements")
    if cause.children is None and mark is not Mark.BENIGN:
        words.append("…")
    return text.append(f"  {'; '.join(words)}", "dim")


def _statements(statements: Sequence[Statement], width: int) -> Iterator[Text]:
    """Yield a line for each statement; places, sources and values are columns."""
    rows = [(plain_text(cause_place(s)), plain_text(s.text), _values(s)) for s in statements]
    places = max((len(where) for where, _, _ in rows), default=0)
    longest = max((len(source) for _, source, _ in rows), default=0)
    room = max(min(longest, (width - places) * 3 // 5), 8)
    for where, source, values in rows:
        short = source if len(source) <= room else source[: room - 1] + "…"
        column = f"{short:{room}}  " if values else source
        yield Text.assemble((f"{where:{places}}  ", "cyan"), column, (values, "green"))


def _values(statement: Statement) -> str:
    times = f"  x{statement.instances:,}" if statement.instances > 1 else ""
    return plain_text(listed(statement.values)) + times


def _left_out(number: int) -> str:
    if not number:
        return ""
    are = "1 more cause is" if number == 1 else f"{number:,} more causes are"
    return f"{are} not on the way of this value: --all shows all, -i browses them"


def _hidden(number: int) -> str:
    return f"{counted(number, 'cause')} hidden below causes marked benign" if number else ""


def _unknown(causes: Sequence[Cause]) -> str:
    """Return a note if the children of some causes were not computed."""
    ends = [cause for cause in causes if cause.children is None]
    if not ends:
        return ""
    causes_below = f"the causes below {counted(len(ends), 'cause')} (…) were not computed"
    return f"{causes_below}: a larger --depth computes more"
