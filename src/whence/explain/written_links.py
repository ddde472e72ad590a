"""Which links show the code that writes new data which the root reads?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from whence.model import Change, Link, LinkKind, Reverted, Statement
from whence.source_lines import decoded_lines

_MAX_SHOWN = 6  # limit on lines that ran, and on lines that did not; guessed


@dataclass(frozen=True)
class WrittenData:
    """The changed lines that write new data, and the statements of those that ran."""

    name: str
    lines: frozenset[tuple[str, int]]
    ran: Sequence[Statement]


NOTHING_WRITTEN = WrittenData("", frozenset(), ())


def written_links(
    written: WrittenData, changes: Sequence[Change], changes_at: Callable[[Statement], Reverted]
) -> Iterator[Link]:
    """Yield the lines that wrote the data, then those that did not run."""
    name, ran = written.name, {(s.file, s.line): s for s in written.ran}
    for statement in list(ran.values())[-_MAX_SHOWN:]:
        yield Link(
            LinkKind.CHANGE, statement.file, statement.line, statement.function, statement.text,
            f"this writes `{name}`, which the next changed line reads", statement.values, {},
            tuple(sorted(changes_at(statement))), times=statement.instances,
        )  # fmt: skip
    for file, line in sorted(written.lines - ran.keys())[:_MAX_SHOWN]:
        change = next(each for each in changes if each.file == file and line in each.new.lines)
        text = decoded_lines(change.added)[line - change.new.start].strip()
        yield Link(
            LinkKind.CHANGE, file, line, change.function or "", text,
            f"this would write `{name}`, and did not run", changes=(change.id,),
        )  # fmt: skip
