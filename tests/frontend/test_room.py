"""Is there always room for what is logged?  Long runs that cross windows in unusual places."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontend.corpus import Recorded, check_same, program, recorder
from whence.frontend.c.process import c_processes
from whence.frontend.c.replay import Replay, ReplaySummary, Status

# Each program logs more than fits between two windows, in a way that a rule about room could miss.
DEEP = """
#include <stdio.h>
static long cells[64];
static long down(int n) {
    if (n == 0) return 0;
    long below = down(n - 1);
    return below + cells[n % 64] + cells[(n + 1) % 64] + cells[(n + 2) % 64];
}
static void only_calls(int n) {
    if (n == 0) return;
    only_calls(n - 1);
    (void)down(0);
}
int main(void) {
    for (int i = 0; i < 64; i++) cells[i] = i;
    only_calls(20000);
    printf("%ld\\n", down(40000));
    return 0;
}
"""
ITERATIONS = """
#include <stdio.h>
static volatile int word;
int main(void) {
    long sum = 0;
    int n = 0;
again:
    sum += word + word + word + word;
    if (++n < 300000) goto again;
    do word = n & 7, sum += word; while (n-- > 0);
    for (;;) {
        sum ^= word;
        switch (++n & 3) { case 0: sum += 3; break; case 1: sum -= word; continue; default:; }
        if (n > 100000) break;
    }
    printf("%ld\\n", sum);
    return 0;
}
"""
LONG_PATH = f"""
#include <stdio.h>
typedef long wide __attribute__((vector_size(256)));
static volatile wide word;
static void way(int n) {{
{"    (void)word; if (n < 0) return;" * 600}
}}
int main(void) {{
    for (int i = 0; i < 16; i++) way(i);
    puts("far");
    return 0;
}}
"""


@pytest.mark.parametrize("mode", ["record", "check"])
@pytest.mark.parametrize(
    "source", [DEEP, ITERATIONS, LONG_PATH], ids=["deep returns", "loop iterations", "a long path"]
)
def test_a_long_log_is_whole_wherever_its_windows_end(
    source: str, mode: str, tmp_path: Path
) -> None:
    file = tmp_path / "program.c"
    file.write_text(source)
    made = check_same(program(file), recorder(mode, tmp_path / "kept"), tmp_path / "runs")
    meta = replayed(made, tmp_path)
    assert (meta.status, meta.message, meta.mismatch_count) == (Status.OK, "", 0)
    assert meta.log_bytes > 400_000  # the first window has 256 KiB


def replayed(made: Recorded, folder: Path) -> ReplaySummary:
    (process,) = c_processes(made.trace)
    descriptions = [
        process.description(module.id, folder / "kept" / "modules") for module in process.modules
    ]
    (log,) = process.logs
    image = process.program(descriptions)
    return Replay.open(image, process.open_log(log), folder / "columns").meta
