"""Which C expression is an operand?

`TermWriter` writes constants and remembers the expressions of registers.  Its subclass writes the
instructions that compute registers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from whence.frontend.c import ir, terms
from whence.frontend.c.bodies import FunctionBody
from whence.frontend.c.expression_context import ExpressionContext
from whence.frontend.c.terms import NAMELESS, CTerm, constant_term, term_value

Values = Callable[[str], int | None]  # returns the value that a register held, or None

FLOAT_BYTES = {"half": 2, "float": 4, "double": 8}  # of the float types up to 64 bits
_MAX_DEPTH = 40  # limit on the depth of an expression; guessed
BINARY = {
    "add": ("+", terms.SUM), "sub": ("-", terms.SUM), "mul": ("*", terms.PRODUCT),
    "sdiv": ("/", terms.PRODUCT), "udiv": ("/", terms.PRODUCT), "fdiv": ("/", terms.PRODUCT),
    "srem": ("%", terms.PRODUCT), "urem": ("%", terms.PRODUCT), "frem": ("%", terms.PRODUCT),
    "fadd": ("+", terms.SUM), "fsub": ("-", terms.SUM), "fmul": ("*", terms.PRODUCT),
    "shl": ("<<", terms.SHIFT), "lshr": (">>", terms.SHIFT), "ashr": (">>", terms.SHIFT),
    "and": ("&", terms.AND), "or": ("|", terms.OR), "xor": ("^", terms.XOR),
}  # fmt: skip
CASTS = (
    "trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp",
    "ptrtoint", "inttoptr", "bitcast", "addrspacecast", "freeze", "ptrtoaddr",
)  # fmt: skip


class TermWriter(ABC):
    """Writes the operands of one function as C expressions."""

    def __init__(
        self, program: ExpressionContext, body: FunctionBody, values: Values | None
    ) -> None:
        self.program, self.body, self.values = program, body, values
        self.objects = program.objects
        self.terms: dict[str, CTerm] = {}
        self.shared = body.terms if values is None else {}
        self.depth = 0
        self.is_cut = False  # was an expression cut because it was too deep?

    def value(self, operand: ir.Value | ir.Typed) -> CTerm:
        """Return an operand as a value, not as a place."""
        return term_value(self.term(operand))

    def term(self, operand: ir.Value | ir.Typed) -> CTerm:
        kind, value = (
            (operand.type, operand.value)
            if isinstance(operand, ir.Typed)
            else (ir.OtherType("unknown"), operand)
        )
        if isinstance(value, ir.Local):
            return self._register(value.name)
        if isinstance(value, ir.Global):
            return self.program.global_term(value.name)
        if isinstance(value, ir.Expression):
            return self.constant_expression(value)
        return self._constant(kind, value)

    def _constant(self, kind: ir.Type, value: ir.Value) -> CTerm:
        if isinstance(value, ir.Int):
            is_truth = kind == ir.IntType(1)
            return constant_term(value.value & 1 if is_truth else value.value)
        if isinstance(value, ir.Zero):
            return CTerm("NULL", number=0) if isinstance(kind, ir.PointerType) else constant_term(0)
        if isinstance(value, ir.Float) and isinstance(kind, ir.FloatType):
            return CTerm(terms.float_text(value.bits, FLOAT_BYTES.get(kind.kind, 10)))
        if isinstance(value, ir.Bytes):
            return CTerm(terms.c_string(value.data.removesuffix(b"\0")))
        return NAMELESS

    @abstractmethod
    def constant_expression(self, value: ir.Expression) -> CTerm:
        """Write a constant expression of IR, such as the address of an array element."""

    @abstractmethod
    def compute(self, name: str) -> CTerm:
        """Write the expression of a register for the first time."""

    def _register(self, name: str) -> CTerm:
        found = self.terms.get(name) or self.shared.get(name)
        if found:
            return found
        if not self.enter():
            return NAMELESS
        term = self.terms[name] = self.compute(name)
        self.depth -= 1
        if not self.is_cut:  # a cut text depends on where the walk began
            self.shared[name] = term
        return term

    def defined(self, operand: ir.Typed) -> ir.Instruction | None:
        name = operand.value.name if isinstance(operand.value, ir.Local) else ""
        return self.body.definitions[name][0] if name in self.body.definitions else None

    def enter(self) -> bool:
        """Go one level deeper into an expression; return False at the depth limit."""
        if self.depth >= _MAX_DEPTH:
            self.is_cut = True
            return False
        self.depth += 1
        return True
