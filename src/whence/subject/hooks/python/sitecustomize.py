"""Start line coverage in a Python process of the test, then remove every trace of this module.

Any Python on the PATH may read this file, so it uses only syntax that all versions accept.
"""

# pathlib is not imported: the program may not need it.

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))

if sys.version_info >= (3, 10) and sys.implementation.name == "cpython":
    try:
        import whence_lines  # type: ignore[import-not-found]  # in the same folder at run time

        del sys.modules["whence_lines"]
        whence_lines.start_coverage(os.environ["WHENCE_TREE"], os.path.join(_here, "lines"))
    except Exception:  # coverage may miss everything, but must not disturb the test
        pass

# Now do what Python would have done without this module: import the sitecustomize that it hides.
# If there is none, `site` handles the ImportError, and this module is not in sys.modules.
sys.path[:] = [entry for entry in sys.path if entry != _here]
sys.path_importer_cache.pop(_here, None)
_self = sys.modules.pop("sitecustomize")  # keep a reference: Python 2 clears a freed module
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401
