"""The builtins as they were when the recorder started: a test may put fakes in their place.

A module that makes them its own `__builtins__` has all functions use them that are defined later.
"""

from __future__ import annotations

import builtins

BUILTINS = dict(vars(builtins))
