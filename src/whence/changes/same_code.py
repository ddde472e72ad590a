"""Do two texts of a file differ in nothing but comments and blanks?"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from whence.changes.syntax import ParsedSource, grammar_of

_PREPROCESSOR = ("preproc_arg", "preproc_directive")  # their text ends with the line


def same_code(path: str, old: bytes, new: bytes) -> bool:
    """Are the syntax trees of two texts the same, without comments?

    If the language is unknown, or part of a text is in no token, the answer is no.
    """
    language = grammar_of(path)
    if language is None:
        return False
    leaves = [_leaves(ParsedSource(language, text), text) for text in (old, new)]
    return leaves[0] is not None and leaves[0] == leaves[1]


def _leaves(source: ParsedSource, text: bytes) -> list[tuple[int, str, bytes]] | None:
    """Return the tokens of a text, each with its depth; None: there is text in no token."""
    found: list[tuple[int, str, bytes]] = []
    covered = 0
    for depth, node in _walk(source.root):
        own = node.text or b""
        covered += len(b"".join(own.split()))
        if node.type != "comment":
            kept = own.rstrip() if node.type in _PREPROCESSOR else own
            found.append((depth, node.type, kept))
    return found if covered == len(b"".join(text.split())) else None


def _walk(root: tree_sitter.Node) -> Iterator[tuple[int, tree_sitter.Node]]:
    """Yield the leaves of a tree in order, and whole comments and texts, with their depth."""
    work = [(0, root)]
    while work:
        depth, node = work.pop()
        if not node.children or node.type in ("comment", "string_content"):
            yield depth, node
        else:
            work.extend((depth + 1, child) for child in reversed(node.children))
