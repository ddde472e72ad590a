"""Run in the interpreter under test: `python -m bench_repeat OUT SCRIPT`.

Runs the script many times in one process, after a first time that imports modules and fills
caches, and writes to OUT the processor seconds of one time.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time

ENOUGH = 0.3  # seconds


def main() -> None:
    out, script = sys.argv[1:]
    sys.argv[:] = [script]
    with open(script, "rb") as file:
        code = compile(file.read(), script, "exec")

    def once() -> None:
        with contextlib.suppress(Exception, SystemExit):  # the test may fail each time
            exec(code, {"__name__": "__main__", "__file__": script})

    with open(os.devnull, "w") as sink, contextlib.redirect_stdout(sink):
        once()
        times, began = 0, time.process_time()
        while (taken := time.process_time() - began) < ENOUGH:
            once()
            times += 1
    with open(out, "w") as results:
        results.write(str(taken / times))


if __name__ == "__main__":
    main()
