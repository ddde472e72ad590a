"""Settings of all tests."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# A busy machine must not fail a test: no example has a time limit.
settings.register_profile("whence", deadline=None)
settings.load_profile("whence")

_MANY_FILES = 300  # Linux allows a process 1,024 open files if nobody sets another limit


@pytest.fixture(scope="module", autouse=True)
def _runs_that_nothing_uses_are_closed() -> Iterator[None]:
    """Collect garbage if many files are open: recorded runs are parts of reference cycles."""
    yield
    if len(os.listdir("/proc/self/fd")) > _MANY_FILES:
        gc.collect()
