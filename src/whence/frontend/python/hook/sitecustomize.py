"""Starts the recorder in a Python process of the test, then removes itself.

Any Python on the PATH may read this file, so it uses only syntax that all versions accept.
"""

# pathlib is not used: the program may never import it.

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))

if sys.version_info >= (3, 10) and sys.implementation.name == "cpython":
    _writes, _settings = sys.dont_write_bytecode, {"code": ""}
    try:
        with open(os.path.join(_here, "settings"), encoding="utf-8") as _file:
            _settings = dict(line.rstrip("\n").split("=", 1) for line in _file)
        # Keep the recorder's compiled code: many processes start it.
        sys.dont_write_bytecode = False
        sys.path.insert(0, _settings["code"])
        import whence_recorder  # type: ignore[import-not-found]  # on the path at run time

        whence_recorder.start_recording(_settings)
    except Exception:  # the test must run as usual, even if nothing is recorded
        if os.environ.get("WHENCE_DEBUG"):
            raise
    sys.dont_write_bytecode = _writes
    if _settings["code"] in sys.path:
        sys.path.remove(_settings["code"])
    sys.path_importer_cache.pop(_settings["code"], None)
    for _name in [name for name in sys.modules if name.partition(".")[0] == "whence_recorder"]:
        del sys.modules[_name]

# Now import the sitecustomize that this file hides, as Python would have done.  If there is none,
# `site` handles the ImportError as if this file did not exist.
sys.path[:] = [entry for entry in sys.path if entry != _here]
sys.path_importer_cache.pop(_here, None)
_self = sys.modules.pop("sitecustomize")  # kept: Python 2 empties modules without a reference
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401
