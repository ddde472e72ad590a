"""Which regressions do we describe ourselves, and how do they become folders with cases?

`registry.toml` lists them.  Everything else reads a folder for each case, with case.json, setup.sh
and test.py; so the list is written to disk in that form.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REGISTRY = Path(__file__).with_name("registry.toml")


def load_registry(registry: Path = REGISTRY) -> list[dict[str, Any]]:
    """Return the entries of the list."""
    entries: list[dict[str, Any]] = tomllib.loads(registry.read_text("utf-8"))["case"]
    return entries


def write_own_cases(folder: Path, registry: Path = REGISTRY) -> Path:
    """Write every case of the list to `folder`, and return `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    for entry in load_registry(registry):
        case = folder / "python" / entry["name"]
        case.mkdir(parents=True)
        (case / "case.json").write_text(json.dumps(_description(entry), indent=1) + "\n", "utf-8")
        (case / "setup.sh").write_text(_setup(entry), "utf-8")
        (case / "test.py").write_text(entry["test"].lstrip("\n"), "utf-8")
    return folder


def _description(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": entry["name"],
        "language": "python",
        "package": entry["package"],
        "good": entry["good"],
        "bad": entry["bad"],
        "fixed": entry["fixed"],
        "culprit": [_place(one) for one in entry["culprit"]],
        "supporting_hunks": [_place(one) for one in entry.get("supporting", [])],
    }


def _place(one: dict[str, Any]) -> dict[str, Any]:
    """Return the place of a change: of each version its first line, and how many lines it has."""
    (good, removed), (bad, added) = one["good"], one["bad"]
    return {
        "file": one["file"],
        "function": one.get("function", ""),
        "good_lines": [good, good + max(removed - 1, 0)],
        "bad_lines": [bad, bad + max(added - 1, 0)],
        "removed": removed,
        "added": added,
    }


def _setup(entry: dict[str, Any]) -> str:
    """Return a script that installs the two releases, and what they depend on, from PyPI."""
    pip = '"$PY" -m pip install -q --disable-pip-version-check --no-deps --no-compile --target'
    package, more = shlex.quote(entry["package"]), ""
    if entry.get("pure"):
        # This release also has wheels with compiled modules.
        more = " --only-binary=:all: --platform any"
    lines = ["#!/bin/sh", "set -e", "D=$1; PY=${PYTHON:-python3.11}"]
    lines += [f"export {name}={shlex.quote(text)}" for name, text in entry.get("env", {}).items()]
    lines += [f'{pip} "$D/{tree}"{more} {package}=={entry[tree]}' for tree in ("good", "bad")]
    # whence removes these from the releases that it installs: they differ between any two.
    lines += [
        f'rm -f "$D/{tree}"/*.dist-info/{name}'
        for tree in ("good", "bad")
        for name in ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
    ]
    lines.append('mkdir -p "$D/deps"')
    if deps := entry.get("deps"):
        lines.append(f'{pip} "$D/deps" {shlex.join(deps)}')
    return "\n".join(lines) + "\n"
