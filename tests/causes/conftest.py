"""Recorded runs that several tests use; each is recorded once."""

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

GENERATED = 4  # programs that are generated
LINES = range(80, 250)  # lengths of generated programs; the first ones are too simple

NOTING = """
#include <assert.h>
static u64 sum;
static void note(u64 value) { sum = sum * 31 + value; printf("%llu\\n", value); }
static void show(void) { }
"""


def failing(text: str) -> str:
    """Return a generated program that asserts something false about its output at its end."""
    before, _, after = text.replace(BY_LINE, NOTING).rpartition("show();")
    return f"{before}fflush(stdout), assert(sum == 20260228);{after}"


@pytest.fixture(scope="session")
def flows_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[CFlow]]:
    """Return the flows of all threads of a corpus program's run."""

    @cache
    def flows(name: str) -> list[CFlow]:
        program = corpus.program(corpus.PROGRAMS / name)
        recording = Built(program, tmp_path_factory.mktemp(program.name)).run()
        return [CFlow(thread) for thread in threads(recording)]

    return flows


@pytest.fixture(scope="session")
def generated_texts() -> list[str]:
    """Return generated programs that fail an assertion at their end."""
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
    assert len(texts) >= GENERATED
    return texts[:GENERATED]


@pytest.fixture(scope="session")
def generated(
    generated_texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> list[Recording]:
    """Record a run of each generated program."""
    folder = tmp_path_factory.mktemp("generated")
    return [built(text, folder / str(k)).run() for k, text in enumerate(generated_texts)]
