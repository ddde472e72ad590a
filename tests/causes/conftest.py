"""Runs that several tests look at, each recorded once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.causes.explaining import Built, built, threads
from tests.frontend import corpus
from tests.frontend.generator import BY_LINE, programs
from whence.trace.c.flow import CFlow
from whence.trace.recording import Recording

MADE_UP = 4  # programs
LINES = range(80, 250)  # of such a program: the first that are made up are too simple

NOTING = """
#include <assert.h>
static u64 sum;
static void note(u64 value) { sum = sum * 31 + value; printf("%llu\\n", value); }
static void show(void) { }
"""


def failing(text: str) -> str:
    """A made-up program, which asserts at its end that all it printed comes to something else."""
    before, _, after = text.replace(BY_LINE, NOTING).rpartition("show();")
    return f"{before}fflush(stdout), assert(sum == 20260228);{after}"


@pytest.fixture(scope="session")
def flows_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[CFlow]]:
    """The threads of a run of a program of the corpus."""

    @cache
    def flows(name: str) -> list[CFlow]:
        program = corpus.program(corpus.PROGRAMS / name)
        recording = Built(program, tmp_path_factory.mktemp(program.name)).run()
        return [CFlow(thread) for thread in threads(recording)]

    return flows


@pytest.fixture(scope="session")
def made_up_texts() -> list[str]:
    """Programs that nobody wrote, which fail an assertion at their end."""
    texts: list[str] = []

    @settings(
        max_examples=10, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(text=programs(by_line=True, most=60))
    def draw(text: str) -> None:
        if text.count("\n") in LINES:
            texts.append(failing(text))

    draw()
    assert len(texts) >= MADE_UP
    return texts[:MADE_UP]


@pytest.fixture(scope="session")
def made_up(made_up_texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[Recording]:
    """Runs of these programs."""
    folder = tmp_path_factory.mktemp("made-up")
    return [built(text, folder / str(k)).run() for k, text in enumerate(made_up_texts)]
