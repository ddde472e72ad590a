"""Which rows of the interactive tree are below a row, and which contain a text?"""

from __future__ import annotations

from collections.abc import Iterator

from textual.widgets.tree import TreeNode

from whence.cli.panes import Row, row_of
from whence.model import Cause, Predicate, Statement


def nodes_from(node: TreeNode[Row]) -> Iterator[TreeNode[Row]]:
    """Yield a node and all nodes below it, in the order of the screen."""
    yield node
    for child in node.children:
        yield from nodes_from(child)


def causes_from(node: TreeNode[Row]) -> set[int]:
    """Return the numbers of the causes of a node and of all nodes below it."""
    return {row_of(each).cause.id for each in nodes_from(node)}


def contains(cause: Cause, text: str) -> bool:
    """Does the sentence, the predicate or a statement of the cause contain the text?"""
    places: list[Predicate | Statement] = [cause.predicate, *cause.statements]
    shown = [f"{each.text} {each.file}:{each.line} {each.function}" for each in places]
    return any(text.casefold() in each.casefold() for each in (cause.because, *shown))
