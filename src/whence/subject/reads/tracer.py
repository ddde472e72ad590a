"""Which files does a command open or ask about?  Run as a program: `tracer.py LOG COMMAND`.

The shell runs the command in a session of its own.  A seccomp filter stops each of its processes
at the system calls that open a file, start a program, or ask whether a file is there and what it
is, and ptrace reads the path.  All other system calls run at full speed.  If the system allows no
tracing, the command runs without it.

The log gets a NUL byte when tracing begins, and each path followed by a NUL byte.  A `?` stands
before the path of a file that the command only asked about.  The exit status is that of the
command.  When this process ends, all processes of the command are killed.

This file imports nothing of whence, so that it starts quickly.
"""

import ctypes
import os
import platform
import signal
import struct
import sys

_PTRACE_CONT, _PTRACE_LISTEN, _PTRACE_SEIZE, _PTRACE_GET_SYSCALL_INFO = 7, 0x4208, 0x4206, 0x420E
_EVENT_SECCOMP, _EVENT_STOP = 7, 128
# Follow fork, vfork, clone and exec; stop at the filter's calls; kill all when the tracer ends.
_OPTIONS = 0x2 | 0x4 | 0x8 | 0x10 | 0x80 | 0x100000
_WALL = 0x40000000
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06  # of the filter's language, BPF
_JUMP_IF_SET = 0x45
_ALLOW, _TRACE = 0x7FFF0000, 0x7FF00000
_AT_FDCWD = -100
_MAX_PATH = 4096  # PATH_MAX of Linux, in bytes

# The positions of a folder's descriptor (None: no such argument), of the path, and of the flags.
_Places = tuple[int | None, int, int | None]
_PATH, _FOLDER_PATH, _FOLDER_PATH_FLAGS = (None, 0, None), (0, 1, None), (0, 1, 2)
# For each machine: its number in the kernel's audit headers, and the calls that open a file.
_OPENING: dict[str, tuple[int, dict[int, _Places]]] = {
    "x86_64": (
        0xC000003E,
        {
            2: (None, 0, 1),  # open
            257: _FOLDER_PATH_FLAGS,  # openat
            437: _FOLDER_PATH,  # openat2
            59: _PATH,  # execve
            322: _FOLDER_PATH,  # execveat
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            56: _FOLDER_PATH_FLAGS,
            437: _FOLDER_PATH,
            221: _PATH,
            281: _FOLDER_PATH,
        },
    ),
}
# For each machine: the calls that ask about a file.
_ASKING: dict[str, dict[int, _Places]] = {
    "x86_64": {
        4: _PATH,  # stat
        6: _PATH,  # lstat
        21: _PATH,  # access
        89: _PATH,  # readlink
        262: _FOLDER_PATH,  # newfstatat
        267: _FOLDER_PATH,  # readlinkat
        269: _FOLDER_PATH,  # faccessat
        332: _FOLDER_PATH,  # statx
        439: _FOLDER_PATH,  # faccessat2
    },
    "aarch64": {
        48: _FOLDER_PATH,  # faccessat
        78: _FOLDER_PATH,  # readlinkat
        79: _FOLDER_PATH,  # newfstatat
        291: _FOLDER_PATH,  # statx
        439: _FOLDER_PATH,  # faccessat2
    },
}
# A newfstatat that asks about an open file: its path is empty, and its flags have AT_EMPTY_PATH.
_OF_OPEN_FILE = {"x86_64": 262, "aarch64": 79}
_FLAGS_OF_OPEN_FILE, _AT_EMPTY_PATH = 16 + 3 * 8, 0x1000  # the fourth argument in seccomp's data

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.restype = ctypes.c_long
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def main(log: str, command: str) -> int:
    go_read, go_write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(go_write)
        os.setsid()
        is_traced = os.read(go_read, 1) == b"t"
        os.close(go_read)
        if is_traced and not _install_filter():
            os._exit(126)
        os.execv("/bin/sh", ["/bin/sh", "-c", command])
    os.close(go_read)
    is_traced = (
        platform.machine() in _OPENING and _libc.ptrace(_PTRACE_SEIZE, child, None, _OPTIONS) == 0
    )
    if is_traced:
        noted = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        os.write(noted, b"\0")
    os.write(go_write, b"t" if is_traced else b"-")
    os.close(go_write)
    if is_traced:
        return _follow(child, noted)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _install_filter() -> bool:
    """Stop this process, and those that it starts, at the calls of `_OPENING` and `_ASKING`."""
    machine = platform.machine()
    arch, opening = _OPENING[machine]
    calls = [*opening, *_ASKING[machine]]
    count = len(calls)
    code = [
        (_LOAD, 0, 0, 4),  # the machine; the calls of another one have other numbers
        (_JUMP_IF_EQUAL, 0, count + 4, arch),
        (_LOAD, 0, 0, 0),  # the number of the call
        (_JUMP_IF_EQUAL, 0, 2, _OF_OPEN_FILE[machine]),
        (_LOAD, 0, 0, _FLAGS_OF_OPEN_FILE),
        (_JUMP_IF_SET, count, count + 1, _AT_EMPTY_PATH),
        *((_JUMP_IF_EQUAL, count - i, 0, number) for i, number in enumerate(calls)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _TRACE),
    ]
    program = _Filter(len(code), b"".join(struct.pack("<HBBI", *line) for line in code))
    if os.geteuid() != 0:  # then a filter needs this, and programs cannot become another user
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return bool(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program)) == 0)


def _follow(child: int, noted: int) -> int:
    """Let all processes run until the first one ends; return its exit status.

    SIGTERM kills the first one, so that it has ended when this process ends.
    """
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
    _, opening = _OPENING[platform.machine()]
    asking = _ASKING[platform.machine()]
    seen: set[bytes] = set()
    while True:
        process, status = os.waitpid(-1, _WALL)
        if not os.WIFSTOPPED(status):
            if process == child:
                return os.waitstatus_to_exitcode(status)
            continue
        event, received = status >> 16, os.WSTOPSIG(status)
        if event == _EVENT_SECCOMP:
            path = _named(process, opening, asking)
            if path is not None and path not in seen:
                seen.add(path)
                os.write(noted, path + b"\0")
            _resume(process)
        elif event == _EVENT_STOP and received != signal.SIGTRAP:
            _libc.ptrace(_PTRACE_LISTEN, process, None, None)  # stopped, as by Ctrl-Z
        else:
            _resume(process, 0 if event else received)


def _resume(process: int, received: int = 0) -> None:
    _libc.ptrace(_PTRACE_CONT, process, None, received)


def _named(process: int, opening: dict[int, _Places], asking: dict[int, _Places]) -> bytes | None:
    """Return the path that a stopped process opens to read or executes, None if it is unknown.

    A `?` stands before a path that it asks about.
    """
    info = ctypes.create_string_buffer(88)
    if _libc.ptrace(_PTRACE_GET_SYSCALL_INFO, process, 88, ctypes.addressof(info)) < 0:
        return None
    number, *arguments = struct.unpack_from("<7Q", info.raw, 24)
    if number in opening:
        return _path(process, opening[number], arguments)
    path = _path(process, asking[number], arguments) if number in asking else None
    return b"?" + path if path else None


def _path(process: int, places: _Places, arguments: list[int]) -> bytes | None:
    """Return the absolute path in the arguments of a call; None if it is unknown."""
    folder, at, flags = places
    if flags is not None and arguments[flags] & os.O_ACCMODE == os.O_WRONLY:
        return None
    path = _text(process, arguments[at])
    if path is None or os.path.isabs(path):
        return path
    descriptor = _AT_FDCWD if folder is None else ctypes.c_int(arguments[folder]).value
    below = "cwd" if descriptor == _AT_FDCWD else f"fd/{descriptor}"
    try:
        return os.path.join(os.fsencode(os.readlink(f"/proc/{process}/{below}")), path)
    except OSError:
        return None


def _text(process: int, address: int) -> bytes | None:
    """Return the text at an address of a process."""
    text = b""
    try:
        with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
            while b"\0" not in text and len(text) < _MAX_PATH:
                # Not beyond the page: the next one may not exist.
                memory.seek(address + len(text))
                part = memory.read(min(256, 4096 - (address + len(text)) % 4096))
                if not part:
                    return None
                text += part
    except (OSError, OverflowError, ValueError):
        return None
    return text.partition(b"\0")[0]


if __name__ == "__main__":
    for caught in (signal.SIGINT, signal.SIGQUIT):  # they are meant for the command
        signal.signal(caught, signal.SIG_IGN)
    ended = main(sys.argv[1], sys.argv[2])
    if ended < 0:  # end as the command did
        os._exit(128 - ended)
    os._exit(ended)
