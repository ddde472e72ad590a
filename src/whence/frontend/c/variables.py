"""Which object does a user mean by `opt->name[3]` at a line of a function?

Debug information gives no last line of a block, so a block reaches to the last line of its
instructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from whence.errors import UserError
from whence.frontend.c import ir
from whence.frontend.c.debug import Debug, DebugMember, DebugType
from whence.frontend.c.terms import bare


@dataclass(frozen=True, slots=True)
class VisibleVariable:
    """A variable, and the lines that can name it."""

    name: str
    address: ir.Local | ir.Global
    type: DebugType | None
    first: int
    last: int
    depth: int  # depth of its scope: 0 is the file, 1 the function, then blocks
    is_indirect: bool = False  # does the address hold the address of the variable?


@dataclass(frozen=True, slots=True)
class VariablePlace:
    """An object, found from the address of a variable.

    Start with the variable's address plus hops[0].  For each further hop, load the pointer there
    and add the hop.
    """

    hops: tuple[int, ...]
    type: DebugType | None
    bits: tuple[int, int] | None = None  # of a bit-field: its lowest bit, and its width


def visible_variables(module: ir.Module, debug: Debug, function: str) -> list[VisibleVariable]:
    """Return the variables that lines of a function can name, innermost first."""
    body = module.functions[function]
    reach = _reach(body, debug)
    found = [*_locals(body, debug, reach), *_globals(module, debug, body.subprogram, reach)]
    return sorted(found, key=lambda each: (-each.depth, each.first, each.name))


def _reach(body: ir.Function, debug: Debug) -> dict[int, tuple[int, int]]:
    """Return the first and last line of each scope of a function."""
    numbers = {each.location for block in body.blocks for each in block.instructions}
    found: dict[int, tuple[int, int]] = {}
    for number in sorted(each for each in numbers if each is not None):
        location = debug.location(number)
        scope = debug.scope(debug.scope_of_location(number))
        while location and location.line and scope:
            start = scope.line or location.line
            first, last = found.get(scope.number, (start, start))
            found[scope.number] = (min(first, location.line), max(last, location.line))
            scope = None if scope.is_function else debug.scope(scope.parent)
    return found


def _depth(debug: Debug, number: int | None) -> int:
    """Return the nesting depth of a scope in its function; 0 if it is in none."""
    depth, scope = 0, debug.scope(number)
    while scope:
        depth += 1
        if scope.is_function:
            return depth
        scope = debug.scope(scope.parent)
    return 0


def _locals(
    body: ir.Function, debug: Debug, reach: dict[int, tuple[int, int]]
) -> Iterator[VisibleVariable]:
    for declare in body.declares:
        variable = debug.variable(declare.variable)
        is_this = variable is not None and variable.name == "this"
        if not variable or not isinstance(declare.address, ir.Local):
            continue
        if variable.artificial and not is_this:
            continue
        first, last = reach.get(variable.scope, (variable.line, variable.line))
        yield VisibleVariable(
            variable.name,
            declare.address,
            variable.type,
            first if variable.arg else variable.line,
            last,
            _depth(debug, variable.scope),
            "DW_OP_deref" in declare.expression,
        )


def _globals(
    module: ir.Module, debug: Debug, subprogram: int | None, reach: dict[int, tuple[int, int]]
) -> Iterator[VisibleVariable]:
    for name, variable in module.variables.items():
        known = None if variable.debug is None else debug.global_variable(variable.debug)
        if not known or not known.name:
            continue
        owner = debug.function_of(known.scope)
        if owner is None:
            yield VisibleVariable(known.name, ir.Global(name), known.type, 0, 1 << 31, 0)
        elif owner == subprogram:
            last = reach.get(known.scope or 0, (known.line, known.line))[1]
            depth = _depth(debug, known.scope)
            yield VisibleVariable(known.name, ir.Global(name), known.type, known.line, last, depth)


# --- paths -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of a path: `.name`, `->name`, `[index]` or `*`."""

    operator: str  # one of . -> [ *
    name: str = ""
    index: int = 0


@dataclass(frozen=True, slots=True)
class VariablePath:
    variable: str
    steps: tuple[PathStep, ...]


_TOKEN = re.compile(r"\s*(->|\.|\[\s*-?(?:0[xX][\da-fA-F]+|\d+)\s*\]|[*()]|[A-Za-z_$][\w$:]*)\s*")


def parse_path(text: str) -> VariablePath:
    """Parse `*opt->name[3]`, `(*pp)->next` or `ns::table[1].x`."""
    tokens, at = list[str](), 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise _not_a_path(text)
        tokens.append(found[1])
        at = found.end()
    path = _unary(tokens, text)
    if tokens:
        raise _not_a_path(text)
    return path


def _unary(tokens: list[str], text: str) -> VariablePath:
    if tokens and tokens[0] == "*":
        tokens.pop(0)
        inner = _unary(tokens, text)
        return replace(inner, steps=(*inner.steps, PathStep("*")))
    path = _primary(tokens, text)
    while tokens and (tokens[0] in (".", "->") or tokens[0][0] == "["):
        token = tokens.pop(0)
        if token[0] == "[":
            step = PathStep("[", index=int(token[1:-1], 0))
        elif tokens and (tokens[0][0].isalpha() or tokens[0][0] in "_$"):
            step = PathStep(token, tokens.pop(0))
        else:
            raise _not_a_path(text)
        path = replace(path, steps=(*path.steps, step))
    return path


def _primary(tokens: list[str], text: str) -> VariablePath:
    token = tokens.pop(0) if tokens else ""
    if token == "(":
        path = _unary(tokens, text)
        if not tokens or tokens.pop(0) != ")":
            raise _not_a_path(text)
        return path
    if not token or not (token[0].isalpha() or token[0] in "_$"):
        raise _not_a_path(text)
    return VariablePath(token, ())


def _not_a_path(text: str) -> UserError:
    return UserError(
        f"{text!r} names no variable.\n"
        "Write a variable, or a part of one with ., ->, [number] and *, such as opt->name[3].",
        slug="variable-syntax",
    )


def follow(kind: DebugType | None, steps: tuple[PathStep, ...], text: str) -> VariablePlace:
    """Return the object that the steps lead to from a variable of type `kind`."""
    place = _through_reference(VariablePlace((0,), kind))
    for step in steps:
        place = _through_reference(_take(place, step, text))
    return place


def _take(place: VariablePlace, step: PathStep, text: str) -> VariablePlace:
    found = bare(place.type)
    kind = found.kind if found else ""
    if kind == "pointer" and step.operator != "*":  # accept `.` after a pointer as ->
        place = _behind(place)
        found = bare(place.type) if step.operator != "[" else place.type
    elif kind == "pointer":
        return _behind(place)
    if step.operator in (".", "->"):
        member = _find(found, step.name, 0)
        if member is None:
            raise _no_such_part(text, f"{_named(found)} has no member {step.name}", found)
        at = place.hops[-1] + member.offset
        bits = (member.bit_offset % 8, member.bits) if member.is_bitfield else None
        return VariablePlace((*place.hops[:-1], at), member.type, bits)
    inside = found if kind == "pointer" else found.base if found and kind == "array" else None
    if inside is None or not inside.size:
        raise _no_such_part(text, f"{_named(found)} has no elements of a known size", None)
    return VariablePlace((*place.hops[:-1], place.hops[-1] + step.index * inside.size), inside)


def _behind(place: VariablePlace) -> VariablePlace:
    found = bare(place.type)
    return VariablePlace((*place.hops, 0), found.base if found else None)


def _through_reference(place: VariablePlace) -> VariablePlace:
    found = bare(place.type)
    return _behind(place) if found and found.kind == "reference" else place


def _find(kind: DebugType | None, name: str, start: int) -> DebugMember | None:
    """Return a member by name, searching nameless members; add `start` to its bit offset."""
    for member in kind.members if kind else ():
        moved = replace(member, bit_offset=start + member.bit_offset)
        if member.name == name:
            return moved
        if member.is_base or not member.name:
            inner = _find(bare(member.type), name, moved.bit_offset)
            if inner:
                return inner
    return None


def _named(kind: DebugType | None) -> str:
    return str(kind) if kind else "void"


def _no_such_part(text: str, why: str, kind: DebugType | None) -> UserError:
    members = ", ".join(each.name for each in kind.members if each.name) if kind else ""
    hint = f"Its members are: {members}." if members else "Name another part of the variable."
    return UserError(f"{text!r} leads nowhere: {why}.\n{hint}", slug="variable-path")
