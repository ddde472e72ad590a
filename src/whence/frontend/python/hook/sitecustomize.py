"""Starts the recorder in a Python process of the test, then leaves no trace of itself.

Any Python on the PATH may read this file, so it keeps to a syntax that all of them know.
"""

# pathlib would be an import that the program may not need.

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))

if sys.version_info >= (3, 10) and sys.implementation.name == "cpython":
    _writes, _settings = sys.dont_write_bytecode, {"code": ""}
    try:
        with open(os.path.join(_here, "settings"), encoding="utf-8") as _file:
            _settings = dict(line.rstrip("\n").split("=", 1) for line in _file)
        # Our own code is compiled once: many processes are started.
        sys.dont_write_bytecode = False
        sys.path.insert(0, _settings["code"])
        import whence_recorder  # type: ignore[import-not-found]  # found there at run time

        whence_recorder.start(_settings)
    except Exception:  # seeing nothing is allowed, disturbing the test is not
        if os.environ.get("WHENCE_DEBUG"):
            raise
    sys.dont_write_bytecode = _writes
    if _settings["code"] in sys.path:
        sys.path.remove(_settings["code"])
    sys.path_importer_cache.pop(_settings["code"], None)
    for _name in [name for name in sys.modules if name.partition(".")[0] == "whence_recorder"]:
        del sys.modules[_name]

# Now do what Python would have done without us: import the sitecustomize that we hide, if there
# is one.  If not, the ImportError says so to `site`, and forgets that we were here.
sys.path[:] = [entry for entry in sys.path if entry != _here]
sys.path_importer_cache.pop(_here, None)
_self = sys.modules.pop("sitecustomize")  # held: Python 2 empties a module that nobody holds
import sitecustomize  # type: ignore[import-not-found]  # noqa: E402, F401
