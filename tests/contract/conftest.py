from __future__ import annotations

from pathlib import Path

import pytest

from .two_versions import TwoVersions


@pytest.fixture
def two_versions(tmp_path: Path) -> TwoVersions:
    return TwoVersions(tmp_path)
