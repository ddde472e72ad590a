"""Which fields does an instance have whose class makes it without recorded code?

The `__init__` of a dataclass and of a NamedTuple is made by the library: it stores its arguments
under the names of the fields.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from whence.frontend.python.values import UNKNOWN
from whence.paths.python.values import AnyValue

_NAMED_TUPLES = frozenset({"NamedTuple", "typing.NamedTuple"})
_DATACLASSES = frozenset({"dataclass", "dataclasses.dataclass"})


class RecordField(NamedTuple):
    """A field, and how it gets its value."""

    name: str
    is_argument: bool = True
    is_by_name: bool = False  # only
    default: AnyValue = UNKNOWN  # if it is a constant


class RecordClass(NamedTuple):
    """A class whose instances get their fields from the library."""

    fields: tuple[RecordField, ...]
    is_tuple: bool
    is_equal: bool  # are instances equal if their fields are?
    is_ordered: bool  # are they ordered by their fields?

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(field.name for field in self.fields)

    def given(
        self, values: Sequence[AnyValue], kinds: Sequence[str | None]
    ) -> list[AnyValue] | None:
        """Return the values of the fields for the arguments of a call; None if it unpacks some.

        The value of a field without an argument is unknown, unless it is a constant.
        """
        if {"*", "**"} & set(kinds):
            return None
        by_name = {kind: value for kind, value in zip(kinds, values, strict=True) if kind}
        by_place = iter([value for kind, value in zip(kinds, values, strict=True) if not kind])
        found: list[AnyValue] = []
        for field in self.fields:
            if field.is_argument and not field.is_by_name and field.name not in by_name:
                found.append(next(by_place, field.default))
            else:
                found.append(by_name.get(field.name, field.default))
        return found


def record_class(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> RecordClass | None:
    """Return what a class is that stands in the source so; None if it is another kind of class.

    `classes` are those of its module, by name.
    """
    if any(ast.unparse(base) in _NAMED_TUPLES for base in node.bases):
        return RecordClass(tuple(_fields(node, is_by_name=False)), True, True, True)
    options = _options(node)
    if options is None or options.get("init") is False or _has(node, "__init__", "__new__"):
        return None
    fields: dict[str, RecordField] = {}
    for base in reversed(node.bases):
        name = ast.unparse(base)
        inner = record_class(classes[name], classes) if name in classes else None
        if inner is None:
            return None
        fields.update((field.name, field) for field in inner.fields)
    is_by_name = options.get("kw_only") is True
    fields.update((field.name, field) for field in _fields(node, is_by_name=is_by_name))
    is_equal = options.get("eq") is not False and not _has(node, "__eq__")
    return RecordClass(
        tuple(fields.values()), False, is_equal, options.get("order") is True
    )  # fmt: skip


def _options(node: ast.ClassDef) -> dict[str | None, object] | None:
    """Return the options of the decorator that makes a class a dataclass; None if there is none."""
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        if ast.unparse(call.func if call else decorator) in _DATACLASSES:
            keywords = call.keywords if call else []
            return {
                one.arg: one.value.value for one in keywords if isinstance(one.value, ast.Constant)
            }
    return None


def _fields(node: ast.ClassDef, *, is_by_name: bool) -> Iterator[RecordField]:
    for part in node.body:
        if not isinstance(part, ast.AnnAssign) or not isinstance(part.target, ast.Name):
            continue
        kind = ast.unparse(part.annotation)
        if "ClassVar" in kind:
            continue
        if kind.removeprefix("dataclasses.") == "KW_ONLY":
            is_by_name = True
            continue
        options: dict[str | None, object] = {}
        if isinstance(part.value, ast.Call) and ast.unparse(part.value.func).endswith("field"):
            options = {
                one.arg: one.value.value
                for one in part.value.keywords
                if isinstance(one.value, ast.Constant)
            }
        by_name = options.get("kw_only", is_by_name) is True
        default = options.get("default", UNKNOWN)
        if isinstance(part.value, ast.Constant):
            default = part.value.value
        yield RecordField(part.target.id, options.get("init") is not False, by_name, default)


def _has(node: ast.ClassDef, *names: str) -> bool:
    """Does a class define one of these functions itself?"""
    return any(isinstance(part, ast.FunctionDef) and part.name in names for part in node.body)
