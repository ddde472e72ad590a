"""Which programs do we record in tests, and does a recorded one behave like the plain one?

A program is a file of `programs/`, or any other C or C++ source.  Comments at its top say what it
covers and, one each, how to run it and how it must end:

    // flags: -lm               given to the compiler
    // args: -v "two words"     as a shell would split them
    // stdin: one\ntwo\n        with the escapes of Python
    // env: NAME=value          added to the environment, repeatable
    // exit: 3                  the exit status, 0 by default
    // signal: SIGABRT          or the signal that ends it
"""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from whence.frontend.c.process import CProcess, LogFile, ProcessState, c_processes
from whence.frontend.c.replay import Replay, Status
from whence.frontend.cache_folder import cache_directory

PROGRAMS = Path(__file__).parent / "programs"
ZIG = (sys.executable, "-m", "ziglang")
TIMEOUT = 60  # seconds; the slowest plain program takes one


@dataclass(frozen=True, slots=True)
class Program:
    """A source file, how to run it, and how it ends."""

    source: Path
    flags: tuple[str, ...] = ()
    args: tuple[str, ...] = ()
    stdin: bytes = b""
    env: Mapping[str, str] = field(default_factory=dict)
    status: int = 0  # as in subprocess: minus the signal that ended it

    @property
    def name(self) -> str:
        return self.source.stem


@dataclass(frozen=True, slots=True)
class Compiler:
    """The commands that compile C and C++, and additions to their environment."""

    cc: tuple[str, ...]
    cxx: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)

    def command(self, source: Path) -> tuple[str, ...]:
        return self.cc if source.suffix == ".c" else self.cxx


@dataclass(frozen=True, slots=True)
class Ended:
    """Everything observable about a run; `files` are those it left in its folder, by name."""

    status: int
    stdout: bytes
    stderr: bytes
    files: Mapping[str, bytes]


PLAIN = Compiler(
    (*ZIG, "cc", "-fno-sanitize=all,undefined"), (*ZIG, "c++", "-fno-sanitize=all,undefined")
)


def recorder(mode: str, folder: Path) -> Compiler:
    """Return whence's compilers, which record unless `mode` is "plain".

    They use only `folder`, also for $WHENCE_CACHE, so that nothing comes from earlier builds.  Only
    the runtime and the recorded C++ library, which are named by their content, are those of the
    user's cache.
    """
    (folder / "modules").mkdir(parents=True, exist_ok=True)
    runtime = Path(cache_directory(os.environ)) / "runtime"
    runtime.mkdir(parents=True, exist_ok=True)
    if not (folder / "cache" / "runtime").exists():
        (folder / "cache").mkdir(exist_ok=True)
        (folder / "cache" / "runtime").symlink_to(runtime)
    driver = "import sys; from whence.frontend.c.driver import {0}; sys.exit({0}())"
    return Compiler(
        (sys.executable, "-c", driver.format("cc")),
        (sys.executable, "-c", driver.format("cxx")),
        {
            "WHENCE_MODE": mode,
            "WHENCE_MODULES": str(folder / "modules"),
            "WHENCE_CACHE": str(folder / "cache"),
        },
    )


# --- finding ------------------------------------------------------------------------------


def programs() -> list[Program]:
    """Return our own programs, by name."""
    return [
        program(source) for source in sorted(PROGRAMS.iterdir()) if source.suffix in (".c", ".cc")
    ]


def program(source: Path) -> Program:
    """Return the program in a file, as the comments at its top describe it."""
    declared: dict[str, list[str]] = {}
    for line in source.read_text().splitlines():
        if not line.startswith("//"):
            break
        if match := re.match(r"// (flags|args|stdin|env|exit|signal): (.*)", line):
            declared.setdefault(match[1], []).append(match[2])

    def split(key: str) -> tuple[str, ...]:
        return tuple(word for text in declared.get(key, ()) for word in shlex.split(text))

    status = int(*declared.get("exit", ["0"]))
    for name in declared.get("signal", ()):
        status = -signal.Signals[name]
    stdin = "".join(declared.get("stdin", ())).encode().decode("unicode_escape").encode("latin-1")
    env = dict(pair.split("=", 1) for pair in declared.get("env", ()))
    return Program(source, split("flags"), split("args"), stdin, env, status)


# --- building and running -----------------------------------------------------------------


def build(program: Program, compiler: Compiler, into: Path, flags: Sequence[str] = ()) -> Path:
    """Compile and link at -O0 with debug information; return the executable, `into`/program."""
    into.mkdir(parents=True, exist_ok=True)
    executable = into / "program"
    _compile(program, compiler, ("-o", str(executable), *flags))
    return executable


def ir(program: Program, compiler: Compiler = PLAIN) -> str:
    """Return the LLVM IR that the compiler makes at -O0."""
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "program.ll")  # zig cannot write it to standard output
        _compile(program, compiler, ("-S", "-emit-llvm", "-o", str(text)))
        return text.read_text()


def _compile(program: Program, compiler: Compiler, flags: Sequence[str]) -> None:
    # -w: the programs do things on purpose that compilers warn about.
    command = (*compiler.command(program.source), "-O0", "-g", "-w", str(program.source))
    done = subprocess.run(
        (*command, *flags, *program.flags), env={**os.environ, **compiler.env}, capture_output=True
    )
    assert done.returncode == 0, (
        f"{program.source} does not compile.\n"
        f"We ran: {shlex.join(done.args)}\n{done.stderr.decode()}"
    )


def run(
    program: Program,
    executable: Path,
    where: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
) -> Ended:
    """Run a copy of the executable as ./program in the new folder `where`; return how it ended."""
    where.mkdir(parents=True)
    shutil.copy(executable, where / "program")
    done = subprocess.run(
        ("./program", *program.args),
        cwd=where,
        input=program.stdin,
        env={"PATH": os.defpath, "LC_ALL": "C", **program.env, **(env or {})},
        capture_output=True,
        timeout=timeout,
        preexec_fn=_without_core_file,
    )
    (where / "program").unlink()
    return Ended(done.returncode, done.stdout, done.stderr, _files(where))


def _without_core_file() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _files(folder: Path) -> dict[str, bytes]:
    """Return the contents of a folder: the bytes of files, the targets of links."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            found[str(path.relative_to(folder))] = os.fsencode(os.readlink(path))
        elif path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


# --- the claim ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded program: its `trace` folder has a folder for each process."""

    executable: Path
    trace: Path
    ended: Ended


def check_same(
    program: Program, compiler: Compiler, folder: Path, plain: Compiler = PLAIN
) -> Recorded:
    """Claim that the program ends as declared, and equally when built by `compiler` and by `plain`.

    All files are in the new `folder`; the trace is in `folder`/trace.
    """
    expected = run(program, build(program, plain, folder / "plain"), folder / "plain-run")
    assert expected.status == program.status, f"{program.source} ended differently: {expected}"
    executable = build(program, compiler, folder / "recorded")
    trace = folder / "trace"
    trace.mkdir()
    ended = run(program, executable, folder / "recorded-run", {"WHENCE_TRACE": str(trace)})
    assert ended == expected, f"{program.source} behaves differently; both runs are in {folder}"
    return Recorded(executable, trace, ended)


# --- logs of a recorded program ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Log:
    """The log of one thread or signal handler, and its replay."""

    process: CProcess
    file: LogFile
    replay: Replay


def read_logs(trace: Path, modules: Path, into: Path) -> list[Log]:
    """Replay every log of a trace; the columns go to folders in `into`."""
    found = []
    for process in c_processes(trace):
        code = process.program([process.description(m.id, modules) for m in process.modules])
        for file in process.logs:
            out = into / f"{process.folder.name}-{file.number}"
            log = process.open_log(file)
            found.append(
                Log(process, file, Replay.open(code, log, out, jumps=process.jumps_out(file)))
            )
    return found


def check_recorded(program: Program, mode: str, folder: Path) -> list[Log]:
    """Claim that a program behaves the same when it is recorded, and that its logs can be read.

    In mode "check", claim also that every value which a replay computes is the logged one.
    """
    plain = recorder("plain", folder)
    recorded = check_same(program, recorder(mode, folder), folder, plain)
    logs = read_logs(recorded.trace, folder / "modules", folder / "columns")
    assert logs, f"{program.source} left no log in {recorded.trace}"
    for log in logs:
        meta = log.replay.meta
        assert meta.status in (Status.OK, Status.CUT), f"{log.file.path}: {meta}"
        assert meta.mismatch_count == 0, f"{log.file.path}: {meta}"
        # A log may stop early only in the step that killed the program.
        assert meta.status is Status.OK or log.file.state is ProcessState.CRASHED, (
            f"{log.file.path}: {meta}"
        )
    return logs


def unrecorded(folder: Path) -> set[str]:
    """Return the functions that whence's compilers did not record, from their journal."""
    declared = folder / "modules" / "unrecorded"
    lines = declared.read_text().splitlines() if declared.exists() else []
    return {json.loads(line)["function"] for line in lines}


# --- what the programs cover --------------------------------------------------------------


def words(text: str) -> list[str]:
    return text.split()


_INSTRUCTION = re.compile(
    r"^  (?:%\S+ = )?((?:(?:tail|musttail|notail) )?[a-z]\S*.*)$", re.MULTILINE
)
_INTRINSIC = re.compile(r"(?:call|invoke) [^@\n]*@llvm\.([\w.]+)\(")
# The types that an overloaded intrinsic was made for, as in umax.v4i32.
_OVERLOAD = re.compile(r"\.(?:(?:nx)?v\d+)?(?:i\d+|f\d+|bf16|p\d+|sl_\w+)(?=\.|$)")
_INTEGER = re.compile(r"<?(?:\d+ x )?i\d+>?")
ARITHMETIC = frozenset(words("add sub mul udiv sdiv urem srem shl lshr ashr and or xor"))
_PREDICATES = frozenset(
    words("eq ne ugt uge ult ule sgt sge slt sle oeq ogt oge olt ole one ord uno ueq une")
)
_CALL_KINDS = frozenset(("tail", "musttail", "notail"))
_COUNTED_WORDS = frozenset(("atomic", "volatile", "weak"))


def kinds(text: str) -> set[str]:
    """Return the kinds in a module: "add", "add i32", "icmp slt", "load atomic", "@memcpy", ..."""
    found = {kind for line in set(_INSTRUCTION.findall(text)) for kind in _kinds_of(line)}
    return found | {"@" + _OVERLOAD.sub("", name) for name in set(_INTRINSIC.findall(text))}


def _kinds_of(instruction: str) -> set[str]:
    opcode, *words = instruction.replace(",", " ").split()
    if opcode in _CALL_KINDS:
        return {"call", f"{opcode} call"}
    found = {opcode} | {f"{opcode} {word}" for word in words[:2] if word in _COUNTED_WORDS}
    if opcode in ARITHMETIC and (integer := _INTEGER.search(instruction)):
        found.add(f"{opcode} {integer[0]}")
    elif opcode in ("icmp", "fcmp"):
        # Flags (samesign, nnan) come first; the predicate is right before the type.
        found.update(f"{opcode} {word}" for word in words if word in _PREDICATES)
    elif opcode == "atomicrmw":
        found.add(f"atomicrmw {next(word for word in words if word != 'volatile')}")
    return found
