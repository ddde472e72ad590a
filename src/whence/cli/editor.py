"""Which command opens a file at a line in an editor?"""

from __future__ import annotations

import shlex
from pathlib import Path

_LIKE_CODE = ("code", "code-insiders", "codium", "vscodium", "cursor")  # editors with VS Code's -g


def editor_command(editor: str, path: Path, line: int) -> list[str]:
    """Return the command that opens a file at a line in the user's editor."""
    words = shlex.split(editor)
    if Path(words[0]).stem.lower() in _LIKE_CODE:
        return [*words, "-g", f"{path.absolute()}:{line}"]
    return [*words, f"+{line}", str(path.absolute())]
