"""A recorded run, opened: its processes, their threads, and all that can be asked of each.

Opening a thread's log replays it once; the columns that come of it stay beside the log, so
the second time it is opened they are only mapped.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from whence.errors import UserError
from whence.frontend.c.process import LogFile, Process, State, processes
from whence.frontend.c.replay import Meta, Mismatch, Replay, Status, Window
from whence.frontend.c.replay import Stream as LogBytes
from whence.frontend.c.replay.program import Program
from whence.frontend.c.source import ModuleSource
from whence.frontend.c.tables import NONE, Description
from whence.frontend.run import MODULES, RUN, SOURCES, Again
from whence.frontend.source import Lines, Place, shown_path
from whence.model import Failure, Outcome
from whence.trace.columns import FILES, Code, Stream
from whence.trace.queries import Queries

Progress = Callable[[int, int], bool]
VERSION = 4  # of the columns that are kept


class Recording:
    """The folder that `whence trace` made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not (folder / RUN).is_file():
            raise UserError(
                f"{folder} is no trace: it has no {RUN}.\n"
                "Make one with: whence trace --source . --build make --test ./check --out DIR",
                slug="not-a-trace",
            )
        self.document: dict[str, Any] = _document(folder)
        self.lines = Lines(folder / SOURCES)

    @cached_property
    def processes(self) -> list[Process]:
        return processes(self.folder)

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.document["outcome"])

    @property
    def failure(self) -> Failure | None:
        failure = self.document["failure"]
        return Failure(**failure) if failure else None

    @property
    def again(self) -> Again | None:
        """How the test ended when it was run once more; None if it was not."""
        found = self.document.get("again")
        if not found:
            return None
        failure = Failure(**found["failure"]) if found["failure"] else None
        return Again(Outcome(found["outcome"]), failure, found["same_output"])

    def image(self, process: Process) -> Image:
        """The program that a process ran."""
        return Image(process, self.folder / MODULES)

    def thread(
        self, image: Image, log: LogFile, progress: Progress | None = None
    ) -> Thread:  # fmt: skip
        return Thread(self, image, log, progress)


def _document(folder: Path) -> dict[str, Any]:
    """What the folder says of the run."""
    try:
        found = json.loads((folder / RUN).read_text("utf-8"))
        if found["frontend"] != "c":
            raise ValueError(f"it is of the front end {found['frontend']!r}")
        Outcome(found["outcome"])
        if found["failure"]:
            Failure(**found["failure"])
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(
            f"{folder / RUN} cannot be read: {error or 'it is damaged'}.\n"
            "Record the run again with whence trace.",
            slug="not-a-trace",
        ) from None
    return dict(found)


class Image:
    """The program of one process, with what is known of it without running it."""

    def __init__(self, process: Process, descriptions: Path) -> None:
        self.process = process
        self.folder = descriptions.parent  # of the recording
        self.descriptions: list[Description] = [
            process.description(module.id, descriptions) for module in process.modules
        ]
        self.program: Program = process.program(self.descriptions)
        self.modules = [ModuleSource(description) for description in self.descriptions]
        self._op_bases = [base.op for base in self.program.bases]

    def _joined(self, name: str) -> Any:
        parts = [description.arrays[name] for description in self.descriptions]
        return np.concatenate(parts) if parts else np.zeros(0, "<u4")

    @cached_property
    def code(self) -> Code:
        program = self.program
        functions = program.functions
        use_start, use_def, use_block = self._uses()
        first_block, n_blocks = functions["first_block"], functions["n_blocks"]
        owners = np.repeat(np.arange(len(functions), dtype="<u4"), n_blocks)
        return Code(
            use_start=use_start,
            use_def=use_def,
            use_block=use_block,
            kind=self._joined("kind").astype("u1"),
            flags=np.ascontiguousarray(program.ops["flags"]),
            stretch_first_op=np.ascontiguousarray(program.stretches["first_op"]),
            stretch_ops=np.ascontiguousarray(program.stretches["n_ops"]),
            stretch_links=np.ascontiguousarray(program.stretches["n_links"]),
            stretch_block=np.ascontiguousarray(program.stretches["block"]),
            block_first_stretch=np.ascontiguousarray(program.blocks["first_stretch"]),
            block_stretches=np.ascontiguousarray(program.blocks["n_stretches"]),
            block_function=owners,
            function_first_block=np.ascontiguousarray(first_block),
            function_blocks=np.ascontiguousarray(n_blocks),
            function_first_op=np.ascontiguousarray(functions["first_op"]),
            function_ops=np.ascontiguousarray(functions["n_ops"]),
            names=tuple(self.function_names),
        )

    def _uses(self) -> tuple[Any, Any, Any]:
        starts, defs, blocks = [np.zeros(1, "<u4")], [], []
        total = 0
        for description, base in zip(self.descriptions, self.program.bases, strict=True):
            arrays = description.arrays
            starts.append((arrays["use_start"][1:] + total).astype("<u4"))
            total += len(arrays["use_def"])
            own, block = arrays["use_def"], arrays["use_block"]
            defs.append(np.where(own < 0x80000000, own + base.op, own).astype("<u4"))
            blocks.append(np.where(block == NONE, NONE, block + base.block).astype("<u4"))
        empty = np.zeros(0, "<u4")
        return (
            np.concatenate(starts),
            np.concatenate([empty, *defs]),
            np.concatenate([empty, *blocks]),
        )

    @cached_property
    def function_names(self) -> list[str]:
        names = self.program.names
        return [names[int(name)] for name in self.program.functions["name"]]

    # --- ops ---------------------------------------------------------------------------------

    def locate(self, op: int) -> tuple[ModuleSource, int]:
        """The module that has an op, and the op's number there."""
        number = int(np.searchsorted(self._op_bases, op, side="right")) - 1
        return self.modules[number], op - self._op_bases[number]

    def place(self, op: int) -> Place | None:
        module, local = self.locate(op)
        return module.place(local)

    @cached_property
    def rows(self) -> Any:
        """The source line of each op, 0 where there is none."""
        return self._joined("op_row")

    @cached_property
    def files(self) -> Any:
        """The number, in `file_names`, of each op's file; NONE where there is none."""
        parts = []
        numbers = {name: number for number, name in enumerate(self.file_names)}
        for description in self.descriptions:
            own = description.arrays["op_file"]
            known = own != NONE
            table = np.full(len(description.names), NONE, "<u4")
            for name in np.unique(own[known]).tolist():
                table[name] = numbers[shown_path(description.names[name])]
            found = np.full(len(own), NONE, "<u4")
            found[known] = table[own[known]]
            parts.append(found)
        return np.concatenate(parts) if parts else np.zeros(0, "<u4")

    @cached_property
    def file_names(self) -> list[str]:
        """The files that the program was compiled from, as users write them."""
        found: dict[str, None] = {}
        for description in self.descriptions:
            used = np.unique(description.arrays["op_file"])
            found |= {shown_path(description.names[int(n)]): None for n in used if n != NONE}
        return list(found)

    @cached_property
    def is_outside(self) -> npt.NDArray[np.bool_]:
        """For each function: is all of it in files outside of the tree?  If none is in it, none
        is."""
        outside = np.array([name.startswith("/") for name in self.file_names] + [False], bool)
        starts, counts = self.code.function_first_op, self.code.function_ops
        found = np.zeros(len(starts), bool)
        for number, (start, count) in enumerate(zip(starts.tolist(), counts.tolist(), strict=True)):
            files = self.files[start : start + count]
            known = files[files != NONE]
            found[number] = len(known) > 0 and bool(outside[known].all())
        return found & ~np.all(found)

    def function_of(self, op: int) -> int:
        """The number of the function that has an op."""
        return int(np.searchsorted(self.code.function_first_op, np.uint32(op), "right")) - 1


class Thread:
    """One thread of a process, opened."""

    def __init__(
        self, recording: Recording, image: Image, log: LogFile, progress: Progress | None = None
    ) -> None:
        self.recording, self.image, self.log = recording, image, log
        self.replay = self._open(progress)
        steps = self.replay.meta.steps
        self.stream = Stream.load(self.replay.out, image.code, steps)
        self.queries = Queries(self.stream)
        self._window: Window | None = None

    @property
    def meta(self) -> Meta:
        return self.replay.meta

    def _open(self, progress: Progress | None) -> Replay:
        process, log = self.image.process, self.log
        out = log.path.with_suffix(".index")
        data = process.open_log(log)
        known = out / "meta.json"
        saved = _saved(out)
        if saved is not None:
            stream = LogBytes.of(data, process.jumps_out(log))
            return Replay(self.image.program, stream, out, saved)
        shutil.rmtree(out, ignore_errors=True)
        replay = Replay.open(
            self.image.program, data, out, progress=progress, jumps=process.jumps_out(log)
        )
        if replay.meta.status is not Status.STOPPED:
            known.write_text(json.dumps(asdict(replay.meta) | {"version": VERSION}), "utf-8")
        return replay

    def last_execution(self, op: int, step: int, within: int | None = None) -> int | None:
        """The last step up to `step`, in the same activation, that executed `op`.

        It is looked for in so many instances of the activation; None: in all.
        """
        queries = self.queries
        stretch = int(self.image.code.op_stretch[op])
        instance = queries.instance_of(step)
        if int(self.stream.stretch[instance]) == stretch:
            found = queries.step_of(instance, op)
            if found is not None and found <= step:
                return found
        before = queries.last_before(stretch, instance, within)
        return None if before is None else queries.step_of(before, op)

    @property
    def is_whole(self) -> bool:
        """Was everything that the thread did read?"""
        ended = self.log.state in (State.ENDED, State.CRASHED, State.EXECED, State.LEFT)
        return ended and self.meta.status is not Status.DAMAGED and not self.log.missing


def _saved(out: Path) -> Meta | None:
    """What is kept of a log that was opened before; None if anything of it is missing."""
    needed = [*(name for name, _ in FILES.values()), "checkpoints", "checkpoints.index"]
    try:
        saved = json.loads((out / "meta.json").read_text("utf-8"))
        if saved.pop("version", 0) != VERSION or not all((out / n).is_file() for n in needed):
            return None
        saved["status"] = Status(saved["status"])
        saved["mismatches"] = tuple(Mismatch(**row) for row in saved["mismatches"])
        return Meta(**saved)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None
