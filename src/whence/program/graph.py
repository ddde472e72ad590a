"""Which way may control go in a graph of blocks, and which branch decides that a block runs?

Blocks are numbered from 0; `following[b]` are those that may run right after block b.  An edge is
a pair (block, index into `following[block]`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Edge = tuple[int, int]
Blocks = Sequence[Sequence[int]]


def predecessors(following: Sequence[Iterable[int]]) -> list[list[int]]:
    result: list[list[int]] = [[] for _ in following]
    for block, targets in enumerate(following):
        for target in targets:
            result[target].append(block)
    return result


def loop_heads(following: Blocks) -> set[int]:
    """Some blocks such that every way that comes back to where it was meets one of them."""
    heads: set[int] = set()
    state = [0] * len(following)  # 1: on the way to the block looked at, 2: done
    for start in range(len(following)):
        if state[start]:
            continue
        state[start] = 1
        work = [(start, iter(following[start]))]
        while work:
            block, rest = work[-1]
            for after in rest:
                if state[after] == 1:
                    heads.add(after)
                elif state[after] == 0:
                    state[after] = 1
                    work.append((after, iter(following[after])))
                    break
            else:
                state[block] = 2
                work.pop()
    return heads


def components(starts: Iterable[int], following: Callable[[int], Iterable[int]]) -> list[list[int]]:
    """The strongly connected components of what can be reached from `starts`.

    A component comes after all the others that it leads to.
    """
    order: dict[int, int] = {}  # in which a node was first seen
    low: dict[int, int] = {}
    stack: list[int] = []
    open_: set[int] = set()
    result: list[list[int]] = []
    for start in starts:
        if start in order:
            continue
        work = [(start, iter(following(start)))]
        order[start] = low[start] = len(order)
        stack.append(start)
        open_.add(start)
        while work:
            node, rest = work[-1]
            for after in rest:
                if after not in order:
                    order[after] = low[after] = len(order)
                    stack.append(after)
                    open_.add(after)
                    work.append((after, iter(following(after))))
                    break
                if after in open_:
                    low[node] = min(low[node], order[after])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == order[node]:
                    component = [stack.pop()]
                    while component[-1] != node:
                        component.append(stack.pop())
                    open_.difference_update(component)
                    result.append(component)
    return result


def reaching(ends: Iterable[int], before: Sequence[Iterable[int]]) -> set[int]:
    """`ends`, and all from which there is a way to one of them."""
    found = set(ends)
    work = list(found)
    while work:
        for node in before[work.pop()]:
            if node not in found:
                found.add(node)
                work.append(node)
    return found


def meeting_points(following: Blocks, failed: Iterable[int] = ()) -> list[int | None]:
    """The first block that all ways from each block to the exit share; None is the exit itself.

    To the blocks that have `failed` there is no way, unless it is the only one.  An endless loop
    counts as left wherever a round of it ends.
    """
    gone = set(failed)
    ways = [[to for to in targets if to not in gone] or targets for targets in following]
    exits = [block for block, targets in enumerate(ways) if not targets]
    stuck = set(range(len(ways))) - reaching(exits, predecessors(ways))
    end = len(ways)
    graph = [list(targets) for targets in ways]
    for block in exits + _ends_of_rounds(ways, stuck):
        graph[block].append(end)
    graph.append([])
    return [None if block == end else block for block in _dominators(graph, end)[:end]]


def deciding_edges(following: Blocks, meeting: Sequence[int | None]) -> list[set[Edge]]:
    """For each block the edges that lead to it for certain, from branches that might avoid it."""
    result: list[set[Edge]] = [set() for _ in following]
    for branch, targets in enumerate(following):
        if len(targets) < 2:
            continue
        for index, target in enumerate(targets):
            block: int | None = target
            while block is not None and block != meeting[branch]:
                result[block].add((branch, index))
                block = meeting[block]
    return result


def _ends_of_rounds(following: Blocks, stuck: set[int]) -> list[int]:
    """The blocks that go back to the first block of a loop that control cannot leave."""
    result: list[int] = []
    for component in components(sorted(stuck), lambda block: following[block]):
        loop = set(component)
        if all(loop.issuperset(following[block]) for block in loop):
            head = min(loop)
            result.extend(block for block in sorted(loop) if head in following[block])
    return result


def _dominators(graph: Blocks, end: int) -> list[int]:
    """Immediate post-dominators of a graph all of whose nodes lead to `end`.

    After Cooper, Harvey and Kennedy: meet in the tree found so far, until nothing moves.
    """
    order = _postorder(predecessors(graph), end)
    rank = [0] * len(graph)
    for place, node in enumerate(order):
        rank[node] = place
    above = [-1] * len(graph)
    above[end] = end
    moved = True
    while moved:
        moved = False
        for node in reversed(order[:-1]):
            best = -1
            for other in graph[node]:
                if above[other] < 0:
                    continue
                if best < 0:
                    best = other
                while best != other:
                    while rank[best] < rank[other]:
                        best = above[best]
                    while rank[other] < rank[best]:
                        other = above[other]
            if above[node] != best:
                above[node] = best
                moved = True
    return above


def _postorder(graph: Blocks, start: int) -> list[int]:
    seen = {start}
    result: list[int] = []
    work = [(start, iter(graph[start]))]
    while work:
        node, rest = work[-1]
        for after in rest:
            if after not in seen:
                seen.add(after)
                work.append((after, iter(graph[after])))
                break
        else:
            work.pop()
            result.append(node)
    return result
