"""A program that calls the runtime directly, compiled once, and a way to record it."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.frontend.runtime.decoding import Process, Stream, read_trace
from whence.frontend.c.runtime import SOURCES, build

CC = [sys.executable, "-m", "ziglang", "cc", "-fno-sanitize=all,undefined"]
PROGRAM = Path(__file__).with_name("program.c")


@dataclass(frozen=True, slots=True)
class Recorded:
    status: int
    output: bytes
    processes: list[Process]

    @property
    def process(self) -> Process:
        (only,) = self.processes
        return only

    @property
    def stream(self) -> Stream:
        (only,) = self.process.streams.values()
        return only

    def shown(self) -> dict[str, int]:
        """Return the addresses that the program printed, by name."""
        lines = (line.split() for line in self.output.decode().splitlines())
        return {name: int(at) for name, at in lines}


Record = Callable[..., Recorded]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runtime")
    runtime = build(CC, folder)
    flags = ["-O0", "-g", "-Wall", "-Wextra", "-Wno-format-security", "-Wno-infinite-recursion"]
    link = [str(runtime.shared), f"-Wl,-rpath,{runtime.shared.parent}", "-lpthread", "-lm"]
    program = folder / "program"
    command = [*CC, *flags, f"-I{SOURCES}", str(PROGRAM), "-o", str(program), *link]
    subprocess.run(command, check=True)
    return program


@pytest.fixture
def record(built: Path, tmp_path: Path) -> Record:
    def run(
        *arguments: str,
        given: bytes | Path = b"",
        env: Mapping[str, str] | None = None,
        file_limit: int | None = None,
    ) -> Recorded:
        folder = tmp_path / "trace"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if file_limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        if isinstance(given, bytes):
            how: dict[str, Any] = {"input": given}
        else:
            how = {"stdin": given.open("rb")}
        done = subprocess.run(
            [str(built), *arguments],
            **how,
            stdout=subprocess.PIPE,
            env={**os.environ, "WHENCE_TRACE": str(folder), **(env or {})},
            check=False,
            timeout=60,
            preexec_fn=limit,
        )
        return Recorded(done.returncode, done.stdout, read_trace(folder))

    return run
