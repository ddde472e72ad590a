"""What do functions of a Python version do on states that were recorded in the other version?"""

from __future__ import annotations

import marshal
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from whence.frontend.python.watch import run_watched
from whence.subject.trial import BuildAndTest
from whence.trace.calls import AnsweredCall, AskedCall, Node, State, WatchedProcess
from whence.trace.python.watched_calls import read_processes

# Numbers of the calls that answer a request, as in hook/whence_recorder/running_again.py.
_FIRST_NUMBER, _NUMBERS = 2**40, 2**20
_FORMAT = 4  # the version of marshal's format


def run_calls_again(
    tree: Path, commands: BuildAndTest, out: Path, asked: Sequence[AskedCall]
) -> Mapping[int, Sequence[AnsweredCall]]:
    """Run the test of a tree, and at the end of its processes the functions of the asked calls.

    Where a state leaves something open, such as the order of a dict, there are two answers.
    """
    nodes: dict[int, Node] = {}
    known: dict[str, tuple[str, str, str, int]] = {}
    requests: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for each in asked:
        call = each.call
        known.update({name: (*code,) for name, code in each.process.named.items()})
        for state in (*call.given.values(), *call.around.values()):
            nodes.update(_nodes_of(each.process, state))
        requests[each.process.command].append({
            "id": each.number,
            "place": (each.function.file, each.function.line),
            "name": each.function.name.rpartition(".")[2],
            "given": [(n, state, n in call.defaults) for n, state in call.given.items()],
            "around": dict(call.around),
        })  # fmt: skip
    asked_file = marshal.dumps((nodes, known, dict(requests)), _FORMAT)
    run_watched(tree, commands, out, (), again=asked_file)
    return _answers(read_processes(out, tree))


def _nodes_of(process: WatchedProcess, state: State) -> Iterator[tuple[int, Node]]:
    """Yield the nodes that a state consists of."""
    waiting, met = [state], set()
    while waiting:
        each = waiting.pop()
        if type(each) is not tuple:
            continue
        node = process.node(each)
        if node is None:
            waiting.extend(each if len(each) > 1 else ())
        elif each[0] not in met:
            met.add(each[0])
            yield each[0], node
            waiting.extend(node[2])


def _answers(processes: Sequence[WatchedProcess]) -> Mapping[int, Sequence[AnsweredCall]]:
    found: dict[int, list[AnsweredCall]] = {}
    for process in processes:
        answers: dict[int, list[AnsweredCall]] = defaultdict(list)
        for number, is_second, why in process.again:
            call = process.calls.get(_FIRST_NUMBER + (2 * number + is_second) * _NUMBERS)
            if call is not None and not call.has_ended:
                call, why = None, "it does not end"
            why = why or ("" if call else "the function does not take these arguments")
            answers[number].append(AnsweredCall(process, call, why))
        for number, given in answers.items():
            if number not in found or found[number][0].call is None:
                found[number] = given
    return found
