"""Which C compiler do the tests use?  The machine's, or zig, so that tests of C run everywhere."""

from __future__ import annotations

import os
import shlex
import shutil
import sys

from whence.subject.toolchain import compilers

CC = shlex.split(compilers(os.environ)["CC"])
AR = shutil.which("ar") or f"{shlex.quote(sys.executable)} -m ziglang ar"
