"""How does a Python programmer call what a step did?"""

from __future__ import annotations

import ast

from whence.frontend.python.values import UNKNOWN, Obj, Value, python_text
from whence.program.source import NamedValue
from whence.trace.python.recording import PythonThread
from whence.trace.statements import StepDescriber
from whence.trace.step_names import StepNames

_LONGEST = 48  # characters of an expression that is worth naming
_SILENT = frozenset({"function", "class", "module", "builtin", "method"})  # kinds that say nothing
_TOLD = frozenset({
    "store", "param", "attr", "item", "binary", "inplace", "unary", "compare", "call", "format",
    "comp", "next", "set_attr", "set_item", "phi", "resume", "with_enter", "caught", "load",
    "unpack", "raise", "branch", "list", "tuple", "set", "dict",
})  # fmt: skip


class PythonStepNames(StepNames):
    """Names for the steps of one thread."""

    connectives = ("and", "or")

    def __init__(self, thread: PythonThread) -> None:
        super().__init__(thread)
        self._python, self._program = thread, thread.program

    def function_of(self, op: int) -> str:
        name = self._program.functions[self._program.function_of(op)].name
        return name.rpartition("<locals>.")[2]

    def _op(self, step: int) -> int:
        return self.thread.queries.op_of(step)

    def text(self, step: int) -> str:
        """The expression or the variable that a step is of."""
        op = self._op(step)
        opcode = self._program.opcode[op]
        if opcode in ("store", "param", "load", "delete"):
            return self._program.name[op] or ""
        return self._program.text[op] or self._program.name[op] or opcode

    def condition(self, step: int) -> NamedValue:
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

    def _asserted(self, op: int) -> str | None:
        """The condition of an assertion that pytest has made an if of, which asks the contrary."""
        text = self._program.text[op] or ""
        if self._program.name[op] == "assert" or not text.startswith("assert "):
            return None
        try:
            (statement,) = ast.parse(text).body
        except SyntaxError:  # it was too long to be kept
            return text.removeprefix("assert ")
        assert isinstance(statement, ast.Assert)
        return ast.get_source_segment(text, statement.test)

    def _tested(self, op: int) -> str:
        use = self._program.uses[op][0]
        own = self._program.text[op]
        if own:
            return own
        text = self._program.text[use] or self._program.name[use] if use and use > 0 else None
        return text or "the condition"

    def _loop(self, op: int) -> str:
        use = self._program.uses[op][0]
        of = (self._program.text[use] or self._program.name[use]) if use and use > 0 else None
        return f"for {self._program.name[op] or '…'} in {of or '…'}"

    def loaded(self, step: int) -> NamedValue | None:
        value = self._python.value(step)
        if value is UNKNOWN or (isinstance(value, Obj) and value.kind in _SILENT):
            return None
        text = self.text(step)
        told = python_text(value)
        is_news = text and len(text) <= _LONGEST and _plainly(text) != _plainly(told)
        return NamedValue(text, told) if is_news else None

    def accessed(self, step: int) -> tuple[str, str]:
        op = self._op(step)
        text = self.text(step)
        if self._program.opcode[op] in ("item", "set_item", "del_item"):
            holder, _, _ = text.partition("[")
            key = self._used(step, op, 1)
            return text, text if key is UNKNOWN else f"{holder}[{python_text(key)}]"
        if self._program.opcode[op] in ("attr", "set_attr"):
            return text, f"{python_text(self._used(step, op, 0))}.{self._program.name[op]}"
        if self._program.opcode[op] == "call":
            return self._callee(step, op)
        return text, text

    def _callee(self, step: int, op: int) -> tuple[str, str]:
        """What says which code a call ran: the function, or the object that it is a method of."""
        callee = self._python.run.operands[self._python.run.start[step]]
        if not callee:
            return self.text(step), self.text(step)
        looked = self._op(callee)
        text = self.text(callee)
        if self._program.opcode[looked] != "method":
            value = self._python.value(callee)
            return text, text if value is UNKNOWN else python_text(value)
        holder = self._used(callee, looked, 0)
        is_told = holder is UNKNOWN or (isinstance(holder, Obj) and holder.kind in _SILENT)
        return text, text if is_told else f"{python_text(holder)}.{self._program.name[looked]}"

    def _used(self, step: int, op: int, number: int) -> Value:
        uses = self._program.uses[op]
        use = uses[number] if number < len(uses) else None
        if use is None:
            return UNKNOWN
        if use < 0:
            return self._python.constant(op, use)
        run = self._python.run
        made = run.operands[run.start[step] + number]
        return self._python.value(made) if made else UNKNOWN


def _plainly(text: str) -> str:
    """A display of constants, whichever quotes it has."""
    return text.replace('"', "'").replace(" ", "")


class PythonStepDescriber(StepDescriber):
    """Tells the steps of one thread as statements."""

    def __init__(self, thread: PythonThread) -> None:
        self._names = PythonStepNames(thread)
        super().__init__(thread, self._names)
        self._python, self._program = thread, thread.program

    def named(self, step: int, op: int) -> NamedValue | None:
        opcode = self._program.opcode[op]
        if opcode not in _TOLD or (self._program.name[op] or "").startswith("@"):
            return None  # such names are those that pytest gives to parts of an assertion
        is_raised = step in self._python.run.raised
        if opcode == "unary" and not is_raised and self._names.text(step).startswith("assert "):
            return None  # the `not` is pytest's own
        if is_raised:
            text = self._names.text(step)
            return NamedValue(text[:_LONGEST], f"raised {python_text(self._python.value(step))}")
        if opcode == "branch":
            found = self._names.condition(step)
            return found if len(found.name) <= _LONGEST else None
        if opcode == "next":
            if not self._python.has_item(step):
                return None
            return NamedValue(self._program.name[op] or "…", python_text(self._python.value(step)))
        return self._names.loaded(step)
