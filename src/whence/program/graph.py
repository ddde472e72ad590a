"""Which paths may control take in a graph of blocks, and which branch controls which block?

Blocks are numbered from 0; `following[b]` are the successors of block b.  An edge is a pair
(block, index into `following[block]`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Edge = tuple[int, int]
Blocks = Sequence[Sequence[int]]


def predecessors(following: Sequence[Iterable[int]]) -> list[list[int]]:
    """Return the predecessors of each block."""
    result: list[list[int]] = [[] for _ in following]
    for block, targets in enumerate(following):
        for target in targets:
            result[target].append(block)
    return result


def loop_heads(following: Blocks) -> set[int]:
    """Return blocks such that every cycle contains one of them."""
    heads: set[int] = set()
    state = [0] * len(following)  # 0: not visited, 1: on the current path, 2: done
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
    """Return the strongly connected components of the nodes that `starts` reach.

    A component comes after all components that it leads to.
    """
    order: dict[int, int] = {}  # for each visited node, the number of nodes visited before
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
    """Return `ends` and all nodes that reach one of them; `before` are the predecessors."""
    found = set(ends)
    work = list(found)
    while work:
        for node in before[work.pop()]:
            if node not in found:
                found.add(node)
                work.append(node)
    return found


def post_dominators(following: Blocks, failed: Iterable[int] = ()) -> list[int | None]:
    """Return for each block the first block that all its paths to the exit share.

    None is the exit itself.  Edges to the blocks `failed`, which end the run, do not count unless
    a block has no others.  An endless loop counts as left at the end of each iteration.
    """
    left_out = set(failed)
    kept = [[to for to in targets if to not in left_out] or targets for targets in following]
    exits = [block for block, targets in enumerate(kept) if not targets]
    stuck = set(range(len(kept))) - reaching(exits, predecessors(kept))
    end = len(kept)
    graph = [list(targets) for targets in kept]
    for block in exits + _iteration_ends(kept, stuck):
        graph[block].append(end)
    graph.append([])
    return [None if block == end else block for block in _dominators(graph, end)[:end]]


def controlling_edges(following: Blocks, after: Sequence[int | None]) -> list[set[Edge]]:
    """Return for each block the edges of branches that lead to it on every path.

    The branch has another edge that may avoid the block.  `after` are the post-dominators.
    """
    result: list[set[Edge]] = [set() for _ in following]
    for branch, targets in enumerate(following):
        if len(targets) < 2:
            continue
        for index, target in enumerate(targets):
            block: int | None = target
            while block is not None and block != after[branch]:
                result[block].add((branch, index))
                block = after[block]
    return result


def _iteration_ends(following: Blocks, stuck: set[int]) -> list[int]:
    """Return the blocks that jump back to the first block of a loop without an exit."""
    result: list[int] = []
    for component in components(sorted(stuck), lambda block: following[block]):
        loop = set(component)
        if all(loop.issuperset(following[block]) for block in loop):
            head = min(loop)
            result.extend(block for block in sorted(loop) if head in following[block])
    return result


def _dominators(graph: Blocks, end: int) -> list[int]:
    """Return the immediate post-dominators of a graph in which all nodes reach `end`.

    This is the algorithm of Cooper, Harvey and Kennedy: two nodes meet in the tree found so far,
    until nothing changes.
    """
    order = _postorder(predecessors(graph), end)
    rank = [0] * len(graph)
    for place, node in enumerate(order):
        rank[node] = place
    above = [-1] * len(graph)
    above[end] = end
    changed = True
    while changed:
        changed = False
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
                changed = True
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
