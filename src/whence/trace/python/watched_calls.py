"""Which calls did a watched run of a Python project make?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from whence.errors import UserError
from whence.frontend.python.logged import MODULE, log_chunks
from whence.frontend.python.watch import run_watched
from whence.frontend.recorded_run import MODULES
from whence.subject.trial import BuildAndTest
from whence.trace.calls import Call, CalledFunction, NamedCode, WatchedProcess, WatchedRun, Written
from whence.trace.python.process import PROCESS

NODE, CLASS, ENTER, LEAVE, OUTPUT, READ, COUNTS, AGAIN = range(2**31 + 10, 2**31 + 18)


def watch_calls(
    tree: Path, commands: BuildAndTest, out: Path, changed: Iterable[tuple[str, int]], seed: int
) -> WatchedRun:
    """Run the test of a tree, and return the calls that its functions got."""
    ended = run_watched(tree, commands, out, changed, hash_seed=seed)
    text = ended.stdout + ended.stderr
    return WatchedRun(read_processes(out, tree), ended.status, text, ended.seconds)


def read_processes(folder: Path, tree: Path) -> list[WatchedProcess]:
    """Return the processes whose calls were logged into a folder, in the order of their starts."""
    found = []
    for description in sorted(folder.glob(f"[0-9]*/{PROCESS}")):
        document = _read(description)
        found.append(_Reader(folder, description.parent, document, tree).read())
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(
            f"The log of the test's calls is not whole: {path.name} cannot be read ({error}).\n"
            "Is the disk full? Set TMPDIR to a directory with more space.",
            slug="calls-not-logged",
        ) from None
    return document


class _Reader:
    """Reads the logs of one process."""

    def __init__(self, trace: Path, folder: Path, document: dict[str, Any], tree: Path) -> None:
        self._trace, self._folder = trace, folder
        self._roots = tuple(f"{root}/" for root in {tree.absolute(), tree.resolve()})
        self._process = WatchedProcess(tuple(document["argv"]), is_cut=bool(document["full"]))
        self._process.search_path = tuple(
            self._file(f"{each}/").rstrip("/") or "." for each in document.get("path", ())
        )
        self._index: dict[int, int] = {}  # number in the log -> index into `functions`
        self._ends = 0

    def read(self) -> WatchedProcess:
        events = list(self._events())
        for kind, value in events:
            if kind == MODULE:
                self._module(*value)
        for kind, value in events:
            self._event(kind, value)
        return self._process

    def _events(self) -> Iterator[tuple[int, Any]]:
        for log in sorted(self._folder.glob("*.log"), key=lambda log: int(log.stem)):
            for kinds, values in log_chunks(log):
                yield from zip(kinds, values, strict=True)

    def _module(self, base: int, name: str, path: str, digest: str, _count: int) -> None:
        self._process.module_names[self._file(path)] = name
        document = _read(self._trace / MODULES / f"{digest}.json")
        for offset, row in enumerate(document.get("functions", ())):
            self._index[base + offset] = len(self._process.functions)
            self._process.functions.append(
                CalledFunction(
                    self._file(path),
                    row["line"],
                    row["name"],
                    tuple(row["params"]),
                    frozenset(row["required"]),
                    row["coroutine"],
                )
            )

    def _file(self, path: str) -> str:
        root = next((root for root in self._roots if path.startswith(root)), "")
        return path.removeprefix(root)

    def _event(self, kind: int, value: Any) -> None:
        process = self._process
        if kind == NODE:
            process.nodes[value[0]] = value[1]
        elif kind == CLASS:
            name, bases, *known = value
            process.named[name] = NamedCode(*known)
            if bases is not None:
                process.classes[name] = bases
        elif kind == ENTER:
            self._enter(*value)
        elif kind == LEAVE:
            self._leave(*value)
        elif kind == OUTPUT:
            self._written(*value)
        elif kind == AGAIN:
            process.again.append(value)
        elif kind == COUNTS:
            process.counts = {self._index[k]: n for k, n in value.items() if k in self._index}

    def _enter(
        self, number: int, k: int, parent: int, place: tuple[str, int], given: tuple[Any, ...],
        around: dict[str, Any], outer: dict[str, Any],
    ) -> None:  # fmt: skip
        index = self._index.get(k)
        if index is None:
            return
        params = self._process.functions[index].params
        by_name = dict(zip(params, given, strict=True))
        self._process.calls[number] = Call(
            number, index, parent, (self._file(place[0]), place[1]),
            {name: state for name, (state, _) in by_name.items()},
            frozenset(name for name, (_, is_default) in by_name.items() if is_default),
            around | outer,
            began=self._ends,
            outer=frozenset(outer),
        )  # fmt: skip

    def _leave(
        self, number: int, result: Any, raised: Any, yielded: Any, after: Any, around: Any
    ) -> None:
        call = self._process.calls.get(number)
        if call is None:
            return
        call.result, call.raised, call.yielded = result, raised, yielded
        call.after = {
            name: given if changed == () else changed[0]
            for (name, given), changed in zip(call.given.items(), after, strict=True)
        }
        call.around_after = around
        call.order = self._ends
        self._ends += 1

    def _written(self, number: int, stream: str, text: str | bytes) -> None:
        call = self._process.calls.get(number)
        if call is not None:
            for each in (call, *self._process.ancestors(call)):
                each.written.append(Written(stream, text))
