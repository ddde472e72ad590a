"""Is a package installed from the index without files that describe the installation?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from whence.subject.sources import pypi as sources

from .fetching import Fetch, fails


def test_a_package_is_installed_without_traces_of_the_installation(get: Fetch) -> None:
    found = get("pypi:six==1.16.0")
    assert b'__version__ = "1.16.0"' in bytes(found["six.py"])  # type: ignore[call-overload]
    names = {Path(name).name for name in found}
    assert "METADATA" in names
    assert not names & {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "__pycache__"}


def test_a_version_that_does_not_exist_is_reported_with_the_message_of_pip(get: Fetch) -> None:
    fails(get, "pypi:six==99.0", "pypi-failed", "No matching distribution found for six==99.0")


@pytest.mark.parametrize("spec", ["pypi:six", "pypi:six>=1", "pypi:six==1.*", "pypi:six==1,==2"])
def test_a_package_needs_one_version(get: Fetch, spec: str) -> None:
    fails(get, spec, "pypi-version", "pypi:six==VERSION")


def test_without_a_network_the_connection_is_named() -> None:
    message = sources._what_pip_says(
        "WARNING: Retrying (Retry(total=0)) after connection broken by 'refused'\n"
        "ERROR: Could not find a version that satisfies the requirement six (from versions: none)\n"
        "ERROR: No matching distribution found for six\n"
    )
    assert "refused" in message
    assert "No matching distribution" in message


def test_without_pip_the_error_says_how_to_get_it(
    tmp_path: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python3"
    python.write_text("#!/bin/sh\necho $0: No module named pip >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("PATH", str(tmp_path))
    fails(get, "pypi:six==1.16.0", "no-pip", "ensurepip")
