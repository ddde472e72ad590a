"""What does the log of a C thread contain?

Opening a log for the first time replays it and writes columns beside it.  Opening it again only
maps these columns.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection

import numpy as np

from whence.errors import UserError
from whence.frontend.c.process import LogFile, ProcessState
from whence.frontend.c.replay import HEADER, Replay, ReplaySummary, Status, UnsoundTables
from whence.frontend.c.replay import ReplayStream as LogBytes
from whence.frontend.c.tables import CallFlag, FunctionFlag, OpCode, OpFlag
from whence.frontend.recorded_run import MODULES
from whence.frontend.trace_files import DamagedTrace
from whence.program.ids import Op
from whence.trace.c.image import CImage
from whence.trace.c.kept_columns import KeptColumns
from whence.trace.c.sections import ReplayedSections
from whence.trace.columns import CALL, Stream
from whence.trace.recording import Progress, Recording, Thread


class ReplayedLog(Thread):
    """One thread of a process, with the replay of its log."""

    image: CImage
    log: LogFile

    def __init__(
        self, recording: Recording, image: CImage, log: LogFile, progress: Progress | None = None
    ) -> None:
        self.replay = _opened(image, log, progress)
        steps = self.replay.meta.steps
        sections = ReplayedSections(self.replay, image.code) if self.meta.sections else None
        stream = Stream.load(self.replay.out, image.code, steps, sections)
        super().__init__(recording, image, log, stream)

    @property
    def meta(self) -> ReplaySummary:
        return self.replay.meta

    @property
    def is_whole(self) -> bool:
        ended = self.log.state in (
            ProcessState.ENDED,
            ProcessState.CRASHED,
            ProcessState.EXECED,
            ProcessState.LEFT,
        )
        return ended and self.damage is None

    @property
    def damage(self) -> str | None:
        """What is wrong with the log, in words; None if it holds all that the program logged.

        A log that ends within an item is damaged too, unless the program was killed there.
        """
        if self.log.missing:
            return f"{self.log.missing:,} bytes of the log are missing"
        is_partial = self.meta.status is Status.CUT and self.meta.ends_within_item
        if self.meta.status is Status.DAMAGED or (
            is_partial and self.log.state is not ProcessState.RUNNING
        ):
            return f"the log is damaged ({self.meta.message})"
        return None

    @property
    def stop_op(self) -> Op | None:
        return None if self.meta.stop_op is None else Op(self.meta.stop_op)

    @property
    def events(self) -> int:
        """Return the number of logged items: entries, blocks, values, results, effects."""
        program, stream = self.image.program, self.stream
        if not len(stream.stretch):
            return 0
        times = stream.instance_counts()
        logged = (program.ops["flags"] & OpFlag.LOGGED) != 0
        calls = program.ops["code"] == OpCode.CALL
        sure = (program.extras[program.ops["x"][calls] + 5] & CallFlag.SURE) != 0
        logged[np.flatnonzero(calls)[~sure]] = True
        each = np.add.reduceat(logged.astype(np.int64), program.stretches["first_op"])
        each[program.blocks["first_stretch"]] += (program.blocks["flags"] != 0).astype(np.int64)
        # The first stretch of a function runs once in each of its activations.
        first = program.blocks["first_stretch"][program.functions["first_block"]]
        quiet = (program.functions["flags"] & FunctionFlag.QUIET) != 0
        entries = int(times[first][~quiet].sum())
        return int((each * times).sum()) + entries + self.meta.effects

    def output_text(self, row: int) -> bytes | None:
        effect = self.stream.effects[row]
        return self._logged(int(effect["addr2"]), int(effect["len"])) if effect["addr2"] else None

    def source_name(self, row: int) -> str:
        effect = self.stream.effects[row]
        return os.fsdecode(self._logged(int(effect["offset"]), int(effect["len"])))

    def _logged(self, start: int, size: int) -> bytes:
        """Return bytes of the log."""
        return bytes(self.replay.stream.data[start : start + size])

    def calls_of(self, names: Collection[str]) -> list[Op]:
        """Return the operations that ran and called one of these functions."""
        code = self.image.code
        executed = np.flatnonzero(self.stream.instance_counts())
        last = code.stretch_first_op[executed] + code.stretch_ops[executed] - 1
        calls = last[code.kind[last] == CALL].tolist()
        return [Op(op) for op in calls if self.image.sort(Op(op)).callee in names]

    def is_closing(self, file: str, line: int) -> bool:
        return self.recording.lines.line(file, line) == "}"


def _opened(image: CImage, log: LogFile, progress: Progress | None) -> Replay:
    process = image.process
    out = log.path.with_suffix(".index")
    data = process.open_log(log)
    stream = LogBytes.of(data, process.jumps_out(log))
    columns = KeptColumns(out, log.path.name, stream.data, image.identity)
    saved = columns.summary()
    if saved is not None:
        return Replay(image.program, stream, out, saved)
    shutil.rmtree(out, ignore_errors=True)
    try:
        replay = Replay.open(
            image.program, data, out, progress=progress, jumps=process.jumps_out(log)
        )
    except UnsoundTables as error:
        raise DamagedTrace(image.folder / MODULES, f"cannot be read ({error})") from None
    if replay.meta.status is Status.STOPPED:
        shutil.rmtree(out, ignore_errors=True)
        raise _too_long(log, replay.meta)
    columns.keep(replay.meta)
    return replay


def _too_long(log: LogFile, meta: ReplaySummary) -> UserError:
    """Return the error for a log whose replay reached a limit before the end of the log."""
    whole = meta.steps * log.size // max(meta.log_bytes - HEADER, 1)
    return UserError(
        f"The recorded run is too long: about {whole:,} instructions, in {log.size >> 20} MiB of "
        f"log.\nReading it stopped after {meta.steps:,} instructions: {meta.message}.\n"
        "Give a test that does less.  A smaller --max-trace refuses such a run while it is being "
        "recorded.",
        slug="run-too-long",
    )
