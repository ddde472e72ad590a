"""How is an explanation shown on one screen, to a reader who does not have the code open?

The story comes first: the changes that broke the test, then the chain from them to the failure.
It fits on one screen.  If there is not enough room, the middle of the chain and parts of a diff
are left out, and the story says where.  Notes and alternatives follow the story.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

from rich.text import Text

from whence.model import Alternative, ChangeId, Explanation, Link, LinkKind, Reported, Result
from whence.report.explanation import (
    GAP,
    both_values,
    change_place,
    headline,
    legend,
    not_run,
    notes_of,
    passes,
    passing_label,
    sentence,
    together,
)
from whence.report.lines import SCREEN, TextLines, from_difference, plain_text, shown_place
from whence.report.text import (
    ALSO_REVERTED,
    cost_line,
    counted,
    diff_body,
    diff_style,
    failure_line,
)
from whence.source_lines import decoded_lines

# What the last link of a chain adds if its line was changed; see explain/chain.py.
_OLD_LINE = re.compile("; this line (?:was changed: before, it was `|is new$)")
_MIN_LINES = 30  # of the story, however much follows it; guessed
_MAX_PLACE = 40  # columns of a place, before the source; guessed
_MIN_DIFF = 3  # lines of a change, with its place, that are worth showing; guessed
_MAX_OTHERS = 3  # alternatives shown, and notes shown; guessed

_FAILURE = "the failure: "  # how the last link of a chain begins
_CODE = re.compile("`([^`]+)`")
_ARGUMENTS = re.compile(r"(?<=\w)<[^<>]*>")  # of a template, without others inside
_MIN_CODE = 30  # columns of code in a sentence that are kept; guessed

_COLOURS = {LinkKind.CHANGE: "bold red", LinkKind.MISSING: "bold red", LinkKind.FAILURE: "bold"}


def explain_text(explanation: Explanation, *, width: int) -> Text:
    """Return the explanation for a terminal of this width: the story, then notes."""
    rest = _rest(explanation, width)
    story = explain_story(explanation, width=width, most=max(SCREEN - len(rest), _MIN_LINES))
    page = TextLines(width)
    for line in (*story, *rest):
        page.line(line)
    return page.text


def explain_story(explanation: Explanation, *, width: int, most: int = SCREEN) -> list[Text]:
    """Return what broke the test, and how, in at most `most` lines."""
    result = explanation.result
    head = _written(width, lambda page: _head(page, explanation))
    before = _written(width, lambda page: _before_chain(page, explanation))
    links = [link for link in explanation.chain if link.changes]
    diffs = [_diff(change, width, links, named=len(result.root) > 1) for change in result.root]
    chain = _steps(explanation, width)
    room = most - len(head) - len(before)
    needed = sum(map(len, chain))
    shown = _diffs(diffs, max(room - needed, room // 3))
    story = [*head, *shown, *before, *_folded(chain, explanation.chain, room - len(shown))]
    return story if chain else story[:-1]  # the last line is empty


def _written(width: int, write: Callable[[TextLines], None]) -> list[Text]:
    page = TextLines(width)
    write(page)
    return page.lines


# --- what broke it ---------------------------------------------------------------------------


def _head(page: TextLines, explanation: Explanation) -> None:
    result = explanation.result
    page.add(Text(plain_text(headline(result)), "bold"), most=3)
    page.add(Text(passes(explanation)), most=2)
    page.add(
        Text.assemble(("failure  ", "dim"), plain_text(_failure(explanation))), rest=" " * 9, most=2
    )
    if result.reason:
        page.add(Text(_reason(result), "yellow"), most=3)
    page.line()


def _failure(explanation: Explanation) -> str:
    """Return what failed.  An exit status says little: the end of the chain says what was wrong."""
    failure, last = explanation.result.failure, explanation.chain[-1:]
    if failure.kind == "exit" and last and last[0].says.startswith(_FAILURE):
        words = _OLD_LINE.split(last[0].says.removeprefix(_FAILURE))[0]
        return f"{words}  ({failure.message})"
    return failure_line(explanation.result)


def _reason(result: Result) -> str:
    reason = plain_text(result.reason or "")
    return f"Isolated, not explained: {reason}" if result.status == "isolated" else reason


@dataclass(frozen=True)
class _Diff:
    """The lines of a change: its place, if that is shown, and its diff."""

    lines: list[Text]
    wanted: frozenset[int]  # numbers of the most important lines: the place, and lines of the chain

    def shortened(self, room: int) -> list[Text]:
        """Return the lines that fit: the wanted ones, then the beginning and some of the end.

        The end matters because added lines come after removed ones.  A mark stands for the lines
        that are left out at each place.
        """
        if len(self.lines) <= room:
            return self.lines
        numbers = range(len(self.lines))
        tail = min(room // 3, len(numbers))
        ends = (*numbers[: room - 1 - tail], *reversed(numbers[len(numbers) - tail :]), *numbers)
        shown: set[int] = set()
        for number in dict.fromkeys((*sorted(self.wanted), *ends)):
            more = {*shown, number}
            if not shown or len(more) + len(_gaps(more, len(numbers))) <= room:
                shown = more
        lines = {number: self.lines[number] for number in shown}
        gaps = _gaps(shown, len(numbers))
        for gap in gaps:
            where = " (--patch has them all)" if gap == gaps[-1] else ""
            lines[gap.start] = Text(f"  … {counted(len(gap), 'more line')}{where}", "dim")
        return [lines[number] for number in sorted(lines)]


def _gaps(shown: AbstractSet[int], count: int) -> list[range]:
    """Return the numbers below `count` that are not shown, as ranges."""
    borders = [-1, *sorted(shown), count]
    found = (range(before + 1, after) for before, after in pairwise(borders))
    return [gap for gap in found if gap]


def _diff(change: Reported, width: int, links: Collection[Link], *, named: bool) -> _Diff:
    page = TextLines(width)
    wanted = set()
    if named:
        page.line(Text(f"  {plain_text(change_place(change))}", "bold cyan"))
        wanted.add(0)
    body = diff_body(change)
    texts = {link.text for link in links}
    on_chain = {link.line for link in links if link.file == change.file}
    shown = from_difference([plain_text(line.expandtabs(4)) for line in body], width - 2)
    for line, number, text in zip(body, _new_lines(change, len(body)), shown, strict=True):
        is_removed = line.startswith("-") and line[1:].strip() in texts
        if is_removed or number in on_chain:
            wanted.add(len(page.lines))
        page.line(Text.assemble("  ", (text, diff_style(line))))
    return _Diff(page.lines, frozenset(wanted))


def _new_lines(change: Reported, count: int) -> list[int | None]:
    """Return the line in the new file of each of the last `count` lines of a diff, or None."""
    numbers: list[int | None] = []
    for hunk in change.hunks:
        added = len(decoded_lines(hunk.added))
        before = len(decoded_lines(hunk.removed)) + 1  # the line with `@@`
        numbers += [None] * before + [*range(hunk.new.start, hunk.new.start + added)]
    # Other kinds of changes, and lines without an end, are told in other words.
    is_plain = len(numbers) in (count, count + 1)
    return numbers[len(numbers) - count :] if is_plain else [None] * count


def _diffs(diffs: Sequence[_Diff], room: int) -> list[Text]:
    """Return as much of each diff as there is room for; the last line is empty."""
    if not diffs:
        return []
    if sum(len(diff.lines) for diff in diffs) < room:
        return [*(line for diff in diffs for line in diff.lines), Text()]
    each = (room - 1) // len(diffs)
    if each < _MIN_DIFF and all(0 in diff.wanted for diff in diffs):
        # There is no room for their lines, so their places are all that is shown.
        lines = [diff.lines[0] for diff in diffs]
        if len(lines) < room - 1:
            return [*lines, Text("  … --patch has their lines", "dim"), Text()]
    else:
        rooms = _shares([len(diff.lines) for diff in diffs], room - 1)
        lines = [
            line
            for diff, own in zip(diffs, rooms, strict=True)
            for line in diff.shortened(max(own, 2))
        ]
    if len(lines) >= room:
        note = Text("  … and more (--patch has them all)", "dim")
        lines = [*lines[: max(room - 2, 0)], note]
    return [*lines, Text()]


def _shares(needed: Sequence[int], room: int) -> list[int]:
    """Return how many lines each diff gets: equal shares, and what short ones leave over."""
    shares = [0] * len(needed)
    for rank, number in enumerate(sorted(range(len(needed)), key=needed.__getitem__)):
        shares[number] = min(needed[number], room // (len(needed) - rank))
        room -= shares[number]
    return shares


# --- the chain ---------------------------------------------------------------------------------


def _before_chain(page: TextLines, explanation: Explanation) -> None:
    if not explanation.chain:
        return
    changes = "change" if len(explanation.result.root) == 1 else "changes"
    page.add(
        Text.assemble(
            (f"From the {changes} to the failure", "bold"), (f" ({legend(explanation)}):", "dim")
        ),
        most=2,
    )


def _steps(explanation: Explanation, width: int) -> list[list[Text]]:
    """Return the lines of each link: one or two, or three if the link has many values."""
    places, label = [_place(link) for link in explanation.chain], passing_label(explanation)
    room = min(max(map(len, places), default=0), _MAX_PLACE)
    return [
        _step(number, link, f"{place:{room}}", label, width)
        for number, (link, place) in enumerate(zip(explanation.chain, places, strict=True))
    ]


def _step(number: int, link: Link, place: str, label: str, width: int) -> list[Text]:
    page = TextLines(width)
    if link.gap:
        page.line(Text(f"  ⋮  {GAP}", "yellow"))
    page.line(
        Text.assemble(
            (f"{number + 1:3}  ", _COLOURS.get(link.step, "")),
            (place, "cyan"),
            (f"  {not_run(link)}", "dim"),
            (plain_text(link.text), "red strike" if link.step is LinkKind.MISSING else ""),
        )
    )
    values = Text(plain_text(both_values(link.passing, link.failing, label)), "green")
    has_more = link.step is not LinkKind.VALUE or link.before is not None or not values
    says = Text(_fitting(plain_text(sentence(link.says)), 2 * (width - 8)) if has_more else "")
    if len(says) and len(values):
        says.append("  ")
    says.append_text(values)
    if link.times > 1:
        says.append(f"  ({link.times:,} times)", "dim")
    page.add(says, " " * 5, most=2)
    if link.proof and not link.proved:
        page.add(Text(sentence(link.proof), "yellow"), " " * 5, most=1)
    return page.lines


def _fitting(words: str, room: int) -> str:
    """Return words that fit, if possible: the middle of long code is left out.

    The end of a sentence says what the code did, so it must not be cut off.
    """
    while len(words) > room:
        codes = [code for code in _CODE.findall(words) if len(code) > _MIN_CODE]
        if not codes:
            break
        longest = max(codes, key=len)
        most = max(len(longest) - (len(words) - room), _MIN_CODE)
        half = (most - 3) // 2
        words = words.replace(longest, f"{longest[:half].rstrip()} … {longest[-half:].lstrip()}")
    return words


def _place(link: Link) -> str:
    at = shown_place(link.file, link.line) if link.file else ""
    place = " in ".join(filter(None, (at, link.function)))
    if len(place) > _MAX_PLACE and link.function:
        place = " in ".join(filter(None, (at, _short_name(link.function))))
    return plain_text(place)


def _short_name(function: str) -> str:
    """Return the class and the name of a C++ function, without template arguments and namespaces.

    The whole name would leave no room for the source.  Names of operators stay as they are, for
    their brackets are no arguments.
    """
    if "operator" in function:
        return function
    name, before = function, ""
    while name != before:  # from the inside out
        before, name = name, _ARGUMENTS.sub("", name)
    return "::".join(name.split("::")[-2:])


def _folded(steps: Sequence[list[Text]], links: Sequence[Link], room: int) -> list[Text]:
    """Return the steps; if there is no room for all, the changes and the steps at both ends."""
    if sum(map(len, steps)) <= room:
        return [line for step in steps for line in step]
    last = len(steps) - 1
    ends = [at for k in range(last // 2 + 1) for at in (last - k, k)]
    by_change: dict[ChangeId, list[int]] = {}
    for k, link in enumerate(links):
        for change in link.changes:
            by_change.setdefault(change, []).append(k)
    # The last link of a change says more than its first: there the damage leaves the change.
    changed = [k for places in by_change.values() for k in (places[-1], places[0])]
    shown: set[int] = set()
    for at in dict.fromkeys((last, *changed, *ends)):
        together = {*shown, at}
        gaps = sum(k - 1 not in together for k in {*together, last + 1}) - (0 in together)
        if sum(len(steps[k]) for k in together) + gaps <= room:
            shown = together
    lines: list[Text] = []
    left = 0
    for number, step in enumerate(steps):
        if number not in shown:
            left += 1
            continue
        lines += [_left_out(left)] * (left > 0) + step
        left = 0
    return lines + [_left_out(left)] * (left > 0)


def _left_out(count: int) -> Text:
    return Text(f"     … {counted(count, 'more step')}, in --html or --json", "dim")


# --- after the story -----------------------------------------------------------------------------


def _rest(explanation: Explanation, width: int) -> list[Text]:
    page = TextLines(width)
    page.line()
    if explanation.dodged:
        page.add(
            Text(f"beware: {plain_text(explanation.dodged)}", "bold yellow"), rest=" " * 8, most=3
        )
    _auxiliary(page, explanation.result.auxiliary)
    _others(page, explanation.alternatives)
    notes = notes_of(explanation)
    for note in notes[:_MAX_OTHERS]:
        page.add(Text(f"note: {plain_text(note)}", "yellow"), rest=" " * 6, most=2)
    if len(notes) > _MAX_OTHERS:
        page.line(Text(f"{counted(len(notes) - _MAX_OTHERS, 'more note')}, in --json", "dim"))
    page.add(Text(_cost(explanation), "dim"), most=2)
    return page.lines


def _auxiliary(page: TextLines, changes: Sequence[Reported]) -> None:
    if not changes:
        return
    places = together([plain_text(change_place(change)) for change in changes])
    page.add(
        Text(f"{counted(len(changes), 'auxiliary change')}, {ALSO_REVERTED}: {places}"),
        rest="  ",
        most=2,
    )


def _others(page: TextLines, alternatives: Sequence[Alternative]) -> None:
    if not alternatives:
        return
    page.line(Text("Other changes whose reverting makes the test pass:"))
    for other in alternatives[:_MAX_OTHERS]:
        places = plain_text(together([change_place(change) for change in other.root], 2))
        dodge = "only avoids the faulty code" if other.is_dodge else ""
        reason = "; ".join(filter(None, (dodge, plain_text(other.why))))
        page.line(Text.assemble((f"  {places}", "cyan"), f"  {reason}"))
    if len(alternatives) > _MAX_OTHERS:
        more = len(alternatives) - _MAX_OTHERS
        page.line(Text(f"  … {more} more, in --html or --json", "dim"))


def _cost(explanation: Explanation) -> str:
    why = explanation.why
    calls = f"; {counted(why.solver_calls, 'solver call')}" if why else ""
    return cost_line(explanation.result, explanation.recorded) + calls
