"""How does an explanation become a graph for Graphviz?

Changes are boxes with edges to the causes that meet them.  A cause has an edge to the cause above
it, labelled with its predicate; the topmost cause has an edge to the failure.  All text is quoted;
in it `\\` and `"`, which would end it, and `&`, which would begin an entity, are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from whence.model import Cause, ChangeId, Explanation, Predicate, Reported
from whence.report.causes import BEARING, cause_place
from whence.report.explanation import change_place, passing_label
from whence.report.lines import plain_text
from whence.report.text import failure_line

_MAX_WIDTH = 70  # characters of a line; guessed
_MAX_LINES = 6  # of a cause; guessed

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
    """Return the explanation in Graphviz's language."""
    lines = [*_STYLE, *_nodes(explanation), *_edges(explanation)]
    return "digraph whence {\n" + "".join(f"  {line};\n" for line in lines) + "}\n"


def _nodes(explanation: Explanation) -> Iterator[str]:
    result = explanation.result
    for changes, style in ((result.root, _ROOT), (result.auxiliary, _AUXILIARY)):
        for change in changes:
            label = _label([f"change {change.id}", change_place(change)])
            yield f"change_{change.id} [{label}, {style}]"
    for cause in _causes(explanation):
        style = "" if cause.is_proved else ", style=dashed"
        yield f"cause_{cause.id} [{_label(_statements(cause))}{style}]"
    yield f"failure [{_label(['the failure', failure_line(result)])}, {_FAILURE}]"


def _edges(explanation: Explanation) -> Iterator[str]:
    causes = _causes(explanation)
    root = explanation.result.root
    numbers = {cause.id for cause in causes}
    by_piece = {number: change for change in root for number in change.ids}
    for change in root:
        if not causes:
            yield f'change_{change.id} -> failure [style=dashed, label="broke it, not explained"]'
    after_gap = next((link.cause for link in explanation.chain if link.gap), None)
    if after_gap is not None:
        for change in root:
            yield f'change_{change.id} -> cause_{after_gap} [style=dashed, label="not followed"]'
    for cause in causes:
        for change in _met(cause.changes, by_piece):
            yield f"change_{change.id} -> cause_{cause.id} [{_MET}]"
        to = "failure" if cause.parent is None else f"cause_{cause.parent}"
        predicate = _predicate(cause.predicate, passing_label(explanation))
        label = _label([*predicate, BEARING[cause.influence]])
        yield f"cause_{cause.id} -> {to} [{label}]"
        for other in sorted(numbers & set(cause.also)):
            yield f"cause_{cause.id} -> cause_{other} [style=dotted]"


def _causes(explanation: Explanation) -> Sequence[Cause]:
    return explanation.why.causes if explanation.why else ()


def _met(numbers: Iterable[ChangeId], by_piece: dict[ChangeId, Reported]) -> list[Reported]:
    """Return the changes of the root that a cause meets, each once."""
    found = {by_piece[n].id: by_piece[n] for n in numbers if n in by_piece}
    return [found[number] for number in sorted(found)]


def _statements(cause: Cause) -> list[str]:
    """Return the statements of a cause, and the missing ones, as lines."""
    lines = [f"{cause_place(s)}  {s.text}" for s in cause.statements]
    lines += [f"{m.file}:{m.line}  not run: {m.statement.text}" for m in cause.missing]
    if len(lines) > _MAX_LINES:
        left_out = len(lines) - _MAX_LINES + 1
        lines = [*lines[: _MAX_LINES - 2], f"… {left_out} more", lines[-1]]
    return [f"cause {cause.id}", *lines]


def _predicate(predicate: Predicate, label: str) -> list[str]:
    lines = [f"{predicate.text} was {predicate.outcome}"]
    if predicate.passing is not None:
        lines.append(f"{label}: {predicate.passing_text or 'it'} was {predicate.passing}")
    return [*lines, cause_place(predicate)]


def _label(lines: Iterable[str]) -> str:
    r"""Return a label; `\l` at the end of a line aligns it to the left."""
    return 'label="' + "".join(f"{_escaped(line)}\\l" for line in filter(None, lines)) + '"'


def _escaped(text: str) -> str:
    text = plain_text(text)
    if len(text) > _MAX_WIDTH:
        text = text[: _MAX_WIDTH - 1] + "…"
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
