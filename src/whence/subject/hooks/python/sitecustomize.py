"""Starts line coverage in a Python process of the test, then leaves no trace of itself.

Any Python on the PATH may read this file, so it keeps to a syntax that all of them know.
"""

# pathlib would be an import that the program may not need.

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))

if sys.version_info >= (3, 10) and sys.implementation.name == "cpython":
    try:
        import whence_lines  # type: ignore[import-not-found]  # found beside us at run time

        del sys.modules["whence_lines"]
        whence_lines.start(os.environ["WHENCE_TREE"], os.path.join(_here, "lines"))
    except Exception:  # seeing nothing is allowed, disturbing the test is not
        pass

# Now do what Python would have done without us: import the sitecustomize that we hide, if there
# is one.  If not, the ImportError says so to `site`, and forgets that we were here.
sys.path[:] = [entry for entry in sys.path if entry != _here]
sys.path_importer_cache.pop(_here, None)
_self = sys.modules.pop("sitecustomize")  # held: Python 2 empties a module that nobody holds
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401
