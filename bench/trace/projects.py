"""Which real C projects do we record, and how are they fetched, built and run?

Each is an exact release from a package index, fetched once into `.bench/trace`; later runs work
offline.  If a release has no suitable program, `drivers/` has a small one.
"""

from __future__ import annotations

import hashlib
import json
import random
import shlex
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import WORK

HERE = Path(__file__).parent
STORE = WORK / "trace"
PIP = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:")
NPM = ("npm", "pack", "--silent")


class UnavailableError(Exception):
    """A project that this machine cannot fetch or build; the message says why."""


@dataclass(frozen=True, slots=True)
class Project:
    """A release, which of its files to compile, and how to run the result.

    Without `configure`, our makefile compiles and links the `sources` (globs) and the driver of
    this name, if there is one; with `configure`, the project's own build makes `program`.
    """

    name: str
    download: tuple[str, ...]  # the command that writes the archive into the current folder
    archive: str
    sha256: str
    root: str  # the folder with the sources in the unpacked archive
    sources: tuple[str, ...]
    stdin_of: Callable[[int], bytes]  # the input for a size
    size: int  # the default size; a plain run takes some hundredths of a second
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    configure: tuple[str, ...] = ()
    inner: str = ""  # an archive inside the archive that has the sources
    program: str = "program"

    def fetch(self) -> Path:
        """Return the folder with the released sources; fetch and unpack them if necessary."""
        unpacked = STORE / self.name
        if not unpacked.exists():
            archive = self._archive()
            partial = unpacked.with_name(self.name + ".partial")
            shutil.rmtree(partial, ignore_errors=True)
            _unpack(archive, partial)
            if self.inner:
                _unpack(partial / self.inner, partial)
            partial.rename(unpacked)
        return unpacked / self.root

    def _archive(self) -> Path:
        downloads = STORE / "downloads"
        downloads.mkdir(parents=True, exist_ok=True)
        archive = downloads / self.archive
        if not archive.exists():
            _run(self.download, downloads)
        if hashlib.sha256(archive.read_bytes()).hexdigest() != self.sha256:
            raise UnavailableError(
                f"{archive} is not the release that the benchmark was written for.\n"
                f"Delete it, and look at what this gives: {shlex.join(self.download)}"
            )
        return archive

    def build(self, cc: Sequence[str], into: Path, flags: Sequence[str] = ("-O0", "-g")) -> Path:
        """Build in a copy of the sources, the new folder `into`; return the program."""
        shutil.copytree(self.fetch(), into, symlinks=True)
        settings = (f"CC={shlex.join(cc)}", f"CFLAGS={shlex.join((*flags, '-w'))}")
        if self.configure:
            _run((*self.configure, *settings), into)
            _run(("make", "-j2"), into)
        else:
            driver = HERE / "drivers" / f"{self.name}.c"
            if driver.exists():
                shutil.copy(driver, into / "driver.c")
            (into / "whence.mk").write_text(self._makefile(into))
            _run(("make", "-j2", "-f", "whence.mk", *settings), into)
        return into / self.program

    def _makefile(self, folder: Path) -> str:
        """Return a makefile that makes one object a source, and the program."""
        sources = [str(path.relative_to(folder)) for path in self._compiled(folder)]
        objects = {source: f"objects/{source.replace('/', '-')}.o" for source in sources}
        rules = [f"program: {' '.join(objects.values())}\n\t$(CC) $(CFLAGS) -o $@ $^ $(LIBRARIES)"]
        rules += [
            f"{made}: {source}\n\t@mkdir -p objects\n\t$(CC) $(CFLAGS) $(FLAGS) -c -o $@ $<"
            for source, made in objects.items()
        ]
        variables = f"FLAGS = {shlex.join(self.flags)}\nLIBRARIES = {shlex.join(self.libraries)}\n"
        return variables + "\n".join(rules) + "\n"

    def _compiled(self, folder: Path) -> list[Path]:
        return sorted({path for glob in (*self.sources, "driver.c") for path in folder.glob(glob)})

    def command(self, program: Path) -> list[str]:
        return [str(program.absolute()), *self.args]

    def stdin(self, size: int | None = None) -> bytes:
        return self.stdin_of(self.size if size is None else size)

    def lines(self) -> int:
        """Return how many lines of C are compiled, without headers."""
        return sum(path.read_bytes().count(b"\n") for path in self._compiled(self.fetch()))


def _unpack(archive: Path, into: Path) -> None:
    with tarfile.open(archive) as tar:
        tar.extractall(into, filter="data")


def _run(command: Sequence[str], where: Path) -> None:
    try:
        done = subprocess.run(command, cwd=where, capture_output=True, text=True, errors="replace")
    except FileNotFoundError as error:
        raise UnavailableError(f"{command[0]} is needed for this project: {error}") from error
    if done.returncode != 0:
        output = "\n".join((done.stdout + done.stderr).splitlines()[-30:])
        raise UnavailableError(f"In {where}\n{shlex.join(command)} failed:\n{output}")


# --- workloads: the same bytes for the same size, whatever the machine ------------------------

_WORDS = ("time", "year", "people", "way", "day", "thing", "world", "life", "hand", "part", "eye")


def sql(inserts: int) -> bytes:
    """Return statements that fill a table row by row, then sum it up by group."""
    chance = random.Random(1)
    rows = (
        f"INSERT INTO sale VALUES ({n}, '{chance.choice(_WORDS)}', {chance.randrange(10000)});"
        for n in range(inserts)
    )
    asked = "SELECT item, count(*), sum(price), max(id) FROM sale GROUP BY item ORDER BY 3 DESC;"
    table = "CREATE TABLE sale (id INTEGER PRIMARY KEY, item TEXT, price INT);"
    index = "CREATE INDEX by_item ON sale (item, price);"
    return "\n".join((table, index, *rows, asked, "")).encode()


def prose(length: int) -> bytes:
    """Return text that compresses about as well as prose."""
    chance = random.Random(2)
    words = [
        *_WORDS,
        *("".join(chance.choices("etaoinshr", k=chance.randrange(2, 9))) for _ in range(400)),
    ]
    text = " ".join(chance.choices(words, k=length // 3 + 1)).encode()
    return text[:length]


def markdown(sections: int) -> bytes:
    """Return sections with every common construct of Markdown."""
    chance = random.Random(3)

    def some(count: int) -> str:
        return " ".join(chance.choices(_WORDS, k=count))

    return "\n".join(
        f"## {some(3)} {n}\n\n{some(20)} *{some(2)}* and **{some(1)}**, `{some(1)}`\n\n"
        f"[{some(1)}](/{n}) {some(9)}\n\n"
        f"* {some(3)}\n* {some(4)}\n  1. {some(2)}\n\n> {some(9)}\n\n```\n{some(5)}\n```\n\n"
        f'<b>{some(1)}</b> &amp; <me@{n}> ![{some(1)}][ref{n}]\n\n[ref{n}]: /{n} "{some(2)}"\n'
        for n in range(sections)
    ).encode()


def records(count: int) -> bytes:
    """Return a JSON array of flat and nested values."""
    chance = random.Random(4)
    return json.dumps(
        [
            {
                "id": n,
                "name": chance.choice(_WORDS),
                "price": chance.randrange(10000) / 4,
                "tags": chance.sample(_WORDS, k=3),
                "note": None if n % 3 else 'a "quoted" \u00e9',
            }
            for n in range(count)
        ]
    ).encode()


def replies(count: int) -> bytes:
    """Return a stream of server replies with every type of the protocol's second version."""
    chance = random.Random(5)

    def bulk() -> bytes:
        text = prose(chance.randrange(40))
        return b"$%d\r\n%s\r\n" % (len(text), text)

    def reply(depth: int) -> bytes:
        kind = chance.randrange(6 if depth < 4 else 5)
        if kind == 5:
            n = chance.randrange(5)
            return b"*%d\r\n" % n + b"".join(reply(depth + 1) for _ in range(n))
        return (
            b"+OK\r\n",
            b"-ERR no\r\n",
            b":%d\r\n" % chance.randrange(-99, 10**9),
            bulk(),
            b"$-1\r\n",
        )[kind]

    return b"".join(reply(0) for _ in range(count))


# --- the projects -----------------------------------------------------------------------------

SQLITE = Project(
    name="sqlite",
    download=(*NPM, "better-sqlite3@12.11.1"),
    archive="better-sqlite3-12.11.1.tgz",
    sha256="ebf0ed75a7a59dbcb3b24bbd014ef49d9f15bc328e4adcbf516f2a8fadfa2835",
    root="package/deps/sqlite3",
    sources=("sqlite3.c",),
    flags=("-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"),
    libraries=("-lm",),
    stdin_of=sql,
    size=2000,
)
LZ4 = Project(
    name="lz4",
    download=(*PIP, "lz4==4.4.5"),
    archive="lz4-4.4.5.tar.gz",
    sha256="5f0b9e53c1e82e88c10d7c180069363980136b9d7a8306c4dca4f760d60c39f0",
    root="lz4-4.4.5/lz4libs",
    sources=("*.c",),
    stdin_of=prose,
    size=200_000,
)
ZSTD = Project(
    name="zstd",
    download=(*PIP, "zstandard==0.25.0"),
    archive="zstandard-0.25.0.tar.gz",
    sha256="7713e1179d162cf5c7906da876ec2ccb9c3a9dcbdffef0cc7f70c3667a205f0b",
    root="zstandard-0.25.0/zstd",
    sources=("zstd.c",),
    flags=("-DZSTD_DISABLE_ASM",),
    stdin_of=prose,
    size=200_000,
)
CMARK = Project(
    name="cmark",
    download=(*PIP, "cmarkgfm==2025.10.22"),
    archive="cmarkgfm-2025.10.22.tar.gz",
    sha256="5bec61007b65b919488442c838c58a6c8bf4741f5103c593b2ef180d39818eda",
    root="cmarkgfm-2025.10.22",
    sources=("third_party/cmark/src/*.c", "third_party/cmark/extensions/*.c"),
    flags=(
        *("-Igenerated/unix", "-Ithird_party/cmark/src", "-Ithird_party/cmark/extensions"),
        *("-DCMARK_GFM_STATIC_DEFINE", "-DCMARK_GFM_EXTENSIONS_STATIC_DEFINE"),
    ),
    args=("-t", "html", "-e", "table", "-e", "strikethrough", "-e", "footnotes"),
    stdin_of=markdown,
    size=1000,
)
HIREDIS = Project(
    name="hiredis",
    download=(*PIP, "hiredis==3.5.0"),
    archive="hiredis-3.5.0.tar.gz",
    sha256="c227592cc56b7df247abe4755c26723965be68972be2149fa441ac33d82131ba",
    root="hiredis-3.5.0/vendor/hiredis",
    sources=("alloc.c", "async.c", "hiredis.c", "net.c", "read.c", "sds.c", "sockcompat.c"),
    stdin_of=replies,
    size=20_000,
)
JQ = Project(
    name="jq",
    download=(*PIP, "jq==1.13.0"),
    archive="jq-1.13.0.tar.gz",
    sha256="e62bdddeab3b8a0a404581a7bb6f1e8c4cc6082280870031f746074f4cac52c0",
    root="jq-1.8.2",
    inner="jq-1.13.0/deps/jq-1.8.2.tar.gz",
    sources=("src/*.c", "vendor/decNumber/*.c"),
    configure=(
        *("./configure", "--disable-docs", "--disable-shared", "--with-oniguruma=no"),
        *("--disable-maintainer-mode", "--disable-dependency-tracking"),
    ),
    args=("-c", "group_by(.name) | map({name: .[0].name, sum: (map(.price) | add), n: length})"),
    stdin_of=records,
    size=500,
    program="jq",
)
PROJECTS = (SQLITE, LZ4, ZSTD, CMARK, HIREDIS, JQ)
