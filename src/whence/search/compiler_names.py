"""Does the build of a project fail because whence names the compilers?

A build gets $CC and $CXX.  A Makefile that sets `CC = g++` if the user has not, or a configure
script that tries $CC as a C++ compiler, then does not do what it does for a user who sets neither.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TypeVar

from whence.errors import UserError

T = TypeVar("T")
NOTE = "The good version does not build with $CC and $CXX set, so all builds run without them."
_NAMES = ("CC", "CXX")
_USED = re.compile(r"\bC(C|XX)\b")
_COMPLAINT = re.compile(r"\berror:|undefined (reference|symbol)")


def with_compilers_or_without(
    build: str | None, work: Callable[[str | None, bool], T], warn: Callable[[str], None]
) -> T:
    """Return `work(build, False)`, or that of a build without $CC and $CXX if good needs this.

    `work` gets the command that builds, and whether that command differs from the given one.
    """
    try:
        return work(build, False)
    except UserError as error:
        if build is None or not may_need_others(build, error):
            raise
        warn(f"{NOTE}\n  Trying again without.")
        try:
            return work(f"unset CC CXX\n{build}", True)
        except UserError as other:
            raise (error if other.slug == error.slug else other) from None


def may_need_others(build: str, error: UserError) -> bool:
    """Did a compiler or linker complain on the good version, and do only we name compilers?"""
    return (
        error.slug == "good-is-broken"
        and _COMPLAINT.search(str(error)) is not None
        and _USED.search(build) is None
        and not any(os.environ.get(name) for name in _NAMES)
    )
