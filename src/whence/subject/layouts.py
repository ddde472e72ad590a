"""What can memory hold that a program has not written?

A program that reads past the end of an object, or reads a variable before it is set, depends on
what happens to be there.  Built by another compiler, it may pass although the plain build fails.
A layout gives that memory other contents, for every run of a search alike.
"""

from __future__ import annotations

from dataclasses import dataclass

from whence.subject.compile_calls import FILL

_PERTURB = "MALLOC_PERTURB_"  # glibc fills memory from malloc with the complement of this byte


@dataclass(frozen=True, slots=True)
class MemoryLayout:
    """One way to fill and to place memory that the program does not set."""

    words: str  # completes "a layout in which ..."
    heap: tuple[tuple[str, str], ...]  # variables of the environment of tests, for glibc's malloc
    option: str = ""  # of the compiler, for local variables


# By name, in the order in which they are tried: guessed, the likeliest first.
LAYOUTS = {
    "filled": MemoryLayout(
        "local variables and memory from malloc hold a pattern until they are set",
        ((_PERTURB, "90"),),  # 0xA5; the option fills local variables with 0xAA
        "-ftrivial-auto-var-init=pattern",
    ),
    "zeroed": MemoryLayout(
        "local variables and memory from malloc hold zeros until they are set",
        ((_PERTURB, "255"),),
        "-ftrivial-auto-var-init=zero",
    ),
    "apart": MemoryLayout(
        "each block from malloc has pages of its own, with zeros behind it",
        (("MALLOC_MMAP_THRESHOLD_", "1"), ("MALLOC_MMAP_MAX_", "20000")),
    ),
}


def build_variables(name: str) -> dict[str, str]:
    """Return the variables of builds for a layout; "" is the layout that memory has by itself."""
    return {FILL: LAYOUTS[name].option} if name and LAYOUTS[name].option else {}


def run_variables(name: str) -> dict[str, str]:
    """Return the variables of tests for a layout; "" is the layout that memory has by itself."""
    return dict(LAYOUTS[name].heap) if name else {}
