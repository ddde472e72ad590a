"""A tree with a file of each language."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("pkg/core.py", "src/main.c", "src/lib.rs", "app.js", "main.go"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path
