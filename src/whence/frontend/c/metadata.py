"""What does a metadata node of IR say?

`!12 = !DIFoo(name: "x", line: 3)` is the text of node 12.  `parse_metadata` reads what follows the
"=".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to another node: !12."""

    number: int


@dataclass(frozen=True, slots=True)
class MetadataNode:
    """!DIFoo(name: "x", line: 3) has fields; !{!1, null} and !DIExpression(...) have items."""

    tag: str  # "DIFoo"; "" for a tuple
    fields: Mapping[str, Item]
    items: tuple[Item, ...] = ()

    def text(self, name: str) -> str:
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    def int(self, name: str) -> int:
        value = self.fields.get(name)
        return value if isinstance(value, int) else 0


Item: TypeAlias = Ref | MetadataNode | str | int | None  # words such as DW_TAG_member are str

_TOKEN = re.compile(
    r'!?"[^"]*"|!\d+|!\w*[({]|[-\w.$@%]*"[^"]*"|-?\d+(?![\w.])|[-\w.$@%*+]+|[(){}\[\],:|<>=]|\S'
)
_OPENS, _CLOSES = ("(", "[", "<"), (")", "]", ">", "}")


def parse_metadata(text: str) -> MetadataNode:
    """Return the node that the text right of "=" spells."""
    tokens = _TOKEN.findall(text.removeprefix("distinct "))
    node, _ = _item(tokens, 0)
    return node if isinstance(node, MetadataNode) else MetadataNode("", {})


def _item(tokens: list[str], at: int) -> tuple[Item, int]:
    """Read one item (possibly several words: `i64 224`, `A | B`); return it and its end."""
    if tokens[at][0] == "!" and tokens[at][-1] in "({" and tokens[at] != '!"':
        return _node(tokens, at)
    words: list[str] = []
    depth = 0
    while at < len(tokens) and (depth or tokens[at] not in (",", *_CLOSES)):
        depth += (tokens[at] in _OPENS or tokens[at][-1] == "(") - (tokens[at] in _CLOSES)
        words.append(tokens[at])
        at += 1
    return ("".join(words) if "|" in words else _word(words[-1]) if words else None), at


def _node(tokens: list[str], at: int) -> tuple[MetadataNode, int]:
    tag = tokens[at][1:-1]
    fields: dict[str, Item] = {}
    items: list[Item] = []
    at += 1
    while at < len(tokens) and tokens[at] not in (")", "}"):
        if tokens[at] == ",":
            at += 1
        elif at + 1 < len(tokens) and tokens[at + 1] == ":":
            fields[tokens[at]], at = _item(tokens, at + 2)
        else:
            item, end = _item(tokens, at)
            items.append(item)
            at = max(end, at + 1)
    return MetadataNode(tag, fields, tuple(items)), at + 1


def _word(word: str) -> Item:
    if word[0] == "!":
        return unescape_metadata(word[2:-1]) if word[1] == '"' else Ref(int(word[1:]))
    if word[0] == '"':
        return unescape_metadata(word[1:-1])
    if word.lstrip("-").isdigit():
        return int(word)
    return {"null": None, "true": 1, "false": 0}.get(word, word)


def unescape_metadata(text: str) -> str:
    """Return the text that a string of IR stands for (\\xx is a byte of UTF-8)."""
    if "\\" not in text:
        return text
    raw = re.sub(
        rb"\\([0-9A-Fa-f]{2}|\\)",
        lambda found: b"\\" if found[1] == b"\\" else bytes([int(found[1], 16)]),
        text.encode(),
    )
    return raw.decode("utf-8", "replace")
