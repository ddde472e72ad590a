"""Does an archive make whence write outside of its folder, fall over, or take all memory?"""

from __future__ import annotations

import io
import random
import resource
import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from bench.attack.attempts import Attempt, in_child
from bench.attack.traces import DAMAGES
from whence.subject.sources import fetch

_KINDS = ("tar", "tar.gz", "tar.xz", "zip", "whl")
_MEMORY = 1 << 30  # bytes that the child may map more than it has; no archive needs them
_NAMES = (
    "../out", "/tmp/out", "a/../../out", "a/./b", "a//b", "", ".", "..", "a/", "link/x", "link",
    "\\..\\out", "C:\\out", "a\0b", "x" * 300, "/".join("d" * 900), "\udcff", "a\nb", ".git/config",
    ".git/hooks/pre-commit", "~/x", "-rf", "aux", "a", "A", "a/b",
)  # fmt: skip
_TARGETS = ("/", "..", "../outside", "../../x", ".", "a", "link", "/etc/passwd", "x" * 5000, "")


def attack(work: Path, count: int) -> Iterator[Attempt]:
    """Unpack damaged archives, and archives with members that no honest one has."""
    for number in range(count):
        chance = random.Random(f"archive {number}")
        kind = _KINDS[number % len(_KINDS)]
        folder = work / f"archive-{number}"
        outside = folder / "outside"
        outside.mkdir(parents=True)
        (outside / "x").write_text("the user's")
        archive = folder / f"a.{kind}"
        hostile = number % 2 == 1
        content = _hostile(kind, chance, outside) if hostile else _honest(kind)
        if not hostile:
            damaged = chance.choice(DAMAGES)(content, chance)
            content = content[:1] if damaged is None else damaged
        archive.write_bytes(content)
        answer = in_child(partial(_unpack, archive, folder / "into"), seconds=60)
        name = f"{number} {kind} {'hostile' if hostile else 'damaged'}"
        found = {path.name: path.read_text() for path in outside.iterdir() if path.is_file()}
        others = sorted(path.name for path in folder.iterdir())
        if answer.failed:
            yield Attempt(name, answer.failed, answer.detail)
        elif found != {"x": "the user's"} or set(others) - {"outside", archive.name, "into"}:
            yield Attempt(name, "outside", f"{found} {others}")
        elif answer.message is not None and (folder / "into").exists():
            yield Attempt(name, "left", "a part of a refused archive")
        else:
            yield Attempt(name, detail=answer.message or "unpacked")
        shutil.rmtree(folder, ignore_errors=True)


def _unpack(archive: Path, into: Path) -> int:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + _MEMORY, used + _MEMORY))
    fetch(str(archive), repo=archive.parent, into=into)
    return 0


def _honest(kind: str) -> bytes:
    members = {"p/a": b"one\n", "p/d/b": b"two\n" * 500, "p/c": bytes(range(256)) * 8}
    stream = io.BytesIO()
    if kind in ("zip", "whl"):
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name, content in members.items():
                zipped.writestr(name, content)
        return stream.getvalue()
    with tarfile.open(fileobj=stream, mode=_mode(kind)) as tar:  # type: ignore[call-overload]  # the mode is a str
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def _mode(kind: str) -> str:
    return {"tar": "w", "tar.gz": "w:gz", "tar.xz": "w:xz"}[kind]


def _hostile(kind: str, chance: random.Random, outside: Path) -> bytes:
    stream = io.BytesIO()
    names = [chance.choice(_NAMES) for _ in range(chance.randrange(1, 8))]
    targets = (*_TARGETS, str(outside), str(outside / "x"))
    if kind in ("zip", "whl"):
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as zipped:
            for name in names:
                _ignoring(partial(_add_to_zip, zipped, name, chance, targets))
        return stream.getvalue()
    mode = _mode(kind)
    with tarfile.open(fileobj=stream, mode=mode, format=tarfile.PAX_FORMAT) as tar:  # type: ignore[call-overload]  # the mode is a str
        for name in names:
            _ignoring(partial(_add_to_tar, tar, name, chance, targets))
    return stream.getvalue()


def _add_to_zip(
    zipped: zipfile.ZipFile, name: str, chance: random.Random, targets: tuple[str, ...]
) -> None:
    info = zipfile.ZipInfo("x")
    info.filename = name  # the constructor would change it
    info.compress_type = zipfile.ZIP_DEFLATED
    how = chance.randrange(4)
    modes = (0o100644, 0o120777, 0o40755, chance.choice((0o010644, 0o020644, 0o140755, 0)))
    info.external_attr = modes[how] << 16
    content = chance.choice(targets).encode() if how == 1 else b"written\n"
    if chance.random() < 0.05:
        content = bytes(200 << 20)  # which deflates to 200 kB
    zipped.writestr(info, content)


def _add_to_tar(
    tar: tarfile.TarFile, name: str, chance: random.Random, targets: tuple[str, ...]
) -> None:
    info = tarfile.TarInfo(name)
    info.type = chance.choice(
        (tarfile.REGTYPE, tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE,
         tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.GNUTYPE_SPARSE, tarfile.CONTTYPE, b"9")
    )  # fmt: skip
    info.mode = chance.choice((0o644, 0, 0o7777, 0o755))
    info.uid = info.gid = chance.choice((0, 1, 2**31))
    info.mtime = chance.choice((0, -1, 2**40, 1.5))
    if info.type in (tarfile.SYMTYPE, tarfile.LNKTYPE):
        info.linkname = chance.choice(targets)
    if chance.random() < 0.2:
        key = chance.choice(("path", "linkpath", "size", "mtime", "GNU.sparse.realsize", "x"))
        value = chance.choice(("../out", "-1", "9" * 30, "", "nan", "\0"))
        info.pax_headers = {key: value}
    content = b"written\n" if info.isreg() else b""
    info.size = chance.choice((len(content), len(content), 0, 2**40)) if content else 0
    tar.addfile(info, io.BytesIO(content * 2) if content else None)


def _ignoring(add: Callable[[], None]) -> None:
    """Add a member, unless Python refuses to write such a one."""
    with suppress(ValueError, OSError, OverflowError, tarfile.TarError, zipfile.BadZipFile):
        add()
