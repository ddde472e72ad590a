"""The builtins as they were when the recorder started.  A test may replace them later.

A module that sets its own `__builtins__` to these makes all functions that it defines afterwards
use them.
"""

from __future__ import annotations

import builtins

BUILTINS = dict(vars(builtins))
