"""Which activation owns a variable, and which step set the variable last?"""

from __future__ import annotations

from collections.abc import Sequence

from tests.trace.python.oracle.objects import identity
from tests.trace.python.oracle.replayed_run import MISSING, ReplayedRun
from tests.trace.python.oracle.running_activation import RunningActivation
from whence.frontend.python.logged import Token
from whence.program.ids import Op, Step


class VariableScopes:
    """The variables of all modules and activations, and the functions that the program defined."""

    def __init__(self, run: ReplayedRun) -> None:
        self._run, self._program = run, run.program
        self._latest: dict[int, RunningActivation] = {}  # function -> its latest activation
        self._globals: dict[int, dict[str, Step]] = {}  # module -> its variables
        self._modules = {module.name: n for n, module in enumerate(run.program.modules)}
        # By address of a function object: the activation that defined it, and its function.
        self._definers: dict[int, RunningActivation] = {}
        self._bodies: dict[int, int] = {}
        self._definitions: dict[int, Step] = {}  # function -> the last step that defined it

    # --- activations and functions -------------------------------------------------------------

    def latest(self, function: int) -> RunningActivation | None:
        """Return the latest activation of a function."""
        return self._latest.get(function)

    def enter(self, activation: RunningActivation) -> None:
        """Note that an activation begins; that of a module uses the module's variables."""
        self._latest[activation.function] = activation
        function = self._program.functions[activation.function]
        if function.kind == "module":
            activation.variables = self._globals.setdefault(function.module, activation.variables)

    def enclosing(
        self, function: int, caller: RunningActivation | None, call: Step | None,
        stack: Sequence[RunningActivation],
    ) -> RunningActivation | None:  # fmt: skip
        """Return the activation that defined the function which `call` enters."""
        parent = self._program.functions[function].parent
        if parent < 0:
            return None
        if caller is not None and call is not None:
            definer = self._definers.get(identity(self._callee(caller, call)) or 0)
            if definer is not None and definer.function == parent:
                return definer
        for activation in reversed(stack):
            if activation.function == parent:
                return activation
        return self._latest.get(parent)

    def _callee(self, caller: RunningActivation, call: Step) -> Token:
        op = self._program.last_op(self._run.stretch[self._run.instance_of(call)])
        uses = self._program.uses[op]
        return self._run.used_value(caller.registers, op, uses[0]) if uses else MISSING

    def define(self, activation: RunningActivation, op: Op, step: Step, address: int) -> None:
        """Note that `step` made the function or class at `address`."""
        self._definers[address] = activation
        body = self._program.extra[op]
        if body is not None:
            self._definitions[body], self._bodies[address] = step, body

    def definition(self, function: int) -> Step | None:
        """Return the last step that defined a function."""
        return self._definitions.get(function)

    def is_handed(self, function: int, caller: RunningActivation) -> bool:
        """Does the current call of `caller` run a nested function that it does not name?"""
        program = self._program
        name = program.functions[function].name
        op = None if caller.stretch is None else program.last_op(caller.stretch)
        if op is None or program.opcode[op] != "call" or "." not in name:
            return False
        callee = program.uses[op][0]
        if callee is None or callee < 0 or name.endswith(f".{program.name[callee]}"):
            return False
        address = identity(self._run.used_value(caller.registers, op, callee))
        return "<locals>" in name and self._bodies.get(address or 0) != function

    # --- variables -----------------------------------------------------------------------------

    def variables(self, activation: RunningActivation, op: Op) -> dict[str, Step]:
        """Return the variables of the function that owns what an operation loads or stores."""
        owner = self._program.extra[op]
        scope: RunningActivation | None = activation
        while scope is not None and scope.function != owner:
            scope = scope.enclosing
        if scope is not None:
            return scope.variables
        function = self._program.functions[owner]
        if function.kind == "module":
            return self._globals.setdefault(function.module, {})
        latest = self._latest.get(owner)
        return latest.variables if latest is not None else {}

    def module_variable(self, module: str, name: str) -> Step | None:
        """Return the step that set a variable of a module last."""
        number = self._modules.get(module)
        return None if number is None else self._globals.get(number, {}).get(name)

    def imported_variable(self, function: int, imported: str) -> Step | None:
        """Return the step that set the variable which "module:name" imports into a function."""
        module, _, name = imported.rpartition(":")
        if module.startswith("."):
            importing = self._program.modules[self._program.functions[function].module].name
            module = self._absolute(importing, module)
        return self.module_variable(module, name)

    def _absolute(self, importing: str, relative: str) -> str:
        """Return the name of the module that a relative import means."""
        dots = len(relative) - len(relative.lstrip("."))
        for package in (importing, importing.rpartition(".")[0]):  # a package, or a module in one
            parts = package.split(".") if package else []
            base = parts[: len(parts) - dots + 1]
            name = ".".join([*base, relative.lstrip(".")]).strip(".")
            if name in self._modules:
                return name
        return relative
