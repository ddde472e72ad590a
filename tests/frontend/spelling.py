"""How does LLVM write a type?  The inverse of the reader, to compare with the oracle."""

from __future__ import annotations

import re
from typing import Any

from whence.frontend.c.ir import (
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    NamedType,
    PointerType,
    StructType,
    Type,
    VectorType,
)


def spelled(kind: Type) -> str:
    if isinstance(kind, IntType):
        return f"i{kind.bits}"
    if isinstance(kind, FloatType):
        return kind.kind
    if isinstance(kind, PointerType):
        return f"ptr addrspace({kind.space})" if kind.space else "ptr"
    if isinstance(kind, ArrayType):
        return f"[{kind.count} x {spelled(kind.element)}]"
    if isinstance(kind, VectorType):
        return f"<{kind.count} x {spelled(kind.element)}>"
    if isinstance(kind, StructType):
        fields = ", ".join(spelled(field) for field in kind.fields)
        braces = f"{{ {fields} }}" if fields else "{}"
        return f"<{braces}>" if kind.packed else braces
    if isinstance(kind, NamedType):
        return sigil("%", kind.name)
    if isinstance(kind, FunctionType):
        params = [spelled(param) for param in kind.params] + ["..."] * kind.variadic
        return f"{spelled(kind.result)} ({', '.join(params)})"
    return kind.name


def sigil(mark: str, name: str) -> str:
    """Return a name with its mark, in quotes if needed."""
    return mark + name if re.fullmatch(r"[-\w.]+", name) else f'{mark}"{name}"'


def written(kind: Any) -> str:
    """Return the text of an llvmlite type; for a named struct, only the name."""
    return str(kind).split(" = type ")[0]
