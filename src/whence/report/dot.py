"""How does an explanation become a graph for Graphviz?

Changes are boxes and lead to the causes that meet them; a cause leads to the one that it explains,
by way of the predicate that it is the cause of; the first explains the failure.  All text is in
quotes, and in it `\\` and `"`, which end them, and `&`, which begins an entity, are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from whence.model import Cause, ChangeId, Explanation, Predicate, Reported
from whence.report.causes import BEARING, cause_place
from whence.report.explanation import change_place
from whence.report.lines import plain_text
from whence.report.text import failure_line

_WIDEST = 70  # characters of a line
_MOST = 6  # lines of a cause

_STYLE = (
    "rankdir=TB",
    'node [fontname="monospace", fontsize=10, shape=box, style=rounded]',
    'edge [fontname="monospace", fontsize=9]',
)
_ROOT = 'shape=box, style="filled,bold", color="#a91d14", fillcolor="#fdeceb"'
_AUXILIARY = 'shape=box, style="filled,dashed", color="#5c5c57", fillcolor="#f6f6f3"'
_FAILURE = 'shape=box, style="filled,bold", fillcolor="#fdf3cf"'
_MET = 'color="#a91d14", penwidth=2'


def explain_dot(explanation: Explanation) -> str:
    """A graph in Graphviz's language; the same for the same explanation."""
    lines = [*_STYLE, *_nodes(explanation), *_edges(explanation)]
    return "digraph whence {\n" + "".join(f"  {line};\n" for line in lines) + "}\n"


def _nodes(explanation: Explanation) -> Iterator[str]:
    result = explanation.result
    for changes, style in ((result.root, _ROOT), (result.auxiliary, _AUXILIARY)):
        for change in changes:
            yield f"change_{change.id} [{_label([f'change {change.id}', change_place(change)])}, {style}]"
    for cause in _causes(explanation):
        style = "" if cause.is_proved else ", style=dashed"
        yield f"cause_{cause.id} [{_label(_told(cause))}{style}]"
    yield f"failure [{_label(['the failure', failure_line(result)])}, {_FAILURE}]"


def _edges(explanation: Explanation) -> Iterator[str]:
    causes = _causes(explanation)
    root = explanation.result.root
    numbers = {cause.id for cause in causes}
    by_piece = {number: change for change in root for number in change.ids}
    for change in root:
        if not causes:
            yield f'change_{change.id} -> failure [style=dashed, label="broke it, not explained"]'
    for cause in causes:
        for change in _met(cause.changes, by_piece):
            yield f"change_{change.id} -> cause_{cause.id} [{_MET}]"
        to = "failure" if cause.parent is None else f"cause_{cause.parent}"
        told = _predicate(cause.predicate, explanation.passing)
        about = _label([*told, BEARING[cause.influence]])
        yield f"cause_{cause.id} -> {to} [{about}]"
        for other in sorted(numbers & set(cause.also)):
            yield f"cause_{cause.id} -> cause_{other} [style=dotted]"


def _causes(explanation: Explanation) -> Sequence[Cause]:
    return explanation.why.causes if explanation.why else ()


def _met(numbers: Iterable[ChangeId], by_piece: dict[ChangeId, Reported]) -> list[Reported]:
    """The changes of the root that a cause meets, each once."""
    found = {by_piece[n].id: by_piece[n] for n in numbers if n in by_piece}
    return [found[number] for number in sorted(found)]


def _told(cause: Cause) -> list[str]:
    """The statements of a cause, and those that are missing."""
    told = [f"{cause_place(s)}  {s.text}" for s in cause.statements]
    told += [f"{m.file}:{m.line}  not run: {m.statement.text}" for m in cause.missing]
    if len(told) > _MOST:
        told = [*told[: _MOST - 2], f"… {len(told) - _MOST + 1} more", told[-1]]
    return [f"cause {cause.id}", *told]


def _predicate(predicate: Predicate, label: str) -> list[str]:
    told = [f"{predicate.text} was {predicate.outcome}"]
    if predicate.passing is not None:
        told.append(f"{label}: {predicate.passing_text or 'it'} was {predicate.passing}")
    return [*told, cause_place(predicate)]


def _label(lines: Iterable[str]) -> str:
    r"""Lines, each ended by `\l`: that sets them flush left."""
    return 'label="' + "".join(f"{_escaped(line)}\\l" for line in filter(None, lines)) + '"'


def _escaped(text: str) -> str:
    text = plain_text(text)
    if len(text) > _WIDEST:
        text = text[: _WIDEST - 1] + "…"
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
