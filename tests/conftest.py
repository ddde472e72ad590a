"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# A busy machine must not fail a test: no example has a time limit.
settings.register_profile("whence", deadline=None)
settings.load_profile("whence")
