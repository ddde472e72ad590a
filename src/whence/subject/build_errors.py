"""Which line of a failed build's output says first what is wrong?"""

from __future__ import annotations

import re
from pathlib import Path

from whence.subject.output_text import MAX_LINE, without_colours

_MAX_SHOWN = 300  # limit on the characters of an error that a message shows; guessed
_ERROR = re.compile(
    r"(?:^|[\s:(])(?:fatal )?error(?:\[\w+\]| \w+)?: "  # compilers, configure
    r"|^CMake Error\b|^(?:\S+: )?ERROR: "  # CMake; meson
    r"|: undefined reference to |: multiple definition of |: cannot find -l|undefined symbol: "
    r"|^\S*ld\S*: "  # other complaints of linkers
    r"|: (?:command )?not found$|: No such file or directory$|: Permission denied$"
    r"|^SyntaxError: |^ModuleNotFoundError: "
)
# Complaints of a build tool that only say that a command failed.
_SUMMARY = re.compile(r"^(?:\S*make(?:\[\d+\])?: \*\*\* |ninja: |collect2: |\S+: error: linker )")
_WARNING = re.compile(r"\bwarning: ")


def first_error(text: str, tree: Path) -> str:
    """Return the first error that a build printed, "" if no line looks like one."""
    lines = [line[:MAX_LINE].rstrip() for line in without_colours(text).split("\n")]
    found = [place for place, line in enumerate(lines) if _is_error(line)]
    found = found or [place for place, line in enumerate(lines) if _SUMMARY.search(line)]
    if not found:
        return ""
    line = lines[found[0]].strip()
    if line.startswith("CMake Error"):  # its message is in the lines below
        more = (later.strip() for later in lines[found[0] + 1 :])
        line = f"{line} {next(filter(None, more), '')}"
    for folder in {tree, tree.resolve()}:
        line = line.replace(f"{folder}/", "")
    return line if len(line) <= _MAX_SHOWN else f"{line[:_MAX_SHOWN]}…"


def _is_error(line: str) -> bool:
    return bool(_ERROR.search(line)) and not (_SUMMARY.search(line) or _WARNING.search(line))
