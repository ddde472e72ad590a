"""Which calls does the model of a library function describe, and what do its hooks need?

Old C declares library functions without their parameters (`char *malloc();`), or with other
integer types (`int strlen();`).  A call passes what the caller wrote, and the hooks of the model
get it turned into the types that the function really has.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from whence.frontend.c.constants import quote
from whence.frontend.c.ir import (
    ArrayType,
    FloatType,
    FunctionType,
    Global,
    Instruction,
    Int,
    IntType,
    NamedType,
    PointerType,
    StructType,
    Type,
    Typed,
    VectorType,
)
from whence.frontend.c.models import MODELS, Model


@dataclass(frozen=True, slots=True)
class ModelledCall:
    """A call that a model describes.

    A cast is the instruction that makes the type of the model; "": the call has that type.
    """

    model: Model
    casts: tuple[str, ...]
    result_cast: str


def modelled_call(call: Instruction, defined: Container[str]) -> ModelledCall | None:
    """Return what describes `call`; None if no model does.  The module has `defined` itself."""
    if not isinstance(call.callee, Global) or call.function is None or call.callee.name in defined:
        return None
    model = MODELS.get(call.callee.name)
    if model is None or not _counts_fit(model, len(call.operands)):
        return None
    casts = [_argument_cast(*pair) for pair in zip(call.operands, model.params, strict=False)]
    result = _result_cast(call.function.result, model)
    if result is None or None in casts:
        return None
    return ModelledCall(model, tuple(cast or "" for cast in casts), result)


def _counts_fit(model: Model, given: int) -> bool:
    return given == len(model.params) or (model.variadic and given > len(model.params))


def _argument_cast(given: Typed, wanted: str) -> str | None:
    written = type_text(given.type)
    if isinstance(given.type, IntType) and wanted == "ptr":
        # 0 is the null pointer also where no declaration says that a pointer is wanted.
        return "inttoptr" if given.value == Int(0) else None
    return _integer_cast(given.type, wanted) if written != wanted else ""


def _result_cast(given: Type, model: Model) -> str | None:
    written = type_text(given)
    if written == model.result or model.result == "void" or not model.after:
        return ""
    if isinstance(given, PointerType) and model.result[0] == "i":
        return "ptrtoint"  # `char *sprintf();`
    return _integer_cast(given, model.result)


def _integer_cast(given: Type, wanted: str) -> str | None:
    if not isinstance(given, IntType) or wanted[0] != "i":
        return None
    return "sext" if given.bits < int(wanted[1:]) else "trunc"


def type_text(of: Type) -> str:
    """Return a type as IR text."""
    if isinstance(of, IntType):
        return f"i{of.bits}"
    if isinstance(of, FloatType):
        return of.kind
    if isinstance(of, PointerType):
        return "ptr" if of.space == 0 else f"ptr addrspace({of.space})"
    if isinstance(of, ArrayType):
        return f"[{of.count} x {type_text(of.element)}]"
    if isinstance(of, VectorType):
        return f"<{of.count} x {type_text(of.element)}>"
    if isinstance(of, StructType):
        inner = "{ " + ", ".join(map(type_text, of.fields)) + " }" if of.fields else "{}"
        return f"<{inner}>" if of.packed else inner
    if isinstance(of, NamedType):
        return f"%{quote(of.name)}"
    if isinstance(of, FunctionType):
        params = [*map(type_text, of.params), *(["..."] if of.variadic else [])]
        return f"{type_text(of.result)} ({', '.join(params)})"
    return of.name
