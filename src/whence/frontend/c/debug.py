"""What does the debug information of a module say about its source?

A module can have 200,000 nodes of debug information.  A node is parsed and kept when a caller needs
it.  Only `locations` looks at all nodes, and reads no more than their scopes.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from whence.frontend.c.metadata import Item, MetadataNode, Ref, parse_metadata


@dataclass(frozen=True, slots=True)
class Location:
    file: str
    line: int
    column: int
    function: str


@dataclass(frozen=True, slots=True)
class LocalVariable:
    name: str
    type: DebugType | None
    line: int
    arg: int  # counted from 1; 0 for a variable that is not a parameter
    scope: int
    file: str
    artificial: bool = False  # made by the compiler: `this`, the size of a VLA


@dataclass(frozen=True, slots=True)
class GlobalVariable:
    name: str  # qualified by namespaces and classes; "" for a string literal
    type: DebugType | None
    line: int
    scope: int | None  # for a static local: its function or block
    file: str


@dataclass(frozen=True, slots=True)
class Subprogram:
    name: str  # qualified by namespaces and classes
    file: str
    line: int  # of the declaration
    scope_line: int  # where the body begins
    type: DebugType | None
    is_method: bool  # does it take `this`?


@dataclass(frozen=True, slots=True)
class DebugScope:
    number: int
    parent: int | None
    line: int
    is_function: bool


@dataclass(frozen=True, slots=True)
class DebugMember:
    """A member of a struct, union or class; a base class is a member without a name."""

    name: str
    type: DebugType | None
    bit_offset: int  # from the start of the struct
    bits: int
    is_bitfield: bool = False
    is_base: bool = False

    @property
    def offset(self) -> int:
        return self.bit_offset // 8


_KINDS = {
    "DW_TAG_pointer_type": "pointer", "DW_TAG_reference_type": "reference",
    "DW_TAG_rvalue_reference_type": "reference", "DW_TAG_typedef": "typedef",
    "DW_TAG_const_type": "const", "DW_TAG_volatile_type": "volatile",
    "DW_TAG_restrict_type": "restrict", "DW_TAG_atomic_type": "_Atomic",
    "DW_TAG_ptr_to_member_type": "member pointer", "DW_TAG_structure_type": "struct",
    "DW_TAG_class_type": "class", "DW_TAG_union_type": "union",
    "DW_TAG_enumeration_type": "enum", "DW_TAG_array_type": "array",
    "DW_TAG_unspecified_type": "basic",
}  # fmt: skip
# Kinds of types that only name or qualify their base.
_WRAPPERS = ("typedef", "const", "volatile", "restrict", "_Atomic")
POINTER_BYTES = 8


@dataclass(frozen=True, eq=False)
class DebugType:
    """A type of the source.  Equality is identity: each node is made into one DebugType.

    `kind` is basic, pointer, reference, typedef, const, volatile, restrict, _Atomic,
    member pointer, struct, class, union, enum, array or function.  `base` is what it
    points to, names, qualifies, or is an array of; None is void.
    """

    debug: Debug = field(repr=False)
    node: MetadataNode = field(repr=False)
    kind: str
    name: str = ""
    encoding: str = ""  # of a basic type: signed, unsigned, boolean, float, signed_char, ...
    dimension: int = 0  # of an array: the number of outer dimensions that were indexed away

    @cached_property
    def base(self) -> DebugType | None:
        if self.kind == "array" and self.dimension + 1 < len(self._ranges):
            return DebugType(self.debug, self.node, "array", dimension=self.dimension + 1)
        return self.debug.type(self.node.fields.get("baseType"))

    @cached_property
    def _ranges(self) -> tuple[MetadataNode, ...]:
        return tuple(self.debug.nodes(self.node.fields.get("elements"))) or (MetadataNode("", {}),)

    @cached_property
    def count(self) -> int | None:
        """Return the number of elements of an array; None if it is not known at compile time."""
        subrange = self._ranges[self.dimension].fields
        count, upper = subrange.get("count"), subrange.get("upperBound")
        if isinstance(upper, int) and not isinstance(count, int):
            count = upper + 1
        return count if isinstance(count, int) and count >= 0 else None

    @cached_property
    def size(self) -> int:
        """Return the size in bytes; 0 if it is not known."""
        if self.kind == "array":
            return (self.count or 0) * (self.base.size if self.base else 0)
        if self.kind in _WRAPPERS or (self.kind == "enum" and not self.node.int("size")):
            return self.base.size if self.base else 0
        if self.kind in ("pointer", "reference") and not self.node.int("size"):
            return POINTER_BYTES
        return self.node.int("size") // 8

    @cached_property
    def members(self) -> tuple[DebugMember, ...]:
        """Return the members of a struct, union or class in order, base classes included."""
        if self.kind not in ("struct", "class", "union"):
            return ()
        found = self.debug.nodes(self.node.fields.get("elements"))
        return tuple(self._member(node) for node in found if _is_member(node))

    def _member(self, node: MetadataNode) -> DebugMember:
        kind = self.debug.type(node.fields.get("baseType"))
        is_base = node.text("tag") == "DW_TAG_inheritance"
        bits = node.int("size") or (kind.size * 8 if kind else 0)
        is_bitfield = "DIFlagBitField" in node.text("flags")
        return DebugMember(node.text("name"), kind, node.int("offset"), bits, is_bitfield, is_base)

    @cached_property
    def virtual_methods(self) -> Mapping[int, str]:
        """Return the names of the virtual methods of a class by their index in the vtable."""
        return {
            node.int("virtualIndex"): node.text("name")
            for node in self.debug.nodes(self.node.fields.get("elements"))
            if node.tag == "DISubprogram"
            and "Virtual" in node.text("spFlags")
            # clang gives index 0 to every destructor
            and not node.text("name").startswith("~")
        }

    @cached_property
    def enumerators(self) -> Mapping[int, str]:
        """Return the first name of each enum value; names of scoped enums are qualified."""
        prefix = f"{self.name}::" if "DIFlagEnumClass" in self.node.text("flags") else ""
        found: dict[int, str] = {}
        for node in self.debug.nodes(self.node.fields.get("elements")):
            found.setdefault(node.int("value"), prefix + node.text("name"))
        return found

    @cached_property
    def signature(self) -> tuple[DebugType | None, ...]:
        """Return the result type, then the parameter types (None: void, or "..." at the end)."""
        types = self.debug.items(self.node.fields.get("types"))
        return tuple(self.debug.type(item) for item in types)

    def strip(self) -> DebugType | None:
        """Return the type under typedefs and qualifiers."""
        kind: DebugType | None = self
        while kind and kind.kind in _WRAPPERS:
            kind = kind.base
        return kind

    @property
    def is_unsigned(self) -> bool:
        bare = self.strip()
        if bare is None:
            return False
        if bare.kind == "enum":
            return min(bare.enumerators, default=0) >= 0
        return bare.encoding.startswith("unsigned") or bare.encoding in _UNSIGNED

    def __str__(self) -> str:
        return spell(self)


# Encodings that are unsigned without the word in their names.
_UNSIGNED = ("boolean", "UTF", "address")


def _is_member(node: MetadataNode) -> bool:
    if node.text("tag") not in ("DW_TAG_member", "DW_TAG_inheritance"):
        return False
    return "DIFlagStaticMember" not in node.text("flags")


def spell(kind: DebugType | None, inner: str = "") -> str:
    """Return the type as C writes it, around the declarator `inner`.

    pointer to array of 3 int, "p"  ->  int (*p)[3]
    """
    if kind is None:
        return f"void {inner}".rstrip()
    if kind.kind in ("pointer", "reference", "member pointer"):
        return _spell_pointer(kind, inner)
    if kind.kind == "array":
        return spell(kind.base, f"{inner}[{'' if kind.count is None else kind.count}]")
    if kind.kind == "function":
        result, *parameters = kind.signature or (None,)
        listed = [spell(each) if each else "..." for each in parameters] or ["void"]
        return spell(result, f"{inner}({', '.join(listed)})")
    if kind.kind in _WRAPPERS[1:]:
        under = kind.base and kind.base.kind
        if under in ("pointer", "reference"):
            return spell(kind.base, f"{kind.kind} {inner}".rstrip())
        return f"{kind.kind} {spell(kind.base, inner)}"
    has_keyword = kind.kind in ("struct", "union", "enum") and not kind.debug.is_cplusplus
    name = kind.name or ("" if has_keyword else f"{kind.kind} ") + "{...}"
    return " ".join(filter(None, [kind.kind if has_keyword else "", name, inner]))


def _spell_pointer(kind: DebugType, inner: str) -> str:
    if kind.kind == "member pointer":
        of = kind.debug.type(kind.node.fields.get("extraData"))
        star = f"{of.name if of else ''}::*"
    else:
        rvalue = "rvalue" in kind.node.text("tag")
        star = "*" if kind.kind == "pointer" else "&&" if rvalue else "&"
    if kind.base and kind.base.kind in ("array", "function"):
        return spell(kind.base, f"({star}{inner})")
    return spell(kind.base, star + inner)


_NAMED_TYPE = re.compile(r"(?:distinct )?!DI(?:Basic|Composite)Type\(")
_TYPE_NAME = re.compile(r'\bname: "([^"]*)"')


class Debug:
    """The debug information of a module, by node number."""

    def __init__(self, metadata: Mapping[int, str]) -> None:
        self._metadata = metadata
        self._nodes: dict[int, MetadataNode] = {}
        self._types: dict[int, DebugType | None] = {}

    def node(self, item: Item) -> MetadataNode | None:
        """Return the node that a field refers to or holds."""
        if not isinstance(item, Ref):
            return item if isinstance(item, MetadataNode) else None
        if item.number not in self._nodes:
            text = self._metadata.get(item.number)
            if text is None:
                return None
            self._nodes[item.number] = parse_metadata(text)
        return self._nodes[item.number]

    def items(self, item: Item) -> tuple[Item, ...]:
        node = self.node(item)
        return node.items if node else ()

    def nodes(self, item: Item) -> Iterator[MetadataNode]:
        """Yield the nodes that are items of a tuple node."""
        return (node for each in self.items(item) if (node := self.node(each)))

    @cached_property
    def is_cplusplus(self) -> bool:
        """Was the module compiled from C++?"""
        units = (text for text in self._metadata.values() if "!DICompileUnit(" in text)
        return any(re.search(r"language: DW_LANG_(C_plus|ObjC_plus)", unit) for unit in units)

    def file(self, node: MetadataNode | None) -> str:
        """Return the file of a node, joined to its directory if it is relative."""
        found = self.node(node.fields.get("file")) if node else None
        if not found:
            return ""
        name, directory = found.text("filename"), found.text("directory")
        is_absolute = name.startswith("/") or re.match(r"[A-Za-z]:[\\/]", name)
        return name if is_absolute or not directory else f"{directory}/{name}"

    # --- places ---

    def scope(self, number: int | None) -> DebugScope | None:
        """Return a function, block, namespace, class or file as a scope."""
        node = self.node(Ref(number)) if number is not None else None
        if node is None or number is None:
            return None
        is_function = node.tag == "DISubprogram"
        return DebugScope(number, _number(node.fields.get("scope")), node.int("line"), is_function)

    def subprogram(self, number: int | None) -> Subprogram | None:
        node = self.node(Ref(number)) if number is not None else None
        if not node or node.tag != "DISubprogram":
            return None
        kind = self.type(node.fields.get("type"))
        first = kind.signature[1] if kind and len(kind.signature) > 1 else None
        is_method = bool(first and "DIFlagObjectPointer" in first.node.text("flags"))
        line = node.int("line")
        scope_line = node.int("scopeLine") or line
        return Subprogram(self.qualified(node), self.file(node), line, scope_line, kind, is_method)

    def scope_lines(self, number: int) -> tuple[str, int] | None:
        """Return the file of a subprogram and the line where its body begins."""
        found = self.subprogram(number)
        return (found.file, found.scope_line) if found else None

    def qualified(self, node: MetadataNode) -> str:
        """Return the name of a node, qualified by the named scopes around it."""
        names = [node.text("name")]
        # The class that declares a static member or method is the scope of its declaration.
        declared = self.node(node.fields.get("declaration")) or node
        scope = self.node(declared.fields.get("scope"))
        while scope and scope.tag in ("DINamespace", "DICompositeType"):
            if scope.text("name") and not scope.fields.get("exportSymbols"):
                names.append(scope.text("name"))
            scope = self.node(scope.fields.get("scope"))
        return "::".join(reversed(names))

    def function_of(self, scope: int | None) -> int | None:
        """Return the number of the subprogram that contains a scope or is that scope."""
        inner = self.scope(scope)
        while inner and not inner.is_function:
            inner = self.scope(inner.parent)
        return inner.number if inner else None

    def location(self, number: int) -> Location | None:
        """Return the location of a !dbg; for inlined code, the location in the inlined function."""
        node = self.node(Ref(number))
        if not node or node.tag != "DILocation":
            return None
        function = self.subprogram(self.function_of(_number(node.fields.get("scope"))))
        file = self.file(self.node(node.fields.get("scope")))
        return Location(
            file, node.int("line"), node.int("column"), function.name if function else ""
        )

    def scope_of_location(self, number: int) -> int | None:
        node = self.node(Ref(number))
        return _number(node.fields.get("scope")) if node else None

    # --- variables and types ---

    def variable(self, number: int) -> LocalVariable | None:
        node = self.node(Ref(number))
        if not node or node.tag != "DILocalVariable":
            return None
        return LocalVariable(
            node.text("name"),
            self.type(node.fields.get("type")),
            node.int("line"),
            node.int("arg"),
            _number(node.fields.get("scope")) or 0,
            self.file(node),
            "DIFlagArtificial" in node.text("flags"),
        )

    def global_variable(self, number: int) -> GlobalVariable | None:
        """Return the variable of a DIGlobalVariableExpression."""
        expression = self.node(Ref(number))
        node = self.node(expression.fields.get("var")) if expression else None
        if not node:
            return None
        kind = self.type(node.fields.get("type"))
        scope = _number(node.fields.get("scope"))
        name = self.qualified(node) if node.text("name") else ""
        return GlobalVariable(name, kind, node.int("line"), scope, self.file(node))

    def type(self, item: Item) -> DebugType | None:
        """Return the type that a field refers to; None is void."""
        if not isinstance(item, Ref):
            return None
        if item.number not in self._types:
            node = self.node(item)
            self._types[item.number] = self._type(node) if node else None
        return self._types[item.number]

    def type_named(self, name: str) -> DebugType | None:
        """Return the complete type with a qualified name; None: there is none."""
        own = name.rpartition("::")[2]
        for number in self._named.get(own, ()):
            found = self.type(Ref(number))
            if found is not None and found.name == name and found.size:
                return found
        return None

    @cached_property
    def _named(self) -> dict[str, list[int]]:
        """The numbers of the classes, enums and basic types with each unqualified name."""
        found: dict[str, list[int]] = {}
        for number, text in self._metadata.items():
            match = _TYPE_NAME.search(text) if _NAMED_TYPE.match(text) else None
            if match is not None:
                found.setdefault(match[1], []).append(number)
        return found

    def _type(self, node: MetadataNode) -> DebugType | None:
        if node.tag == "DIBasicType":
            encoding = node.text("encoding").removeprefix("DW_ATE_")
            return DebugType(self, node, "basic", node.text("name"), encoding)
        if node.tag == "DISubroutineType":
            return DebugType(self, node, "function")
        kind = _KINDS.get(node.text("tag"))
        if node.tag not in ("DIDerivedType", "DICompositeType") or kind is None:
            return None
        return DebugType(self, node, kind, self.qualified(node) if node.text("name") else "")


def _number(item: Item) -> int | None:
    return item.number if isinstance(item, Ref) else None


# --- all locations of a module ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Locations:
    """The locations of all !dbg nodes: `line[number]` is 0 if node `number` has no location.

    `file[number]` is an index into `files`, or -1.
    """

    line: array[int]
    column: array[int]
    file: array[int]
    files: list[str]


_LOCATION = re.compile(r"(?:distinct )?!DILocation\(line: (\d+)(?:, column: (\d+))?, scope: !(\d+)")
_FILE = re.compile(r"[(,] ?file: !(\d+)")


def locations(metadata: Mapping[int, str]) -> Locations:
    """Return the locations of all !dbg nodes of a module."""
    length = max(metadata, default=-1) + 1
    line, column = array("i", bytes(4 * length)), array("i", bytes(4 * length))
    file = array("i", [-1]) * length
    indices: dict[str, int] = {}
    by_scope: dict[str, int] = {}
    debug = Debug(metadata)
    for number, text in metadata.items():
        found = _LOCATION.match(text)
        if not found:
            continue
        row, place, scope = found.groups()
        line[number], column[number] = int(row), int(place or 0)
        if scope not in by_scope:
            name = _file_of_scope(debug, metadata.get(int(scope), ""))
            by_scope[scope] = indices.setdefault(name, len(indices)) if name else -1
        file[number] = by_scope[scope]
    return Locations(line, column, file, list(indices))


def _file_of_scope(debug: Debug, text: str) -> str:
    # A module can have 25,000 block scopes: search each for its file without parsing it.
    found = _FILE.search(text)
    return debug.file(MetadataNode("", {"file": Ref(int(found[1]))})) if found else ""
