"""Is an archive unpacked completely and exactly, or refused?"""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from .fetching import LATIN1, Fetch, fails, write


def tar(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    mode = path.suffix.removeprefix(".").replace("tgz", "gz").replace("tar", "")
    with tarfile.open(path, f"w:{mode}", errors="surrogateescape") as archive:  # type: ignore[call-overload]  # fits
        for info, data in members:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def entry(name: str, data: bytes = b"", **attributes: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    for attribute, value in attributes.items():
        setattr(info, attribute, value)
    return info, data


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, bytes]:
    return entry(name, type=kind, linkname=target)


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "tgz", "tar.bz2", "tar.xz"])
def test_a_tar_is_unpacked_without_its_top_directory(tmp_path: Path, get: Fetch, kind: str) -> None:
    archive = tar(
        tmp_path / f"p-1.0.{kind}",
        entry("p-1.0", type=tarfile.DIRTYPE),
        entry("p-1.0/run", b"#!\r\n", mode=0o755),
        entry(f"p-1.0/{LATIN1}", b"no end", mtime=77),
        entry("p-1.0/empty", type=tarfile.DIRTYPE),
        link("p-1.0/sub/link", "../run"),
        link("p-1.0/hard", "p-1.0/run", tarfile.LNKTYPE),
        entry("p-1.0/.git/config", b""),
    )
    assert get(archive) == {
        "run": ("x", b"#!\r\n"),
        LATIN1: b"no end",
        "empty": None,
        "sub/link": "-> ../run",
        "hard": b"#!\r\n",
    }
    assert (tmp_path / "into" / "tree" / LATIN1).stat().st_mtime == 77


@pytest.mark.parametrize("names", [("./a", "./b/c"), ("a", "b/c")])
def test_a_tar_without_a_single_top_directory_is_unpacked_unchanged(
    tmp_path: Path, get: Fetch, names: tuple[str, ...]
) -> None:
    archive = tar(tmp_path / "p.tar", *(entry(name, b"1") for name in names))
    assert get(archive) == {"a": b"1", "b/c": b"1"}


def test_the_later_of_two_entries_with_one_name_counts(tmp_path: Path, get: Fetch) -> None:
    archive = tar(
        tmp_path / "p.tar",
        *(entry("a", b"1"), link("a", "b"), link("b", "c"), entry("b", b"2"), entry("b", b"3")),
    )
    assert get(archive) == {"a": "-> b", "b": b"3"}


@pytest.mark.parametrize(
    "members",
    [
        [entry("../evil", b"!")],
        [entry("p/../../evil", b"!")],
        [entry("/evil", b"!")],
        [link("out", "/etc/passwd")],
        [link("p/out", "../../evil"), entry("x")],
        [link("out", "../evil", tarfile.LNKTYPE)],
        [link("a/b/up", "../.."), link("out", "a/b/up/../evil")],
        [entry("null", type=tarfile.CHRTYPE)],
        [entry("pipe", type=tarfile.FIFOTYPE)],
    ],
)
def test_a_tar_that_reaches_outside_is_refused(
    tmp_path: Path, get: Fetch, members: list[tuple[tarfile.TarInfo, bytes]]
) -> None:
    fails(get, tar(tmp_path / "p.tar", *members), "archive-escapes")
    assert not list(tmp_path.rglob("evil"))


def test_nothing_is_written_through_a_link(tmp_path: Path, get: Fetch) -> None:
    archive = tar(tmp_path / "p.tar", link("out", ".."), entry("out/evil", b"!"))
    fails(get, archive, "archive-corrupt")
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "tar.bz2", "tar.xz", "zip"])
def test_a_truncated_archive_is_refused(tmp_path: Path, get: Fetch, kind: str) -> None:
    whole = tmp_path / f"whole.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(whole, "w") as archive:
            archive.writestr("a", os.urandom(6000))
    else:
        tar(whole, entry("a", os.urandom(3000)), entry("b", os.urandom(3000)))
    cut = tmp_path / f"cut.{kind}"
    data = whole.read_bytes()
    # The last of these ends exactly between two entries of the plain tar.
    for size in (0, 10, len(data) // 2, 512 + 3072 + 100, 512 + 3072):
        cut.write_bytes(data[:size])
        fails(get, cut, "archive-corrupt", str(cut))


def test_a_file_that_is_no_archive_is_refused(tmp_path: Path, get: Fetch) -> None:
    write(tmp_path, README__md=b"hello", fake__zip=b"hello", fake__tar=b"hello")
    fails(get, tmp_path / "README.md", "no-such-source", "README.md", ".tar.gz")
    fails(get, tmp_path / "fake.zip", "archive-corrupt")
    fails(get, tmp_path / "fake.tar", "archive-corrupt")


def zipped(path: Path, *members: tuple[str, int, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, mode, data in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, data)
    return path


def test_a_zip_keeps_modes_and_links(tmp_path: Path, get: Fetch) -> None:
    archive = zipped(
        tmp_path / "p.zip",
        ("p/run", stat.S_IFREG | 0o755, b"#!\r\n"),
        ("p/plain", 0, b"no end"),
        ("p/link", stat.S_IFLNK | 0o777, b"run"),
        ("p/empty/", 0, b""),
    )
    assert get(archive) == {
        "run": ("x", b"#!\r\n"),
        "plain": b"no end",
        "link": "-> run",
        "empty": None,
    }


def test_a_zip_name_that_is_not_unicode_keeps_its_bytes(tmp_path: Path, get: Fetch) -> None:
    archive = zipped(tmp_path / "p.zip", ("caf_.txt", 0, b"1"))
    archive.write_bytes(archive.read_bytes().replace(b"caf_.txt", os.fsencode(LATIN1)))
    assert get(archive) == {LATIN1: b"1"}


def test_a_wheel_keeps_its_top_directory(tmp_path: Path, get: Fetch) -> None:
    assert get(zipped(tmp_path / "p.whl", ("p/a.py", 0, b""))) == {"p/a.py": b""}


@pytest.mark.parametrize(
    "member",
    [
        ("../evil", 0, b"!"),
        ("/evil", 0, b"!"),
        ("out", stat.S_IFLNK, b"../evil"),
        ("out", stat.S_IFLNK, b"/etc/passwd"),
        ("device", stat.S_IFBLK, b""),
    ],
)
def test_a_zip_that_reaches_outside_is_refused(
    tmp_path: Path, get: Fetch, member: tuple[str, int, bytes]
) -> None:
    fails(get, zipped(tmp_path / "p.zip", member), "archive-escapes")
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("kind", ["tar.gz", "tar.bz2", "tar.xz"])
def test_a_tar_with_a_wrong_checksum_is_refused(tmp_path: Path, get: Fetch, kind: str) -> None:
    archive = tar(tmp_path / f"p.{kind}", entry("a", b"hello"))
    data = bytearray(archive.read_bytes())
    data[-8] ^= 0x10
    archive.write_bytes(data)
    fails(get, archive, "archive-corrupt")


def test_a_zip_with_a_wrong_checksum_is_refused(tmp_path: Path, get: Fetch) -> None:
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("a", b"hello")
    data = (tmp_path / "p.zip").read_bytes()
    (tmp_path / "p.zip").write_bytes(data.replace(b"hello", b"jello"))
    fails(get, tmp_path / "p.zip", "archive-corrupt", "CRC")


def test_an_archive_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, get: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whence.subject.sources.archive.UNPACK_LIMIT.size", 2**20)
    with zipfile.ZipFile(tmp_path / "p.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(600_000))
        archive.writestr("b", bytes(600_000))
    fails(get, tmp_path / "p.zip", "archive-too-large")
    assert not (tmp_path / "into" / "tree").exists()


def test_a_link_with_a_huge_target_is_refused_unread(tmp_path: Path, get: Fetch) -> None:
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr(info, b"x" * 10_000_000)
    fails(get, tmp_path / "p.zip", "archive-escapes")


def test_a_zip_member_without_a_name_is_left_out(tmp_path: Path, get: Fetch) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("a", b"1")
        info = zipfile.ZipInfo("x")
        info.filename = ""
        zipped.writestr(info, b"content")
    assert get(archive) == {"a": b"1"}


def test_a_hard_link_to_a_directory_is_refused(tmp_path: Path, get: Fetch) -> None:
    archive = tar(
        tmp_path / "p.tar",
        entry("p/d", type=tarfile.DIRTYPE),
        link("p/hard", "p/d", tarfile.LNKTYPE),
    )
    fails(get, archive, "archive-escapes")
