"""How are recordings and slices shown: as text, and as JSON?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from rich.text import Text

from whence.model import Outcome, SliceResult, Statement, TraceSummary
from whence.report.document import VERSION, failure_document
from whence.report.inputs import input_words, process_input_words

_MAX_SOURCE = 60  # columns of source before the values; guessed


def trace_document(summary: TraceSummary) -> dict[str, Any]:
    """Return the JSON of `whence trace`."""
    processes = summary.processes
    return {
        "whence": VERSION,
        "command": "trace",
        "out": summary.folder,
        "outcome": summary.outcome.value,
        "failure": failure_document(summary.failure) if summary.failure else None,
        "instructions": sum(process.instructions for process in processes),
        "events": sum(process.events for process in processes),
        "bytes": sum(process.bytes for process in processes),
        "seconds": summary.seconds,
        "processes": [
            asdict(process) | {"inputs": process_input_words(process.inputs)}
            for process in processes
        ],
        "notes": list(summary.notes),
        "compilers": summary.compilers,
    }


def trace_text(summary: TraceSummary) -> Text:
    """Return a summary of a recording."""
    text = Text()
    for process in summary.processes:
        command = " ".join(process.command)
        text.append(f"{process.name}  ", style="bold").append(f"{command}\n")
        per = process.bytes / max(process.instructions, 1)
        text.append(
            f"  {process.instructions:,} instructions, {process.events:,} events in "
            f"{_size(process.bytes)} ({per:.2f} bytes per instruction)\n"
            f"  {_count(process.functions, 'function')} ran; the program is built from "
            f"{_listed(process.files)}\n"
        )
        if process.threads > 1:
            text.append(f"  {process.threads} threads\n")
        if process.inputs:
            text.append(f"  read {', '.join(process_input_words(process.inputs))}\n")
        text.append(f"  {process.ended}\n")
        for note in process.notes:
            text.append(f"  note: {note}\n", style="yellow")
    if summary.outcome is Outcome.PASS:
        text.append("The test passes.\n")
    elif summary.failure is not None:
        text.append("The test fails: ", style="bold").append(f"{summary.failure.message}\n")
    for note in summary.notes:
        text.append(f"note: {note}\n", style="yellow")
    text.append(f"The trace is in {summary.folder}; see what a point depends on with: ")
    text.append(f"whence slice {summary.folder} --at POINT")
    return text


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _listed(files: tuple[str, ...]) -> str:
    """Return the names of the program's own files, and the number of files outside its tree."""
    own = [name for name in files if not name.startswith("/")]
    shown = ", ".join(own[:4])
    more = f" and {len(own) - 4} more" if len(own) > 4 else ""
    outside = len(files) - len(own)
    others = f", and {_count(outside, 'file')} outside its tree" if outside else ""
    if not own:
        return _count(outside, "file") + " outside its tree" if outside else "unknown files"
    return f"{_count(len(own), 'file')} ({shown}{more}){others}"


def _size(count: int) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if count < 10_000:
            return f"{count} {unit}"
        count //= 1024
    return f"{count} GiB"


# --- slices ----------------------------------------------------------------------------------


def slice_document(result: SliceResult) -> dict[str, Any]:
    """Return the JSON of `whence slice`."""
    return {
        "whence": VERSION,
        "command": "slice",
        "point": result.point,
        "kind": "relevant" if result.relevant else "dynamic",
        "statements": [asdict(statement) for statement in result.statements],
        "order": [asdict(statement) for statement in result.order],
        "lines": result.lines,
        "steps": result.steps,
        "of": {"steps": result.of_steps, "lines": result.of_lines},
        "inputs": input_words(result.inputs),
        "seconds": result.seconds,
        "notes": list(result.notes),
    }


def slice_text(result: SliceResult, *, everything: bool = False) -> Text:
    """Return the slice as annotated source, or as steps in order if the result has them.

    Unless `everything`, a long slice shows only the lines nearest to the point.
    """
    text = Text()
    text.append(f"What {result.point} depends on:", style="bold")
    text.append(
        f" {result.lines:,} of the {result.of_lines:,} lines that ran, "
        f"{result.steps:,} of {result.of_steps:,} instructions"
        f"{' (relevant slice)' if result.relevant else ''}\n"
    )
    if result.inputs:
        text.append(f"and on {', '.join(input_words(result.inputs))}\n")
    notes = list(result.notes)
    if result.order:
        _in_order(text, result.order)
    else:
        shown = [s for s in result.statements if everything or (s.file, s.line) in result.near]
        _by_file(text, shown)
        if not everything and len(result.near) < result.lines:
            notes.append(_left_out(result))
    if notes:
        text.append("\n")
    for note in notes:
        text.append(f"note: {note}\n", style="yellow")
    text.rstrip()
    return text


def _left_out(result: SliceResult) -> str:
    what = f"{result.lines - len(result.near):,} lines farther from the point"
    if all(not file.startswith("/") for file, _ in result.near):
        what += ", or outside the tree,"
    return f"{what} are left out: --all shows them, --json FILE has them"


def _by_file(text: Text, statements: Sequence[Statement]) -> None:
    for file, in_file in groupby(statements, key=lambda s: s.file):
        text.append(f"\n{file}\n", style="bold")
        for function, lines in groupby(in_file, key=lambda s: s.function):
            text.append(f"  {function}\n", style="dim")
            for statement in lines:
                _line(text, statement, f"{statement.line:6}  ")


def _in_order(text: Text, order: tuple[Statement, ...]) -> None:
    widest = max((len(_place(s)) for s in order), default=0)
    text.append("\n")
    for statement in order:
        _line(text, statement, f"{_place(statement):{widest}}  ", times=False)


def _place(statement: Statement) -> str:
    return f"{statement.file}:{statement.line}"


def _line(text: Text, statement: Statement, start: str, *, times: bool = True) -> None:
    text.append(start, style="cyan")
    source = (
        statement.text
        if len(statement.text) <= _MAX_SOURCE
        else statement.text[: _MAX_SOURCE - 1] + "…"
    )
    values = ", ".join(f"{name} = {value}" for name, value in statement.values.items())
    count = f"  x{statement.instances:,}" if times and statement.instances > 1 else ""
    text.append(f"{source:{_MAX_SOURCE}}" if values or count else source)
    text.append(f"  {values}" if values else "", style="green")
    text.append(count, style="dim")
    text.append("\n")
