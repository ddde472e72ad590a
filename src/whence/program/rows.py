"""What do the rows of an opened stream look like, whatever language the program is written in?

A front end writes them and `trace` reads them; each is also a struct in C.
"""

from __future__ import annotations

import numpy as np

MIXED = 0xC0000000  # MIXED + m in links: the bytes have several definers, see mixed[m]

# Kinds of effects.
READ, WRITE, COPY, INPUT, OUTPUT, ALLOC, FREE, SOURCE, EXIT, ARGV, ENV, SIGNAL = range(1, 13)

RUN = np.dtype([("offset", "<u4"), ("length", "<u4"), ("step", "<u4")])
ACTIVATION = np.dtype(
    [(name, "<u4") for name in (
        "function", "parent", "call", "first_instance", "last_instance", "ret", "flags", "depth")]
)  # fmt: skip
EFFECT = np.dtype(
    [("step", "<u4"), ("kind", "u1"), ("pad", "u1"), ("pad2", "<u2"), ("source", "<u4"),
     ("arg", "<i4"), ("addr", "<u8"), ("addr2", "<u8"), ("len", "<u8"), ("offset", "<u8"),
     ("first_run", "<u4"), ("n_runs", "<u4")]
)  # fmt: skip
WRITTEN = np.dtype([("addr", "<u8"), ("step", "<u4"), ("len", "<u4")])
