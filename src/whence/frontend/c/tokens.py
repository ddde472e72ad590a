"""Which type, value or attribute do the next tokens of LLVM IR spell?

`IRTokens` walks over one instruction or one line of a module; it knows nothing about instructions.
"""

from __future__ import annotations

import re
import struct

from whence.frontend.c.ir import (
    ArrayType,
    Asm,
    Bytes,
    Elements,
    Expression,
    Float,
    FloatType,
    FunctionType,
    Global,
    Int,
    IntType,
    Label,
    Local,
    Meta,
    NamedType,
    OtherType,
    PointerType,
    StructType,
    Type,
    Typed,
    Undefined,
    Value,
    VectorType,
    Zero,
)

PTR = PointerType()
LABEL = OtherType("label")
METADATA = OtherType("metadata")

# The end of the text and a comment are both the empty token: nothing follows them.
_TOKEN = re.compile(
    r"""\s*(?:;.*|(
      [%@$!c]?"[^"]*"           # a string or a quoted name; quotes in it are \22
    | [%@$!\#][-\w.$]*          # %x  @x  $x  !5  !DIFile  #3
    | [-+\w.$]+                 # i32  -5  1.5e+00  0xK3FFF  ...
    | \S                        # punctuation; the reader refuses what is out of place
    )|$)""",
    re.VERBOSE,
)
_ESCAPE = re.compile(rb"\\(\\|[0-9A-Fa-f]{2})")
_INT_TYPE = re.compile(r"i(\d+)$")
_INTEGER = re.compile(r"-?\d+$")
_WORD = re.compile(r"[a-z_][\w.]*$")
_FLOATS = ("half", "bfloat", "float", "double", "x86_fp80", "fp128", "ppc_fp128")
_WORD_TYPES: dict[str, Type] = {
    "ptr": PTR,
    **{kind: FloatType(kind) for kind in _FLOATS},
    **{w: OtherType(w) for w in ("void", "label", "metadata", "token", "opaque", "x86_amx")},
}
_WORD_VALUES: dict[str, Value] = {
    "true": Int(1),
    "false": Int(0),
    **dict.fromkeys(("null", "zeroinitializer", "none"), Zero()),
    **dict.fromkeys(("undef", "poison"), Undefined()),
}
_EXPRESSIONS = frozenset((
    "getelementptr", "ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "addrspacecast", "trunc",
    "add", "sub", "mul", "shl", "xor", "and", "or", "lshr", "ashr", "zext", "sext",
    "extractelement", "insertelement", "shufflevector",
))  # fmt: skip
_FLAGS = frozenset(("inbounds", "nusw", "nuw", "nsw", "inrange", "exact"))
_NOT_ATTRIBUTES = (
    _EXPRESSIONS | _WORD_TYPES.keys() | _WORD_VALUES.keys()
    | {"target", "splat", "blockaddress", "dso_local_equivalent", "no_cfi", "asm", "to"}
)  # fmt: skip
_TYPED_ATTRIBUTES = frozenset(("byval", "sret", "byref", "inalloca", "preallocated", "elementtype"))
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


class IRError(Exception):
    """The text is not IR that we can read: our bug, or a compiler that is too new."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line + 1}: {text}")
        self.line = line
        self.text = text


def unescape(text: str) -> bytes:
    r"""Return the bytes that the inside of a quoted string stands for: `a\22` is b'a"'."""

    def byte(match: re.Match[bytes]) -> bytes:
        return b"\\" if match[1] == b"\\" else bytes((int(match[1], 16),))

    raw = text.encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(byte, raw) if "\\" in text else raw


def plain_name(token: str) -> str:
    """Return a name without sigil, quotes and escapes: `%"a\\22"` and `"a\\22"` are a"."""
    if token[0] in "%@$!":
        token = token[1:]
    if token[:1] == '"':
        return unescape(token[1:-1]).decode("utf-8", "surrogateescape")
    return token


class IRTokens:
    """A position in a text that starts on line `line` of the module and has `lines` lines."""

    __slots__ = ("_at", "_text", "_tokens", "line", "lines")

    def __init__(self, text: str, line: int, lines: int = 1) -> None:
        self._text = text
        self._tokens = _TOKEN.findall(text)
        self._tokens.append("")
        self._at = 0
        self.line = line
        self.lines = lines

    # --- tokens ---

    def error(self) -> IRError:
        """Return the exception for a next token that makes no sense."""
        return IRError(self.line, self._text)

    def peek(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def next(self) -> str:
        token: str = self._tokens[self._at]
        if not token:
            raise self.error()
        self._at += 1
        return token

    def accept(self, token: str) -> bool:
        """Is this the next token?  If so, move past it."""
        if self._tokens[self._at] != token:
            return False
        self._at += 1
        return True

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise self.error()

    def integer(self) -> int:
        token = self.next()
        if not _INTEGER.match(token):
            raise self.error()
        return int(token)

    def written(self, start: int) -> str:
        """Return the text from token `start` up to here, as written."""
        spans = [match.span(1) for match in _TOKEN.finditer(self._text)]
        return self._text[spans[start][0] : spans[self._at - 1][1]]

    @property
    def at(self) -> int:
        return self._at

    def skip_brackets(self) -> None:
        """Move past the bracket that opens here and everything in it."""
        closing = [_CLOSING[self.next()]]
        while closing:
            token = self.next()
            if token == closing[-1]:
                closing.pop()
            elif token in "([{":  # the < and > of types in it close themselves
                closing.append(_CLOSING[token])

    # --- types ---

    def type(self) -> Type:
        token = self.next()
        found = _WORD_TYPES.get(token) or self._compound_type(token)
        if found == PTR and self.peek() == "addrspace":
            found = PointerType(self._address_space())
        while self.accept("("):
            found = self._function_type(found)
        return found

    def _compound_type(self, token: str) -> Type:
        if match := _INT_TYPE.match(token):
            return IntType(int(match[1]))
        if token[0] == "%":
            return NamedType(plain_name(token))
        if token == "[":
            count, element = self._sequence("]")
            return ArrayType(count, element)
        if token == "{":
            return StructType(self._fields())
        if token == "<":
            if self.accept("{"):
                fields = self._fields()
                self.expect(">")
                return StructType(fields, packed=True)
            count, element = self._sequence(">")
            return VectorType(count, element)
        if token == "target":
            start = self._at - 1
            self.skip_brackets()
            return OtherType(self.written(start))
        raise self.error()

    def _sequence(self, closing: str) -> tuple[int, Type]:
        count = self.integer()
        self.expect("x")
        element = self.type()
        self.expect(closing)
        return count, element

    def _fields(self) -> tuple[Type, ...]:
        fields: list[Type] = []
        while not self.accept("}"):
            if fields:
                self.expect(",")
            fields.append(self.type())
        return tuple(fields)

    def _function_type(self, result: Type) -> FunctionType:
        params: list[Type] = []
        variadic = False
        while not self.accept(")"):
            if params:
                self.expect(",")
            if self.accept("..."):
                variadic = True
            else:
                params.append(self.type())
        return FunctionType(result, tuple(params), variadic)

    def _address_space(self) -> int:
        self.expect("addrspace")
        self.expect("(")
        space = self.integer()
        self.expect(")")
        return space

    # --- values ---

    def typed(self) -> Typed:
        """Read a type and a value of that type."""
        kind = self.type()
        return Typed(kind, self.metadata() if kind == METADATA else self.value(kind))

    def label(self) -> Typed:
        """Read `label %x`."""
        self.expect("label")
        return Typed(LABEL, Label(self.local()))

    def local(self) -> str:
        token = self.next()
        if token[0] != "%":
            raise self.error()
        return plain_name(token)

    def value(self, kind: Type) -> Value:
        """Read a value of type `kind`, written without its type."""
        token = self.next()
        if token[0] == "%":
            return Local(plain_name(token))
        if token[0] == "@":
            return Global(plain_name(token))
        if (known := _WORD_VALUES.get(token)) is not None:
            return known
        if isinstance(kind, FloatType):
            return Float(self._float_bits(kind.kind, token))
        if _INTEGER.match(token):
            return Int(int(token))
        if token[:2] == 'c"':
            return Bytes(unescape(token[2:-1]))
        return self._elements(kind, token) or self._expression(token)

    def metadata(self) -> Meta:
        """Read a metadata operand, up to the comma or bracket that ends it."""
        start = self._at
        while self.peek() not in (",", ")", ""):
            if self.peek() in _CLOSING:
                self.skip_brackets()
            else:
                self.next()
        return Meta(self.written(start))

    def assembly(self) -> Asm:
        """Read `asm sideeffect "text", "constraints"`."""
        start = self._at
        self.expect("asm")
        while self.next() != ",":
            pass
        self.next()
        return Asm(self.written(start))

    def _elements(self, kind: Type, token: str) -> Elements | None:
        if token == "splat" and isinstance(kind, VectorType):
            self.expect("(")
            element = self.typed()
            self.expect(")")
            return Elements((element,) * kind.count)
        if token == "<" and self.accept("{"):
            elements = self.typed_list("}")
            self.expect(">")
            return Elements(elements)
        if token in ("[", "{", "<"):
            return Elements(self.typed_list(_CLOSING[token]))
        return None

    def typed_list(self, closing: str) -> tuple[Typed, ...]:
        """Read typed values separated by commas, up to and including the closing bracket."""
        found: list[Typed] = []
        while not self.accept(closing):
            if found:
                self.expect(",")
            found.append(self.typed())
        return tuple(found)

    def _expression(self, opcode: str) -> Expression:
        if opcode == "blockaddress":
            self.expect("(")
            function = Typed(PTR, self.value(PTR))
            self.expect(",")
            block = Typed(LABEL, Label(self.local()))
            self.expect(")")
            return Expression(opcode, (function, block))
        if opcode in ("dso_local_equivalent", "no_cfi"):
            return Expression(opcode, (Typed(PTR, self.value(PTR)),))
        if opcode not in _EXPRESSIONS:
            raise self.error()
        while self.peek() in _FLAGS:
            if self.next() == "inrange":
                self.skip_brackets()
        return self._operation(opcode)

    def _operation(self, opcode: str) -> Expression:
        self.expect("(")
        element = None
        if opcode == "getelementptr":
            element = self.type()
            self.expect(",")
        operands = [self.typed()]
        while self.accept(","):
            operands.append(self.typed())
        if self.accept("to"):
            self.type()
        self.expect(")")
        return Expression(opcode, tuple(operands), element)

    def _float_bits(self, kind: str, token: str) -> int:
        try:
            return float_bits(kind, token)
        except (ValueError, KeyError, OverflowError):
            raise self.error() from None

    # --- attributes ---

    def is_attribute(self) -> bool:
        token = self.peek()
        if token[:1] == '"':
            return True
        known = token in _NOT_ATTRIBUTES or _INT_TYPE.match(token)
        return not known and _WORD.match(token) is not None

    def attribute(self) -> tuple[str, Type | None]:
        """Read one attribute; return its word, and its type if it has one, as in byval(T)."""
        word = self.next()
        kind: Type | None = None
        if word[0] == '"':
            if self.accept("="):
                self.next()
        elif self.peek() == "(":
            if word in _TYPED_ATTRIBUTES:
                self.next()
                kind = self.type()
                self.expect(")")
            else:
                self.skip_brackets()
        elif word in ("align", "cc", "alignstack") and _INTEGER.match(self.peek()):
            self.next()
        return word, kind

    def attributes(self) -> dict[str, Type | None]:
        """Read all attributes that come next."""
        found: dict[str, Type | None] = {}
        while self.is_attribute():
            word, kind = self.attribute()
            found[word] = kind
        return found


def float_bits(kind: str, token: str) -> int:
    """Return the bits, in type `kind`, of a floating-point constant as LLVM writes it."""
    if token[:2] != "0x":
        code, whole = {"half": "<e", "float": "<f", "double": "<d"}[kind], float(token)
        return int.from_bytes(struct.pack(code, whole), "little")
    if token[2] in "KHR":  # x86_fp80, half, bfloat
        return int(token[3:], 16)
    if token[2] in "LM":  # fp128, ppc_fp128: the low word comes first
        return int(token[19:], 16) << 64 | int(token[3:19], 16)
    bits = int(token[2:], 16)
    return _narrowed(bits) if kind == "float" else bits


def _narrowed(bits: int) -> int:
    """Return the bits of a float, given the double that LLVM writes for it."""
    if bits >> 52 & 0x7FF == 0x7FF:  # arithmetic would change signalling NaNs
        return bits >> 63 << 31 | 0xFF << 23 | bits >> 29 & 0x7FFFFF
    (value,) = struct.unpack("<d", bits.to_bytes(8, "little"))
    return int.from_bytes(struct.pack("<f", value), "little")
