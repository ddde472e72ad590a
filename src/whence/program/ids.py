"""How are the parts of a recorded run numbered, so that two kinds of number cannot be mixed up?

Each number is a `NewType` of int: a type checker tells them apart, at run time it is an int.  In a
Python interface "there is none" is always `None`.  Only the columns of a stream (see
`whence.trace.columns`) hold 0 for "no step" and "no activation", and NONE (0xFFFFFFFF) for "no
operation", "no block" and "no operand"; whoever reads a column turns these into `None`.
"""

from __future__ import annotations

from typing import NewType, Protocol, TypeVar

# One execution of an operation; numbered from 1 in its thread, in the order of execution.
Step = NewType("Step", int)
# One operation of the program, executed or not; numbered from 0 in the whole program.  The
# operations of a function, a block and a stretch have consecutive numbers.
Op = NewType("Op", int)
# One execution of a stretch; numbered from 0 in its thread, in the order of execution.
Instance = NewType("Instance", int)
# One execution of a function; numbered from 1 in its thread, in the order of entering.
Activation = NewType("Activation", int)
# The part of a block up to the next call; numbered from 0 in the whole program.  The stretches
# of a block have consecutive numbers.
Stretch = NewType("Stretch", int)
# A basic block; numbered from 0 in the whole program.  The blocks of a function have consecutive
# numbers.
Block = NewType("Block", int)

_Key = TypeVar("_Key", bound=int, contravariant=True)
_Value = TypeVar("_Value", covariant=True)


class Column(Protocol[_Key, _Value]):
    """A memoryview of a column: for each number of one kind, one of another kind."""

    def __getitem__(self, key: _Key, /) -> _Value: ...
    def __len__(self) -> int: ...
