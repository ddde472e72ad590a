"""How is a recorded state written for a person?"""

from __future__ import annotations

from whence.trace.calls import State, WatchedProcess

MAX_SHOWN = 200  # characters of a state; guessed
_MAX_PARTS = 8  # parts of one node; guessed
_MAX_DEPTH = 4  # levels; guessed
_MAX_NODES = 80  # parts of a state that are written, at any level; guessed
_BRACKETS = {"l": ("[", "]"), "t": ("(", ")"), "s": ("{", "}")}


def shown(process: WatchedProcess, state: State, limit: int = MAX_SHOWN) -> str:
    """Return a state as Python would write it, shortened."""
    text = _Writer(process).text(state, 0)
    return text if len(text) <= limit else f"{text[: limit - 2]} …"


class _Writer:
    """Writes one state; what is too much becomes `…`."""

    def __init__(self, process: WatchedProcess) -> None:
        self._process, self._left = process, _MAX_NODES

    def text(self, state: State, depth: int) -> str:
        if type(state) is not tuple:
            return repr(state)
        if len(state) == 2:
            return "<itself>"
        node = self._process.node(state)
        self._left -= 1
        if node is None or self._left < 0:
            return "…"
        kind, name, parts = node
        name = self._process.short_name(name)
        if kind in "fx":
            return f"<{name}>" if kind == "x" else name
        if kind == "b":
            start = self._list(parts[2:], depth) if name in ("list", "tuple") else repr(parts[2])
            return f"{start} … ({parts[0]} in all)"
        if name == "method" and len(parts) == 2:
            return f"the method {self.text(parts[0], depth)} of {self.text(parts[1], depth + 1)}"
        if depth >= _MAX_DEPTH:
            return f"{name}(…)"
        if kind == "o":
            return f"{name}({self._attributes(parts, depth)})"
        if kind == "d":
            return self._pairs(parts, depth)
        left, right = _BRACKETS[kind]
        comma = "," if kind == "t" and len(parts) == 1 else ""
        return f"{left}{self._list(parts, depth)}{comma}{right}"

    def _list(self, parts: tuple[State, ...], depth: int) -> str:
        texts = [self.text(part, depth + 1) for part in parts[:_MAX_PARTS]]
        return ", ".join(texts + ["…"] * (len(parts) > _MAX_PARTS))

    def _attributes(self, parts: tuple[State, ...], depth: int) -> str:
        texts = []
        for name, part in parts[:_MAX_PARTS]:
            text = self.text(part, depth + 1)
            texts.append(text if name == "()" else f"{name}={text}")
        return ", ".join(texts + ["…"] * (len(parts) > _MAX_PARTS))

    def _pairs(self, parts: tuple[State, ...], depth: int) -> str:
        texts = [
            ": ".join(self.text(each, depth + 1) for each in pair) if pair else "…"
            for pair in parts[:_MAX_PARTS]
        ]
        return "{" + ", ".join(texts + ["…"] * (len(parts) > _MAX_PARTS)) + "}"
