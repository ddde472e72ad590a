"""The analyses allow everything that random programs do to memory."""

from __future__ import annotations

import contextlib
from random import Random

import pytest

from tests.frontend.static.generator import Generator
from tests.frontend.static.interpreter import Machine, Stop
from tests.frontend.static.programs import module
from whence.frontend.c.aliases import Aliases
from whence.frontend.c.maydefine import MayDefine


def run(seed: int) -> Machine:
    """Run the program of this seed; every step is checked."""
    modules = [module(source) for source in Generator(Random(seed)).sources()]
    aliases = Aliases(modules)
    machine = Machine(modules, aliases, MayDefine(modules, aliases))
    with contextlib.suppress(Stop):
        machine.run(0, modules[0].functions["main"], [])
    return machine


@pytest.mark.parametrize("seed", range(6))
def test_every_access_and_its_controlling_branches_are_predicted(seed: int) -> None:
    machine = run(seed)
    assert machine.writes
    assert machine.reads
