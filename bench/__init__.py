"""Benchmarks: each folder holds one, beside a page on how to run it.

They run from the checkout: `python -m bench.why.run`.
"""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
WORK = CHECKOUT / ".bench"  # what the benchmarks fetch, build and measure
