"""Where is the slicer's library, while nobody builds it for us?"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

try:
    from whence.frontend.c import native  # noqa: F401  (is it there?)
except ImportError:
    import whence.frontend.c as parent

    def library(sources: Sequence[Path]) -> Path:
        made = Path(tempfile.mkdtemp(prefix="whence-slicer-")) / "slicer.so"
        compiler = [shutil.which("gcc") or "clang"]
        flags = ["-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"]
        subprocess.run([*compiler, *flags, "-o", made, *sources], check=True)
        return made

    module = ModuleType("whence.frontend.c.native")
    module.__dict__["library"] = library
    parent.__dict__["native"] = module
    sys.modules[module.__name__] = module
