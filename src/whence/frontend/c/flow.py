"""Which paths can control take in a function, and which branch decides that a block runs?

Blocks are numbered in the order of the function; 0 is the entry.  An edge is a pair (block,
successor index); the index is into `block_successors(function)[block]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from whence.frontend.c.ir import (
    Block,
    Elements,
    Expression,
    Function,
    FunctionType,
    Global,
    Instruction,
    Label,
    Module,
    Value,
)
from whence.program.graph import (
    Edge,
    components,
    controlling_edges,
    post_dominators,
    predecessors,
    reaching,
)

CALLS = frozenset({"call", "invoke", "callbr"})
ASSERTIONS = frozenset({
    "__assert_fail", "__assert_perror_fail", "__assert_rtn", "__assert", "__assert_func",
    "_assert", "_wassert", "abort", "llvm.trap", "llvm.ubsantrap", "_ZSt9terminatev",
    "__clang_call_terminate",
})  # fmt: skip
# Some headers declare these without `noreturn`.
LEAVE = ASSERTIONS | {
    "exit", "_exit", "_Exit", "quick_exit", "pthread_exit", "thrd_exit", "longjmp", "_longjmp",
    "siglongjmp", "__longjmp_chk", "__cxa_throw", "__cxa_rethrow", "_Unwind_Resume",
    "_Unwind_RaiseException", "err", "errx", "verr", "verrx",
}  # fmt: skip
MAX_CHAIN = 8192  # limit on the bytes logged without a check for room; well below WH_SLACK


def block_successors(function: Function) -> list[list[int]]:
    """Return the blocks that may run right after each block, without repeats, in written order.

    An invoke goes to its normal block, then to its landing pad.
    """
    number = {block.label: i for i, block in enumerate(function.blocks)}
    return [
        list(dict.fromkeys(number[name] for name in _targets(block.instructions[-1])))
        for block in function.blocks
    ]


def _targets(terminator: Instruction) -> Iterator[str]:
    yield from terminator.labels
    for operand in terminator.operands:
        if isinstance(operand.value, Label):
            yield operand.value.name


def is_assertion(block: Block) -> bool:
    """Does the block end with a failed assertion?"""
    if block.instructions[-1].opcode != "unreachable":
        return False
    calls = [op for op in block.instructions if op.opcode == "call"]
    return bool(calls) and _name(calls[-1].callee) in ASSERTIONS


def is_landing(block: Block) -> bool:
    """Is the block entered only by unwinding?"""
    first = next((op for op in block.instructions if op.opcode != "phi"), None)
    return first is not None and first.opcode == "landingpad"


def _name(callee: Value | None) -> str | None:
    return callee.name if isinstance(callee, Global) else None


def endless(function: Function) -> set[int]:
    """Return the blocks from which the function cannot be left."""
    following = block_successors(function)
    exits = [block for block, targets in enumerate(following) if not targets]
    return set(range(len(following))) - reaching(exits, predecessors(following))


def postdominators(function: Function) -> list[int | None]:
    """Return for each block the first block that all paths from it to the function's exit share.

    None is the exit itself.  A failed assertion is not a path to the exit, unless it is the only
    one: what follows an assertion does not depend on it.  Neither is cleaning up for an exception
    that goes on to the caller: what follows a call does not depend on it, with objects to destroy
    or without.  An endless loop counts as left wherever an iteration ends.
    """
    following = block_successors(function)
    failed = {i for i, block in enumerate(function.blocks) if is_assertion(block)}
    return post_dominators(following, failed | _only_resuming(function, following))


def _only_resuming(function: Function, following: Sequence[Sequence[int]]) -> set[int]:
    """Return the blocks that only unwinding reaches, to go on to the caller or to end the run."""
    landing = {i for i, block in enumerate(function.blocks) if is_landing(block)}
    if not landing:
        return set()
    resuming = {
        i for i, block in enumerate(function.blocks) if block.instructions[-1].opcode == "resume"
    }
    # A destructor that throws while another exception is under way ends the run.
    ends = {i for i, targets in enumerate(following) if not targets}
    others = {i for i in ends - resuming if not is_assertion(function.blocks[i])}
    usual = reaching([0], [[to for to in targets if to not in landing] for targets in following])
    before = predecessors(following)
    return reaching(resuming, before) - reaching(others, before) - usual


def control_dependence(function: Function) -> list[set[Edge]]:
    """Return for each block the edges that certainly lead to it, of branches that can avoid it."""
    return controlling_edges(block_successors(function), postdominators(function))


def region(function: Function, branch: int, index: int) -> set[int]:
    """Return the blocks that may run on this side of `branch` before its sides meet again."""
    following = block_successors(function)
    meet = postdominators(function)[branch]
    target = following[branch][index]
    if target == meet:
        return set()
    found = {target}
    work = [target]
    while work:
        for block in following[work.pop()]:
            if block != meet and block not in found:
                found.add(block)
                work.append(block)
    return found


def gather(function: Function, facts: Sequence[int]) -> dict[Edge, int]:
    """Return for each branch edge the union of the facts (bits) of the blocks in its region."""
    following = block_successors(function)
    starts: dict[int | None, list[Edge]] = {}
    for branch, meet in enumerate(postdominators(function)):
        if len(following[branch]) > 1:
            starts.setdefault(meet, []).extend((branch, i) for i in range(len(following[branch])))
    result: dict[Edge, int] = {}
    for meet, edges in starts.items():
        # One walk serves all regions that end at the same block.
        total = {} if meet is None else {meet: 0}
        targets = [following[branch][index] for branch, index in edges]
        _gather(following, [to for to in targets if to != meet], facts, total)
        result.update((edge, total[target]) for edge, target in zip(edges, targets, strict=True))
    return result


def _gather(
    following: Sequence[Sequence[int]],
    starts: list[int],
    facts: Sequence[int],
    total: dict[int, int],
) -> None:
    """Set `total` of each node to the facts of all nodes it reaches without crossing `total`."""
    stop = set(total)
    for loop in components(starts, lambda b: [to for to in following[b] if to not in stop]):
        union = 0
        for block in loop:
            union |= facts[block]
            for after in following[block]:
                union |= total.get(after, 0)
        total.update(dict.fromkeys(loop, union))


def marked(function: Function, cost: Callable[[int], int] = lambda _: 0) -> set[int]:
    """Return the blocks that must be logged, so that the log shows the path that control took.

    1. If control can continue in several ways, each successor is marked.  The normal block of an
       invoke is not: its landing pad logs unwinding, the other way.
    2. Every cycle has a marked block or a landing pad.
    3. Between marked blocks or landing pads, at most MAX_CHAIN bytes are logged, unless a single
       block logs more; `cost` gives the bytes that each block logs.
    """
    following = block_successors(function)
    landing = {i for i, block in enumerate(function.blocks) if is_landing(block)}
    result: set[int] = set()
    for block, targets in zip(function.blocks, following, strict=True):
        if len(targets) > 1 and block.instructions[-1].opcode != "invoke":
            result.update(targets)
    result -= landing
    silent = landing | result  # blocks that end a chain of unlogged blocks
    # At most one successor of each block is now not logged.
    after = [next((to for to in targets if to not in silent), None) for targets in following]
    for loop in _cycles(after):
        result.add(min(loop))
    return result | _breaks(after, result, cost)


def _cycles(after: Sequence[int | None]) -> Iterator[list[int]]:
    """Yield the cycles of a graph whose nodes have at most one successor."""
    seen: dict[int, int] = {}  # node -> the start of the walk that found it
    for start in range(len(after)):
        node: int | None = start
        while node is not None and node not in seen:
            seen[node] = start
            node = after[node]
        if node is not None and seen[node] == start:
            loop = [node]
            while (to := after[loop[-1]]) is not None and to != node:
                loop.append(to)
            yield loop


def _breaks(after: Sequence[int | None], known: set[int], cost: Callable[[int], int]) -> set[int]:
    """Return the blocks at which a chain of unlogged blocks has become too long."""
    chains = [() if to is None or to in known else (to,) for to in after]
    spent = [0] * len(after)  # bytes logged since the chain began, before the block
    result: set[int] = set()
    for (block,) in reversed(components(range(len(after)), lambda block: chains[block])):
        if spent[block] and spent[block] + cost(block) > MAX_CHAIN:
            result.add(block)
            spent[block] = 0
        for to in chains[block]:
            spent[to] = max(spent[to], spent[block] + cost(block))
    return result


def guards(modules: Sequence[Module]) -> list[dict[str, set[Edge]]]:
    """Return for each function of each module the edges after which control may not come back.

    Control may not come back if the region of the edge calls a function that never returns (exit,
    abort, longjmp, throw), calls a function that may do so, or loops forever.  An indirect call may
    enter any function of the same type whose address is taken.
    """
    program = _Program(modules)
    leaving = program.leaving()
    return [
        {
            name: {
                edge for edge, bad in gather(function, program.bad(m, name, leaving)).items() if bad
            }
            for name, function in module.functions.items()
        }
        for m, module in enumerate(modules)
    ]


FunctionId = tuple[int, str]


class _Program:
    """The call graph, by names and types."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = modules
        self.exported: dict[str, FunctionId] = {}
        for m, module in enumerate(modules):
            for name, function in module.functions.items():
                if function.linkage not in ("internal", "private"):
                    self.exported.setdefault(name, (m, name))
        self.taken: dict[FunctionType, set[FunctionId]] = {}
        for m, module in enumerate(modules):
            for name in set(_addresses(module)):
                found = self.find(m, name)
                if found:
                    kind = modules[found[0]].functions[found[1]].type
                    self.taken.setdefault(kind, set()).add(found)
        self.blocks: dict[FunctionId, list[tuple[bool, set[FunctionId]]]] = {
            (m, name): self._describe(m, function)
            for m, module in enumerate(modules)
            for name, function in module.functions.items()
        }

    def find(self, m: int, name: str) -> FunctionId | None:
        """Return the function that `name` means in module `m`, if it has a body."""
        alias = self.modules[m].aliases.get(name)
        if alias is not None and isinstance(alias.target.value, Global):
            name = alias.target.value.name
        return (m, name) if name in self.modules[m].functions else self.exported.get(name)

    def _describe(self, m: int, function: Function) -> list[tuple[bool, set[FunctionId]]]:
        """Return for each block whether it leaves or loops itself, and the functions it calls."""
        stuck = endless(function)
        result = []
        for number, block in enumerate(function.blocks):
            calls = [op for op in block.instructions if op.opcode in CALLS]
            leaves = number in stuck or block.instructions[-1].opcode == "resume"
            called: set[FunctionId] = set()
            for call in calls:
                leaves = leaves or self._leaves(m, call)
                called |= self._called(m, call)
            result.append((leaves, called))
        return result

    def _leaves(self, m: int, call: Instruction) -> bool:
        name = _name(call.callee)
        if name is None:
            return "noreturn" in call.attributes
        declared = self.modules[m].declarations.get(name)
        return (
            "noreturn" in call.attributes
            or (declared is not None and "noreturn" in declared.attributes)
            or (name in LEAVE and self.find(m, name) is None)
        )

    def _called(self, m: int, call: Instruction) -> set[FunctionId]:
        name = _name(call.callee)
        if name is not None:
            found = self.find(m, name)
            return {found} if found else set()
        return self.taken.get(call.function, set()) if call.function else set()

    def leaving(self) -> set[FunctionId]:
        """Return the functions that may not return."""
        callers: dict[FunctionId, set[FunctionId]] = {}
        work = []
        for caller, blocks in self.blocks.items():
            if any(leaves for leaves, _ in blocks):
                work.append(caller)
            for callee in set().union(*(called for _, called in blocks)):
                callers.setdefault(callee, set()).add(caller)
        found = set(work)
        while work:
            for caller in callers.get(work.pop(), ()):
                if caller not in found:
                    found.add(caller)
                    work.append(caller)
        return found

    def bad(self, m: int, name: str, leaving: set[FunctionId]) -> list[int]:
        """Return 1 for each block of a function that may not come back, else 0."""
        return [
            int(leaves or not leaving.isdisjoint(called)) for leaves, called in self.blocks[m, name]
        ]


def _addresses(module: Module) -> Iterator[str]:
    """Yield the globals whose address is used other than for a direct call."""
    for variable in module.variables.values():
        yield from _globals(variable.initial)
    for function in module.functions.values():
        for block in function.blocks:
            for op in block.instructions:
                for operand in op.operands:
                    if not isinstance(operand.value, Label):
                        yield from _globals(operand.value)


def _globals(value: Value | None) -> Iterator[str]:
    if isinstance(value, Global):
        yield value.name
    elif isinstance(value, Elements):
        for element in value.elements:
            yield from _globals(element.value)
    elif isinstance(value, Expression):
        for operand in value.operands:
            yield from _globals(operand.value)
