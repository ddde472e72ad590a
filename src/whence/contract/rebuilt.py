"""Which Python value stands for a recorded state when a contract is evaluated?

Numbers, texts and containers are what they were.  An object becomes a `RecordedObject` with its
recorded attributes and no methods, so that evaluating a contract runs no code of the program.
"""

from __future__ import annotations

from typing import Any

from whence.trace.calls import State, UnknownStateError, WatchedProcess


class RecordedObject:
    """An object of the program: its class, and its attributes at one moment."""

    __slots__ = ("_attributes", "_bases", "_name")

    def __init__(self, name: str, bases: tuple[str, ...], attributes: dict[str, Any]) -> None:
        self._name, self._bases, self._attributes = name, bases, attributes

    def __getattr__(self, name: str) -> Any:
        try:
            return self._attributes[name]
        except KeyError:
            raise AttributeError(
                f"{self._name} has no recorded attribute {name!r} (methods are not called)"
            ) from None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RecordedObject):
            return NotImplemented
        return (self._name, self._attributes) == (other._name, other._attributes)

    def __hash__(self) -> int:
        return hash(self._name)

    def __len__(self) -> int:
        return len(self._content())

    def __iter__(self) -> Any:
        return iter(self._content())

    def __getitem__(self, key: Any) -> Any:
        return self._content()[key]

    def __contains__(self, item: object) -> bool:
        return item in self._content()

    def __str__(self) -> str:
        return str(self._attributes.get("()", self._name))

    def _content(self) -> Any:
        """Return the part of an object that a built-in base class holds."""
        if "()" not in self._attributes:
            raise TypeError(f"{self._name} is no container")
        return self._attributes["()"]

    @property
    def args(self) -> Any:
        """The arguments of an exception."""
        return self._attributes.get("()", ())


def class_names(value: Any) -> tuple[str, ...]:
    """Return the names of the class of a value and of its bases."""
    if isinstance(value, RecordedObject):
        return value._bases
    return tuple(base.__name__ for base in type(value).__mro__)


class NamedObject:
    """A function, class or module of the program, known by its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedObject) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


class _NotRecorded:
    """Stands for a part that was not recorded: any use of it is an error."""

    def _fail(self, *_: object) -> Any:
        raise UnknownStateError("a part of the state was not recorded: the object is too large")

    __getattr__ = __eq__ = __hash__ = __len__ = __iter__ = __getitem__ = __bool__ = _fail
    __lt__ = __gt__ = __le__ = __ge__ = __add__ = __contains__ = _fail


def rebuilt(process: WatchedProcess, state: State) -> Any:
    """Return the value that stands for a recorded state."""
    if type(state) is not tuple:
        return state
    node = process.node(state)
    if node is None:
        return _NotRecorded()
    kind, name, parts = node
    if kind == "o":
        attributes = {key: rebuilt(process, part) for key, part in parts}
        short = process.short_name(name)
        return RecordedObject(short, process.classes.get(name, (short,)), attributes)
    if kind == "d":
        pairs = (pair for pair in parts if pair)
        return {_key(rebuilt(process, key)): rebuilt(process, value) for key, value in pairs}
    if kind == "b":
        is_whole = isinstance(parts[2], str | bytes) and len(parts[2]) == parts[0]
        return parts[2] if is_whole else _NotRecorded()
    if kind in "fx":
        return NamedObject(process.short_name(name))
    values = [rebuilt(process, part) for part in parts]
    if name == "method":
        return values[0]
    if kind == "s":
        return frozenset(map(_key, values))
    return values if kind == "l" else tuple(values)


def _key(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
