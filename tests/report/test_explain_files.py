"""Does `whence explain` write every requested report?"""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.prompt import TEST, User

NAMES = ("json", "html", "sarif", "dot", "patch")


def test_every_report_is_written(tmp_path: Path) -> None:
    user = User(tmp_path)
    files = {name: user.kept / f"explained.{name}" for name in NAMES}
    said = user.whence(
        *("explain", "--good", "good", "--bad", "bad", "--test", TEST, "--frontend", "none", "-q"),
        *(word for name, file in files.items() for word in (f"--{name}", file)),
    )
    assert said.status == 0, said.err
    assert said.out.startswith("1 of 3 changes broke the test: numbers:4")
    assert "Isolated, not explained: " in said.out
    document = json.loads(files["json"].read_text())
    assert (document["command"], document["status"]) == ("explain", "isolated")
    assert json.loads(files["sarif"].read_text())["version"] == "2.1.0"
    assert files["dot"].read_text().startswith("digraph whence {")
    assert files["html"].read_text().startswith("<!doctype html>")
    assert b"-44" in files["patch"].read_bytes()
