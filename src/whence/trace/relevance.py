"""Which branches could have made a run differ by going the other way?

For relevant slices: branches whose untaken side may define what a load reads (potential
dependence), and branches one side of which never comes back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from whence.frontend.c import flow
from whence.frontend.c.maydefine import LoadPlace, MayDefine
from whence.frontend.c.tables import Code
from whence.trace.recording import Image
from whence.trace.slicing import Potential

NONE = 0xFFFFFFFF
VERSION = 2  # of the tables that are kept
MOST_WRITERS = 200  # of one load; where more could have written it, none is worth a word
LOCAL = (Code.LLOAD, Code.LCOPY, Code.LCOPYOUT)  # read memory that has no address


_OWN = ("guards", "printing", "writers_of_op", "writers_start", "writers")
U32 = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Relevance:
    """What a program could do other than it did.

    Group g of reading ops may be written by writers[writers_start[g]:writers_start[g + 1]].
    """

    potential: Potential
    guards: npt.NDArray[np.bool_]  # for each stretch
    printing: U32  # sides of branches that may print, as rows of stretch and block
    writers_of_op: U32  # its group, or NONE
    writers_start: U32
    writers: U32  # ops

    def writers_for(self, op: int) -> list[int]:
        """The ops that may write what `op` reads."""
        group = int(self.writers_of_op[op])
        if group == NONE:
            return []
        first, last = (int(self.writers_start[group + k]) for k in (0, 1))
        return [int(writer) for writer in self.writers[first:last]]


class _Numbers:
    """Program-wide numbers of what the analyses name."""

    def __init__(self, image: Image) -> None:
        self.image = image
        self.first_block: dict[tuple[int, str], int] = {}
        self.op_at: dict[tuple[int, int], int] = {}
        for number, (description, base) in enumerate(
            zip(image.descriptions, image.program.bases, strict=True)
        ):
            for row in description.arrays["functions"]:
                name = description.names[int(row["name"])]
                self.first_block[number, name] = int(row["first_block"]) + base.block
            lines = description.arrays["op_line"].tolist()
            self.op_at.update(((number, line), base.op + op) for op, line in enumerate(lines))

    def last_stretch(self, block: int) -> int:
        row = self.image.program.blocks[block]
        return int(row["first_stretch"]) + int(row["n_stretches"]) - 1


def relevance(image: Image) -> Relevance:
    """Analyse the program of a process, once: what came of it stays in the trace's folder."""
    path = _path(image)
    with suppress(OSError, EOFError, KeyError, ValueError, BadZipFile):
        return _load(path)
    found = _analysed(image)
    with suppress(OSError):  # a folder that cannot be written to has to do without
        _save(found, path)
    return found


def _path(image: Image) -> Path:
    ids = "\n".join(module.id for module in image.process.modules)
    key = hashlib.sha256(f"{VERSION}\n{ids}".encode()).hexdigest()
    return image.folder / f"relevance-{key[:16]}.npz"


def _load(path: Path) -> Relevance:
    with np.load(path) as kept:
        arrays = {name: kept[name] for name in kept.files}
    own = {name: arrays.pop(name) for name in _OWN}
    try:
        return Relevance(Potential(**arrays), **own)
    except TypeError as error:
        raise ValueError(f"{path} has other tables") from error


def _save(found: Relevance, path: Path) -> None:
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        own = {name: getattr(found, name) for name in _OWN}
        np.savez(file, **own, **asdict(found.potential))
    partial.replace(path)  # so that a killed save leaves nothing half made


def _analysed(image: Image) -> Relevance:
    modules = [source.module for source in image.modules]
    numbers = _Numbers(image)
    analysis = MayDefine(modules)
    return Relevance(
        _potential(image, analysis, numbers),
        _guards(image, numbers),
        _printing(image, analysis, numbers),
        *_writers(image, analysis, numbers),
    )


def _printing(image: Image, analysis: MayDefine, numbers: _Numbers) -> U32:
    found = []
    for module, function, block, side in analysis.edges_printing():
        first = numbers.first_block.get((module, function))
        if first is not None:
            body = image.modules[module].module.functions[function]
            after = first + flow.successors(body)[block][side]
            found.append((numbers.last_stretch(first + block), after))
    return np.array(found, np.uint32).reshape(-1, 2)


def _writers(image: Image, analysis: MayDefine, numbers: _Numbers) -> tuple[U32, U32, U32]:
    group_of_op = np.full(len(image.program.ops), NONE, np.uint32)
    groups: dict[tuple[int, ...], int] = {}
    for (module, _function, line), places in analysis.writing():
        op = numbers.op_at.get((module, line))
        if op is None or len(places) > MOST_WRITERS:
            continue
        found = (numbers.op_at.get((m, at)) for m, _, at in places)
        ops = tuple(writer for writer in found if writer is not None)
        group_of_op[op] = groups.setdefault(ops, len(groups))
    starts = np.cumsum([0, *(len(ops) for ops in groups)]).astype(np.uint32)
    flat = [writer for ops in groups for writer in ops]
    return group_of_op, starts, np.array(flat, np.uint32)


def _potential(image: Image, analysis: MayDefine, numbers: _Numbers) -> Potential:
    places, classes, edges = analysis.table()
    class_of_op = np.full(len(image.program.ops), NONE, np.uint32)
    for (module, _function, line), number in places.items():
        op = numbers.op_at.get((module, line))
        if op is not None:
            class_of_op[op] = number
    is_private = np.isin(image.program.ops["code"], LOCAL)
    for module, line in _private(image, analysis, places):
        op = numbers.op_at.get((module, line))
        if op is not None:
            is_private[op] = True
    edge_stretch = np.full(len(edges), NONE, np.uint32)
    edge_block = np.full(len(edges), NONE, np.uint32)
    for number, (module, function, block, side) in enumerate(edges):
        first = numbers.first_block.get((module, function))
        if first is None:
            continue  # the function is not recorded
        body = image.modules[module].module.functions[function]
        edge_stretch[number] = numbers.last_stretch(first + block)
        edge_block[number] = first + flow.successors(body)[block][side]
    kept = edge_stretch != NONE
    starts, lists = [0], []
    for edges_of in classes:
        usable = edges_of[kept[edges_of]]
        lists.append(usable.astype(np.uint32))
        starts.append(starts[-1] + len(usable))
    edge_stretch[~kept] = 0
    return Potential(
        class_of_op=class_of_op,
        is_private=is_private,
        class_start=np.array(starts, np.uint32),
        class_edge=np.concatenate([np.zeros(0, np.uint32), *lists]),
        edge_stretch=edge_stretch,
        edge_block=edge_block,
    )


def _private(
    image: Image, analysis: MayDefine, places: dict[LoadPlace, int]
) -> Iterator[tuple[int, int]]:
    """The loads (module, line) of what only their own activation can touch."""
    for number, source in enumerate(image.modules):
        for name, function in source.module.functions.items():
            for block in function.blocks:
                for op in block.instructions:
                    known = (number, name, op.line) in places
                    if known and analysis.is_private(number, name, op):
                        yield number, op.line


def _guards(image: Image, numbers: _Numbers) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(image.program.stretches), bool)
    modules = [source.module for source in image.modules]
    for module, functions in enumerate(flow.guards(modules)):
        for name, edges in functions.items():
            first = numbers.first_block.get((module, name))
            if first is not None:
                for block, _side in edges:
                    found[numbers.last_stretch(first + block)] = True
    return found
