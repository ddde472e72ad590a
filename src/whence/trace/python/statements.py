"""How is a step of a Python run named and described?"""

from __future__ import annotations

import ast

from whence.frontend.python.values import UNKNOWN, Obj, Value, python_text
from whence.program.ids import Op, Step
from whence.program.source import NamedValue
from whence.trace.python.program import unmarked_name
from whence.trace.python.recording import PythonThread
from whence.trace.statements import StepDescriber
from whence.trace.step_names import StepNames

_MAX_NAME = 48  # limit on the characters of an expression that is used as a name; guessed
# Kinds of values that are not worth mentioning.
_UNMENTIONED = frozenset({"function", "class", "module", "builtin", "method"})
# Operations whose values are mentioned.
_MENTIONED = frozenset({
    "store", "param", "attr", "item", "binary", "inplace", "unary", "compare", "call", "format",
    "comp", "next", "set_attr", "set_item", "phi", "resume", "with_enter", "caught", "load",
    "unpack", "raise", "branch", "list", "tuple", "set", "dict",
})  # fmt: skip


class PythonStepNames(StepNames):
    """Names the steps of one Python thread."""

    connectives = ("and", "or")

    def __init__(self, thread: PythonThread) -> None:
        super().__init__(thread)
        self._python, self._program = thread, thread.program

    def function_of(self, op: Op) -> str:
        name = self._program.functions[self._program.function_of(op)].name
        return name.rpartition("<locals>.")[2]

    def _op(self, step: Step) -> Op:
        return self.thread.queries.op_of(step)

    def text(self, step: Step) -> str:
        """Return the expression that a step evaluated, or its variable."""
        op = self._op(step)
        opcode = self._program.opcode[op]
        if opcode in ("store", "param", "load", "delete"):
            return unmarked_name(self._program.name[op])
        return self._program.text[op] or self._program.name[op] or opcode

    def condition(self, step: Step) -> NamedValue:
        op = self._op(step)
        opcode = self._program.opcode[op]
        value = self._python.value(step)
        if opcode == "next":
            has_item = self._python.has_item(step)
            return NamedValue(self._loop(op), "not at its end" if has_item else "at its end")
        if opcode == "try":
            return NamedValue(
                "the try block", f"escaped by {python_text(value)}" if value else "completed"
            )
        if opcode == "match":
            return NamedValue(self.text(step), f"case {python_text(value)}")
        if opcode == "branch" and (asserted := self._asserted(op)):
            return NamedValue(asserted, "false" if value is True else "true")
        if opcode == "branch":
            return NamedValue(self._tested(op), "true" if value is True else "false")
        if opcode == "either":
            return NamedValue(self.text(step), python_text(value))
        return NamedValue(self.text(step), python_text(value))

    def _asserted(self, op: Op) -> str | None:
        """Return the condition of an assertion that pytest has rewritten as `if not condition`."""
        text = self._program.text[op] or ""
        if self._program.name[op] == "assert" or not text.startswith("assert "):
            return None
        try:
            (statement,) = ast.parse(text).body
        except SyntaxError:  # the text was cut
            return text.removeprefix("assert ")
        assert isinstance(statement, ast.Assert)
        return ast.get_source_segment(text, statement.test)

    def _tested(self, op: Op) -> str:
        use = self._program.uses[op][0]
        condition = self._program.text[op]
        if condition:
            return condition
        text = self._program.text[use] or self._program.name[use] if use and use > 0 else None
        return text or "the condition"

    def _loop(self, op: Op) -> str:
        use = self._program.uses[op][0]
        iterable = (self._program.text[use] or self._program.name[use]) if use and use > 0 else None
        return f"for {self._program.name[op] or '…'} in {iterable or '…'}"

    def loaded(self, step: Step) -> NamedValue | None:
        value = self._python.value(step)
        if value is UNKNOWN or (isinstance(value, Obj) and value.kind in _UNMENTIONED):
            return None
        text = self._target(step)
        shown = python_text(value)
        is_new = text and len(text) <= _MAX_NAME and _normalised(text) != _normalised(shown)
        return NamedValue(text, shown) if is_new else None

    def _target(self, step: Step) -> str:
        """Return the text of a step; of `a.b += c` only `a.b`, which gets the value."""
        op, text = self._op(step), self.text(step)
        if self._program.opcode[op] == "inplace" and self._program.extra[op]:
            return text.partition(self._program.name[op] or "=")[0].rstrip()
        return text

    def accessed(self, step: Step) -> tuple[str, str]:
        op = self._op(step)
        text = self.text(step)
        if self._program.opcode[op] in ("item", "set_item", "del_item"):
            holder, _, _ = text.partition("[")
            key = self._used(step, op, 1)
            return text, text if key is UNKNOWN else f"{holder}[{python_text(key)}]"
        if self._program.opcode[op] in ("attr", "set_attr"):
            return text, f"{python_text(self._used(step, op, 0))}.{self._program.name[op]}"
        if self._program.opcode[op] == "call":
            return self._callee(step)
        return text, text

    def _callee(self, step: Step) -> tuple[str, str]:
        """Return the text and value of a callee: the function, or the object of a method."""
        callee = self._python.run.operands_of(step)[0]
        if not callee:
            return self.text(step), self.text(step)
        op_of_callee = self._op(callee)
        text = self.text(callee)
        if self._program.opcode[op_of_callee] != "method":
            value = self._python.value(callee)
            return text, text if value is UNKNOWN else python_text(value)
        holder = self._used(callee, op_of_callee, 0)
        if holder is UNKNOWN or (isinstance(holder, Obj) and holder.kind in _UNMENTIONED):
            return text, text
        return text, f"{python_text(holder)}.{self._program.name[op_of_callee]}"

    def _used(self, step: Step, op: Op, number: int) -> Value:
        """Return the value of one operand of a step."""
        uses = self._program.uses[op]
        use = uses[number] if number < len(uses) else None
        if use is None:
            return UNKNOWN
        if use < 0:
            return self._python.constant(op, use)
        operand = self._python.run.operands_of(step)[number]
        return self._python.value(operand) if operand else UNKNOWN


def _normalised(text: str) -> str:
    """Return the text of a constant or display, independent of its quotes and spaces."""
    return text.replace('"', "'").replace(" ", "")


class PythonStepDescriber(StepDescriber):
    """Describes the steps of one Python thread as statements."""

    def __init__(self, thread: PythonThread) -> None:
        self._names = PythonStepNames(thread)
        super().__init__(thread, self._names)
        self._python, self._program = thread, thread.program

    def named(self, step: Step, op: Op) -> NamedValue | None:
        opcode = self._program.opcode[op]
        if opcode not in _MENTIONED or (self._program.name[op] or "").startswith("@"):
            return None  # pytest gives such names to parts of an assertion
        is_raised = step in self._python.run.raised
        if opcode == "unary" and not is_raised and self._names.text(step).startswith("assert "):
            return None  # pytest has added the `not`
        if is_raised:
            text = self._names.text(step)
            return NamedValue(text[:_MAX_NAME], f"raised {python_text(self._python.value(step))}")
        if opcode == "branch":
            found = self._names.condition(step)
            return found if len(found.name) <= _MAX_NAME else None
        if opcode == "next":
            if not self._python.has_item(step):
                return None
            return NamedValue(self._program.name[op] or "…", python_text(self._python.value(step)))
        return self._names.loaded(step)
