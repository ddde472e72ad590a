"""Which files outside its tree did a run read or ask about, and are they still the same?

A run's reads map names to fingerprints: `/a/file` was opened, the run asked what `?/a/file` is,
and `$NAME` is an environment variable.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

_TRACER = Path(__file__).with_name("tracer.py")
_MAX_HASHED = 2**20  # files of more bytes are compared by their times and size; guessed
# Files of the system, of which a run reads many, are compared by their times and size.
_SYSTEM = ("/usr/", "/lib", "/bin/", "/sbin/", "/opt/")
_NO_FILES = ("/proc/", "/sys/", "/dev/")  # the kernel's own; they differ in every run
_INDEXES = ("/etc/ld.so.cache",)  # only lead to other files, which are noted themselves
# Variables that a new terminal, login or job sets anew, and on which no test should depend.
_SESSION_VARIABLES = frozenset(
    {
        *("_", "COLUMNS", "LINES", "OLDPWD", "PWD", "RANDOM", "SHELL", "SHLVL", "TERM"),
        *("BASHOPTS", "HISTFILE", "HISTSIZE", "PROMPT_COMMAND", "PS1", "SHELLOPTS"),
        *("COLORTERM", "LESS", "LESSCLOSE", "LESSOPEN", "LS_COLORS", "STY", "VTE_VERSION"),
        *("EDITOR", "GPG_AGENT_INFO", "GPG_TTY", "MAIL", "PAGER", "VISUAL", "WINDOWID"),
        *("DESKTOP_SESSION", "DISPLAY", "SESSION_MANAGER", "WAYLAND_DISPLAY", "XAUTHORITY"),
        *("INVOCATION_ID", "JOURNAL_STREAM", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"),
        *("PYTEST_CURRENT_TEST", "PYTEST_VERSION"),
    }
)
_SESSION_PREFIXES = (
    *("DBUS_", "GNOME_", "ITERM_", "KDE_", "KITTY_", "KONSOLE_", "SSH_", "SYSTEMD_", "TERM_"),
    *("TMUX", "VSCODE_", "WEZTERM_", "XDG_"),  # of terminals and desktops
    *("CI_", "GITHUB_", "RUNNER_"),  # of jobs
    *("WHENCE_", "PYTEST_XDIST_"),
)


class ReadLog:
    """Notes the files outside of a tree that some commands read.

    `log` is a file that does not exist; `ours` are folders with whence's own files.
    """

    def __init__(self, log: Path, tree: Path, ours: tuple[Path, ...] = ()) -> None:
        self._log = log
        self._left_out = tuple(f"{os.path.abspath(folder)}/" for folder in (tree, *ours, _cache()))
        self._began = time.time_ns()
        self._commands = 0

    def command(self, command: str) -> list[str]:
        """Return the arguments of a process that runs a shell command and notes what it opens."""
        self._commands += 1
        return [sys.executable, "-I", "-S", str(_TRACER), str(self._log), command]

    def read(self) -> dict[str, str] | None:
        """Return the fingerprints of what the commands read; None if that is not known.

        Files that changed since the commands began are left out: the commands wrote them.
        """
        names = self._names()
        if names is None:
            return None
        opened = {_source(os.path.normpath(name)) for name in names if name[:1] == "/"}
        asked = {os.path.normpath(name[1:]) for name in names if name[:1] == "?"}
        found = {
            path: _fingerprint(path, self._began)
            for path in sorted(opened)
            if self._is_outside(path)
        } | {
            f"?{path}": _kind(path, self._began) for path in sorted(asked) if self._is_outside(path)
        }
        return {path: digest for path, digest in found.items() if digest} | _variables()

    def unread(
        self, tree: Path, present: Iterable[str], absent: Iterable[str]
    ) -> dict[str, str] | None:
        """Return the paths of the tree that no command opened, and what else was done with them.

        This is "asked" (about the path), "listed" (with its folder), or "".  A file that is gone or
        has a second name counts as opened.  None: it is not known.
        """
        names = self._names()
        if names is None:
            return None
        opened = {os.path.normpath(name) for name in names if name[:1] == "/"}
        opened |= {os.path.realpath(name) for name in opened}
        asked = {os.path.normpath(name[1:]) for name in names if name[:1] == "?"}
        found = {}
        for path in (*filter(lambda path: _is_single(tree / path), present), *absent):
            full = {os.path.join(root, path) for root in (str(tree), os.path.realpath(tree))}
            if opened.isdisjoint(full):
                folders = {os.path.dirname(name) for name in full}
                listed = "" if opened.isdisjoint(folders) else "listed"
                found[path] = listed if asked.isdisjoint(full) else "asked"
        return found

    def _names(self) -> list[str] | None:
        """Return the names in the log; None if a command ran without being watched."""
        try:
            names = os.fsdecode(self._log.read_bytes()).split("\0")
        except OSError:
            return None
        if not self._commands or names.count("") <= self._commands:  # one "" for each command
            return None
        return names

    def _is_outside(self, path: str) -> bool:
        return not f"{path}/".startswith((*self._left_out, *_NO_FILES)) and path not in _INDEXES


def _is_single(path: Path) -> bool:
    """Is this a file, and not a link or a file with another name?"""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1


def changed_since(reads: Mapping[str, str]) -> str | None:
    """Return a file or variable that is not as it was when it was read; None if all are."""
    variables = _variables()
    for name in sorted({*reads, *variables}):
        if name.startswith("$"):
            if reads.get(name) != variables.get(name):
                return name
        elif name.startswith("?"):
            if _kind(name[1:], None) != reads[name]:
                return name[1:]
        elif _fingerprint(name, None) != reads[name]:
            return name
    return None


def digest_of(*reads: Mapping[str, str]) -> bytes:
    """Return a hash of everything that some runs read."""
    return _hash(json.dumps([sorted(one.items()) for one in reads]).encode()).encode()


def _variables() -> dict[str, str]:
    return {
        f"${name}": _hash(os.fsencode(value))
        for name, value in sorted(os.environ.items())
        if not is_of_session(name)
    }


def is_of_session(variable: str) -> bool:
    """Does a new terminal, login or job set this variable anew?  No test should depend on it."""
    return variable in _SESSION_VARIABLES or variable.startswith(_SESSION_PREFIXES)


def _cache() -> Path:
    """Return the user's folder for files that can be made again: what it holds is no input."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _source(path: str) -> str:
    """Return the source of a compiled Python file, which Python reads instead if it is older."""
    folder, name = os.path.split(path)
    if name.endswith(".pyc") and os.path.basename(folder) == "__pycache__":
        return os.path.join(os.path.dirname(folder), f"{name.partition('.')[0]}.py")
    return path


def _fingerprint(path: str, began: int | None) -> str:
    """Return what is equal as long as a file is the same; "" if the file says nothing.

    It says nothing if it changed after the time `began`.
    """
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            # Everyone puts files into a folder for temporary files.
            return "" if status.st_mode & stat.S_ISVTX else _hash("\0".join(_names(path)).encode())
        if not stat.S_ISREG(status.st_mode):
            return ""
        if began is not None and max(status.st_mtime_ns, status.st_ctime_ns) >= began:
            return ""
        if path.startswith(_SYSTEM) or status.st_size > _MAX_HASHED:
            return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
        return _hash(Path(path).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    except (OSError, ValueError):  # it may not be read, or its name cannot be one
        return "unreadable"


def _kind(path: str, began: int | None) -> str:
    """Return what is equal as long as questions about a file have the same answer; "" for none.

    It says nothing if it changed after the time `began`.
    """
    try:
        status = os.lstat(path)
        if not stat.S_ISLNK(status.st_mode):
            return _kind_of(status, began)
        kind = _kind_of(os.stat(path), began)
        return kind and f"link to {os.readlink(path)!a} {kind}"
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    except (OSError, ValueError):
        return "unreadable"


def _kind_of(status: os.stat_result, began: int | None) -> str:
    mode = oct(status.st_mode)
    if not stat.S_ISREG(status.st_mode):
        return mode
    if began is not None and max(status.st_mtime_ns, status.st_ctime_ns) >= began:
        return ""
    return f"{mode} {status.st_size} {status.st_mtime_ns}"


def _names(folder: str) -> Iterator[str]:
    return (ascii(name) for name in sorted(os.listdir(folder)) if name != "__pycache__")


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]
