"""Is the description of a module read once, and do its operations keep their uses?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whence.trace.python import descriptions
from whence.trace.python.descriptions import read_description
from whence.trace.python.program import Uses

OPS: dict[str, Any] = {
    "opcode": ["load", "load", "item"],
    "row": [1, 1, 1],
    "col": [0, 2, 0],
    "name": ["a", "a", None],
    "text": ["a", "a", "a[a:]"],
    "logged": [1, 1, 1],
    "extra": [0, 0, None],
    "uses": [[], [-1], [0, None, 1]],
}


def written(folder: Path) -> Path:
    folder.mkdir()
    file = folder / "digest.json"
    document = {"file": "a.py", "constants": [True], "functions": [], "blocks": [[0, 3, [-1]]]}
    file.write_text(json.dumps({**document, "ops": OPS}))
    return file


def test_two_traces_share_the_description_of_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descriptions, "_kept", descriptions._Kept())
    first, second = (read_description(written(tmp_path / name).read_bytes()) for name in ("a", "b"))
    assert first is second
    assert first.text[0] is first.name[1]  # equal texts are one object


def test_a_description_that_was_changed_is_read_again(tmp_path: Path) -> None:
    file = written(tmp_path / "a")
    before = read_description(file.read_bytes())
    file.write_text(file.read_text().replace('"a[a:]"', '"a[0:]"'))
    assert (before.text[2], read_description(file.read_bytes()).text[2]) == ("a[a:]", "a[0:]")


def test_uses_count_from_the_first_operation_of_the_program(tmp_path: Path) -> None:
    found = read_description(written(tmp_path / "a").read_bytes())
    uses = Uses()
    uses.add(found, 0)
    uses.add(found, 3)
    assert [*uses] == [(), (-1,), (0, None, 1), (), (-1,), (3, None, 4)]
    assert uses[4:] == [(-1,), (3, None, 4)]
