"""What is the JSON of a result?  Every command writes the same document, version 1."""

from __future__ import annotations

from typing import Any

from whence.model import ChangeKind, Failure, Hunk, Reported, Result
from whence.source_lines import decoded_lines

VERSION = 1


def to_document(result: Result) -> dict[str, Any]:
    """Return the result as plain data, ready for JSON."""
    return {
        "whence": VERSION,
        "command": result.command,
        "status": result.status,
        "reason": result.reason,
        "failure": failure_document(result.failure),
        "changes": {"total": result.total, "executed": result.executed},
        "root": [change_document(change) for change in result.root],
        "auxiliary": [change_document(change) for change in result.auxiliary],
        "is_guess": result.is_guess,
        "alternatives": [list(ids) for ids in result.alternatives],
        "causes": [],
        "notes": list(result.notes),
        "cost": {
            "runs": result.runs,
            "builds": result.builds,
            "rejected": result.rejected,
            "cached": result.cached,
            "solver_calls": 0,
            "trace_events": 0,
            "seconds": {phase: round(s, 3) for phase, s in result.seconds.items()},
        },
    }


def failure_document(failure: Failure) -> dict[str, Any]:
    """Return a failure as plain data, without its signature, which is for comparing only."""
    return {
        "kind": failure.kind,
        "message": failure.message,
        "file": failure.file,
        "line": failure.line,
    }


def change_document(change: Reported) -> dict[str, Any]:
    """Return a change as plain data."""
    return {
        "id": change.id,
        "pieces": list(change.ids),
        "kind": change.kind.value,
        "file": change.file,
        "old_file": change.old_file,
        "function": change.function,
        "old": [change.old.start, change.old.count],
        "new": [change.new.start, change.new.count],
        "text": "\n".join(diff_lines(change)),
    }


def diff_lines(change: Reported) -> list[str]:
    """Return a change as the lines of a unified diff without context."""
    if change.kind is ChangeKind.RENAME:
        return [f"rename from {change.old_file}", f"rename to {change.file}"]
    if change.kind is ChangeKind.MODE:
        return [f"the executable bit of {change.file}"]
    if change.kind is ChangeKind.REPLACE:
        return [
            f"the content of {change.file} as a whole (binary, generated, or another kind of file)"
        ]
    return [line for hunk in change.hunks for line in _hunk_lines(hunk)]


def _hunk_lines(hunk: Hunk) -> list[str]:
    old, new = hunk.old, hunk.new
    head = f"@@ -{old.start},{old.count} +{new.start},{new.count} @@"
    return [head, *_marked("-", hunk.removed), *_marked("+", hunk.added)]


def _marked(sign: str, text: bytes) -> list[str]:
    marked = [sign + line for line in decoded_lines(text)]
    has_end = not text or text.endswith((b"\n", b"\r"))
    return marked if has_end else [*marked, "\\ No newline at end of file"]
