"""Did this user's whence write this file that it keeps in a trace?

Columns and tables are derived from a trace and kept in it.  whence's C code trusts the numbers in
them, so a damaged or forged one must not be used.  A file is used again only if its *seal* fits: a
number made from its bytes and a key that only this user has.  If it does not fit, or if there is no
key, the file is made again.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from whence.program import native
from whence.program.mapped_files import map_file
from whence.program.native import native_cache

SOURCE = Path(__file__).with_name("kept.c")
_SUFFIX = ".seal"
_WORDS = 8  # numbers of 64 bits in the key, as kept.c needs them


def seal(*parts: Any) -> str:
    """Return the seal of some bytes, strings or arrays; "" if there is no key."""
    key = _key()
    if key is None:
        return ""
    found = len(parts)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        array = np.ascontiguousarray(np.frombuffer(data, np.uint8) if len(data) else _NOTHING)
        found = _library().wh_keyed(array.ctypes.data, array.nbytes, key.ctypes.data, found)
    return f"{found:016x}"


def seal_of_file(path: Path) -> str:
    """Return the seal of a file."""
    return seal(path.name, map_file(path))


def keep(path: Path) -> None:
    """Note that a file is whole."""
    path.with_name(path.name + _SUFFIX).write_text(seal_of_file(path), "ascii")


def is_kept(path: Path) -> bool:
    """Is a file as `keep` saw it?"""
    try:
        noted = path.with_name(path.name + _SUFFIX).read_text("ascii")
        return bool(noted) and noted == seal_of_file(path)
    except (OSError, ValueError):
        return False


_NOTHING = np.zeros(0, np.uint8)


@cache
def _key() -> Any:
    """Return this user's key; None if there is no place to keep one."""
    path = native_cache() / "key"
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            with tempfile.NamedTemporaryFile(dir=path.parent) as made:  # only its owner may read it
                made.write(os.urandom(8 * _WORDS))
                made.flush()
                with suppress(FileExistsError):
                    os.link(made.name, path)
        data = path.read_bytes()
        if len(data) == 8 * _WORDS:
            return np.frombuffer(data, "<u8").copy()
        path.unlink()  # it was cut; the next process makes another one
    return None


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(native.library([SOURCE])))
    pointer, number = ctypes.c_void_p, ctypes.c_uint64
    library.wh_keyed.argtypes = [pointer, number, pointer, number]
    library.wh_keyed.restype = number
    return library
