"""Is a module table with impossible numbers reported as damage, even if its checksum fits?"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.trace.python.test_replaying import recorded
from whence.frontend.recorded_run import MODULES
from whence.frontend.trace_files import DamagedTrace


def test_a_function_without_a_number_of_operations_is_damage(tmp_path: Path) -> None:
    recording = recorded(tmp_path, "def one():\n    return 1\none()\n")
    for file in (recording.folder / MODULES).glob("*.json"):
        document = json.loads(file.read_text("utf-8"))
        document["functions"][0]["n_ops"] = None
        file.write_text(json.dumps(document), "utf-8")
    (process,) = recording.processes
    with pytest.raises(DamagedTrace, match="modules"):
        recording.thread(recording.image(process), process.logs[0])
