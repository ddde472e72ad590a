"""How is a shell command written that runs in a copy of a tree?

A command may name the copy by {tree}, which is replaced by a quoted path before the command runs.
"""

from __future__ import annotations

import shlex

TREE = "{tree}"


def quoted(word: str) -> str:
    """Return one word for the shell; {tree} in it can still be replaced by a quoted path."""
    return TREE.join(shlex.quote(part) if part else "" for part in word.split(TREE)) or "''"


def run_in(folder: str, command: str) -> str:
    """Return a command that runs in a folder of the tree ("" is the top).

    In a copy without that folder the test cannot be judged: the command exits with 125.
    """
    return f"cd {shlex.quote(folder)} || exit 125; {command}" if folder else command
