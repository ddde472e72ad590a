"""whence-cc and whence-c++ with a stand-in for the instrumenter and the runtime.

Each module gets a constructor that calls the runtime.  A program linked without the runtime does
not link, and one whose constructors do not run prints nothing.  A source that contains
CANNOT_INSTRUMENT cannot be instrumented; one that contains CANNOT_EMIT makes LLVM end the process.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import types
from collections.abc import Sequence
from pathlib import Path

from whence.frontend.c import driver

CONSTRUCTOR = """
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 0, ptr @wh.start, ptr null }]
declare void @wh_register(ptr)
define internal void @wh.start() {
  call void @wh_register(ptr null)
  ret void
}
"""  # noqa: E501  # as LLVM prints it
RUNTIME = """
#include <stdio.h>
#include <stdlib.h>
void wh_register(const void *module) { if (getenv("SHOW")) puts("registered"); }
"""


def instrument(text: str, mode: str) -> types.SimpleNamespace:
    if "CANNOT_INSTRUMENT" in text:
        raise NotImplementedError("an exotic construct")
    if "CANNOT_EMIT" in text:
        text += '\nmodule asm "no such instruction"\n'
    module = hashlib.sha256(mode.encode() + text.encode()).hexdigest()[:16]
    if "@llvm.global_ctors" not in text:
        text += CONSTRUCTOR
    skipped = {"odd": "it is odd"} if "@odd(" in text else {}
    description = b"npz of " + mode.encode()
    return types.SimpleNamespace(text=text, module=module, description=description, skipped=skipped)


def build(command: Sequence[str], into: Path) -> types.SimpleNamespace:
    into = Path(os.environ.get("FAKE_RUNTIME", into))
    shared, object_ = into / "libwhence_runtime.so", into / "whence_runtime.o"
    if not shared.exists():
        into.mkdir(parents=True, exist_ok=True)
        source = into / "runtime.c"
        source.write_text(RUNTIME)
        subprocess.run([*command, "-fPIC", "-c", source, "-o", object_], check=True)
        subprocess.run([*command, "-shared", object_, "-o", shared], check=True)
    return types.SimpleNamespace(shared=shared, object=object_)


def no_library(*_: object) -> types.SimpleNamespace:
    """Stand for the recorded C++ library, which takes long to compile: it was not made."""
    return types.SimpleNamespace(is_made=False)


def system_state(_: object) -> list[str]:
    return []


if __name__ == "__main__":
    library = types.ModuleType("whence.frontend.c.cxx_library")
    library.__dict__.update(
        FLAGS=(), SOURCE=Path("library.cc"), build=no_library, system_state=system_state
    )
    sys.modules[library.__name__] = library
    for name, function in (("instrument", instrument), ("runtime", build)):
        module = types.ModuleType(f"whence.frontend.c.{name}")
        setattr(module, function.__name__, function)
        sys.modules[module.__name__] = module
    plus = sys.argv.pop(1) == "c++"
    driver.cxx() if plus else driver.cc()
