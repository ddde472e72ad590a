"""How is a release of a package from PyPI, npm or Debian fetched and unpacked?"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from bench.isolate.cases import NotInstallableError, last_words

Run = Callable[[list[str], Path], "subprocess.CompletedProcess[str]"]


def run_client(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a client of a registry in `folder`, which also holds its temporary files."""
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"TMPDIR": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def unpacked_release(package: str, version: str, store: Path, run: Run = run_client) -> Path:
    """Return the folder with the sources of a release; fetch them if `store` lacks them."""
    index, _, name = package.partition(":")
    kept = store / f"{index}-{name.replace('/', '+')}-{version.replace(' ', '+')}"
    if kept.exists():
        return kept
    store.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=store, prefix="fetch-") as folder:
        sources = _FETCH[index](name, version, Path(folder), run)
        sources.rename(kept)
    return kept


def _from_pypi(name: str, version: str, folder: Path, run: Run) -> Path:
    """Return the unpacked source distribution.

    pip also asks the package to describe itself, which needs build tools that we do not need.
    It unpacks the sources before, and `--no-clean` keeps them even if that question fails.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input"]
    command += ["--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--no-clean"]
    command += ["--no-binary", name, "--dest", str(folder / "archives"), f"{name}=={version}"]
    done = run(command, folder)
    return _only_folder(folder.glob("pip-download-*/*/"), f"{name}=={version}", done)


def _from_npm(name: str, version: str, folder: Path, run: Run) -> Path:
    done = run(["npm", "pack", "--silent", f"{name}@{version}"], folder)
    for archive in folder.glob("*.tgz"):
        shutil.unpack_archive(archive, folder / "unpacked", "gztar")
    return _only_folder((folder / "unpacked").glob("*/"), f"{name}@{version}", done)


def _from_debian(name: str, version: str, folder: Path, run: Run) -> Path:
    """Return the unpacked source package, with all, none or most of Debian's patches.

    `version` is a version, or one followed by "unpatched", or by "without" and the names of
    patches that are taken back; the patches are in the order of the package's own list.
    """
    release, _, rest = version.partition(" ")
    unpatched = rest == "unpatched"
    left_out = rest.removeprefix("without ").split() if rest and not unpatched else []
    done = run(
        ["apt-get", "source", "--only-source", "--download-only", f"{name}={release}"], folder
    )
    for description in folder.glob("*.dsc"):
        command = ["dpkg-source", "--no-check", *["--skip-patches"] * unpatched]
        done = run([*command, "--extract", description.name, "unpacked"], folder)
    if unpatched and not (folder / "unpacked").exists():
        # Archives of old distributions lose Debian's part of a release before the upstream one.
        for archive in folder.glob("*.orig.tar.*[!c]"):
            (folder / "unpacked").mkdir()
            done = run(
                ["tar", "-xf", archive.name, "-C", "unpacked", "--strip-components=1"], folder
            )
    sources = _only_folder(folder.glob("unpacked"), f"{name}={release}", done)
    for patch in reversed(left_out):
        file = (sources / "debian" / "patches" / patch).resolve()
        done = run(["patch", "--silent", "--reverse", "-p1", "-i", str(file)], sources)
        if done.returncode != 0:
            why = last_words(done.stderr or done.stdout)
            raise NotInstallableError(f"{patch} cannot be taken back from {name}={release}: {why}")
    # Debian's own files and the patch tool's notes would be changes that are no code.
    for extra in ("debian", ".pc"):
        shutil.rmtree(sources / extra, ignore_errors=True)
    return sources


_FETCH = {"pypi": _from_pypi, "npm": _from_npm, "debian": _from_debian}


def _only_folder(
    found: Iterable[Path], release: str, done: subprocess.CompletedProcess[str]
) -> Path:
    folders = [path for path in found if path.is_dir()]
    if len(folders) != 1:
        why = last_words(done.stderr) or f"{len(folders)} folders were unpacked"
        raise NotInstallableError(f"{release} cannot be fetched: {why}")
    return folders[0]
