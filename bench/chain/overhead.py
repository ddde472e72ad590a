"""What does a rerun cost beyond the program's own time?

CPU seconds count, of whence and of the processes that it starts: the machine may be busy.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.chain.run import CASES, versions
from whence.frontend.rerun.c import CRerunner
from whence.frontend.rerun.interventions import Intervention, PatchedProcess, RunPoint, SetBytes
from whence.frontend.rerun.python import AlteredValue, PythonRerunner
from whence.subject.trial import BuildAndTest

_NOWHERE = 1 << 40  # no log is that long, and no step runs that often


def cpu() -> float:
    """Return the CPU seconds of this process and of those that it has waited for."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def each(times: int, run: Callable[[], object], end: Callable[[], object] = lambda: None) -> float:
    """Return the CPU milliseconds of one call; `end` ends what the calls have started."""
    run()
    before = cpu()
    for _ in range(times):
        run()
    end()
    return 1000 * (cpu() - before) / times


def measured(name: str, times: int, folder: Path) -> tuple[float, float]:
    """Return the milliseconds of a plain run of a case, and of a rerun of it."""
    text, _ = versions(CASES / name)
    tree, kept, plain = folder / "tree", folder / "kept", folder / "plain"
    for path in (tree, kept, plain):
        path.mkdir()
    is_c = name.endswith(".c")
    program = "program.c" if is_c else "program.py"
    for path in (tree, plain):
        (path / program).write_text(text)
    test = "./program" if is_c else f"{sys.executable} program.py"
    build = "$CC -g -o program program.c" if is_c else None
    commands = BuildAndTest(test, build=build, as_recorded=True)
    rerun: Callable[[], object]
    end: Callable[[], object] = int  # nothing
    if is_c:
        subprocess.run(["cc", "-g", "-o", "program", program], cwd=plain, check=True)
        rerunner = CRerunner(tree, commands, kept)
        change = Intervention(RunPoint(0, _NOWHERE, 1), SetBytes(b"\0"))
        rerun = lambda: rerunner.run([change], process=PatchedProcess("program", 0))  # noqa: E731
    else:
        python = PythonRerunner(tree, commands, kept)
        value = AlteredValue(1, _NOWHERE, "flip")
        rerun = lambda: python.run([value], PatchedProcess("", 0))  # noqa: E731
        end = python.forks.close  # its CPU seconds count when it has ended
    words = ["/bin/sh", "-c", test]
    own = each(times, lambda: subprocess.run(words, cwd=plain, capture_output=True, check=False))
    return own, each(times, rerun, end)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=50, help="default: %(default)s")
    options = parser.parse_args()
    times: int = options.times
    print("| case | program, CPU ms | rerun, CPU ms | more |")
    print("| --- | ---: | ---: | ---: |")
    for name in ("c05_struct.c", "c13_invoice.c", "p05_object.py.txt", "p12_machine.py.txt"):
        with tempfile.TemporaryDirectory() as folder:
            own, again = measured(name, times, Path(folder))
        print(f"| {name} | {own:.1f} | {again:.1f} | {again - own:.1f} |", flush=True)


if __name__ == "__main__":
    main()
