"""Which fields do the rows of an opened stream have?

Front ends write these rows and `trace` reads them, for every language.  Each is also a C struct.
"""

from __future__ import annotations

import numpy as np

MIXED = 0xE0000000  # MIXED + m in links: several steps wrote the bytes, see mixed[m]

# Kinds of effects: what a call of a library function did.
READ, WRITE, COPY, INPUT, OUTPUT, ALLOC, FREE, SOURCE, EXIT, ARGV, ENV, SIGNAL = range(1, 13)

# Step `step` wrote `length` bytes, from byte `offset` on, of what was read.
RUN = np.dtype([("offset", "<u4"), ("length", "<u4"), ("step", "<u4")])
# `parent` is the activation around, `call` the step that entered this one and `ret` the step that
# returned from it; 0 for each means that there is none.
ACTIVATION = np.dtype(
    [(name, "<u4") for name in (
        "function", "parent", "call", "first_instance", "last_instance", "ret", "flags", "depth")]
)  # fmt: skip
# `arg` is the number of an argument or -1.  A COPY row copied `len` bytes from `addr2` to `addr`.
# The text of an OUTPUT row is in the log at `addr2`; 0: the text is not known.
# The rows `first_run`..`first_run + n_runs` of runs hold who wrote the bytes that were read.
EFFECT = np.dtype(
    [("step", "<u4"), ("kind", "u1"), ("pad", "u1"), ("pad2", "<u2"), ("source", "<u4"),
     ("arg", "<i4"), ("addr", "<u8"), ("addr2", "<u8"), ("len", "<u8"), ("offset", "<u8"),
     ("first_run", "<u4"), ("n_runs", "<u4")]
)  # fmt: skip
# Step `step` wrote (in the column `copied`: loaded) `len` bytes at `addr`.
WRITTEN = np.dtype([("addr", "<u8"), ("step", "<u4"), ("len", "<u4")])
