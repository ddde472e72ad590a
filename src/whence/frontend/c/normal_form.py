"""Which functions of a module are the same once the compiler has simplified them?

LLVM brings many ways to write the same into one form: `n * 256` and `n << 8`, a choice and an `if`.
The code is simplified without what a compiler may only assume: that numbers do not overflow, that
loops end, that variables were set before they are read.  So two functions with one form do the same
in every run, also in a run that does what C leaves undefined.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b

from whence.frontend.c.compiling import NotRecorded, in_child
from whence.frontend.c.normal_text import FunctionText

_MAX_TEXT = 4_000_000  # characters of a module; guessed
_DEBUG = re.compile(r"(?m)^\s*(?:#dbg_.*|(?:tail )?call void @llvm\.dbg\..*|!.*)\n")
_ATTACHED = re.compile(
    r"(?m)(?<!^),? ![A-Za-z][\w.]* ![0-9]+"
)  # debug places, what is known of a value
_ASSUMED = re.compile(
    r"\b(?:optnone|mustprogress|noundef|nonnull|willreturn|nsw|nuw|exact|inbounds|nofree|"
    r"noalias|(?:dereferenceable(?:_or_null)?)\(\d+\))(?= |$)|\bnusw\b"
)
_ALLOCATED = re.compile(r"^  (%[^ ]+) = alloca ([^,]+), align \d+$")
_SCALAR = re.compile(r"i\d+|ptr|float|double|x86_fp80")
_DEFINED = re.compile(r"(?m)^define [^\n]*?@(\"[^\"]*\"|[-\w.$]+)\(.*?^\}\n", re.DOTALL)
_PRIVATE = re.compile(r"(?m)^(@(?:\"[^\"]*\"|[-\w.$]+)) = private (.*)$")
_GROUP = re.compile(r" #\d+")
_COMMENT = re.compile(r"(?m)\s*;[^\n\"]*$")

NormalForms = Mapping[str, str]  # by linker name of a function


def normal_forms(text: str, *, with_calls: bool) -> NormalForms | None:
    """Return the form of each function of a module, given as IR; None: LLVM cannot tell.

    `with_calls`: what a function calls may be put in its place.  Then functions that are called
    nowhere else are gone.  Otherwise each function is taken as one that others may call, so that
    nothing is left out of it because of what its callers do.
    """
    if len(text) > _MAX_TEXT:
        return None
    try:
        made = in_child(lambda: _simplified(_prepared(text, with_calls=with_calls)))
    except NotRecorded:
        return None
    found: dict[str, str] = json.loads(made)
    return found


def _prepared(text: str, *, with_calls: bool) -> str:
    """Return a module without debug information and without what a compiler may assume."""
    text = _ATTACHED.sub("", _DEBUG.sub("", text))
    lines: list[str] = []
    fillers: dict[str, str] = {}
    for line in text.splitlines():
        is_data = line.startswith(("@", "%", "target", "source_filename"))
        new = line if is_data else _ASSUMED.sub("", line)
        if line.startswith("attributes "):
            new = new.replace("{", "{ null_pointer_is_valid", 1)
            new = re.sub(r"\bnoinline\b", "", new) if with_calls else new
        elif not with_calls and line.startswith("define "):
            new = new.replace("define internal ", "define ", 1)
        lines += [new, *_filled(new, fillers)]
    return "\n".join([*lines, *fillers.values(), ""])


def _filled(line: str, fillers: dict[str, str]) -> Iterator[str]:
    """Yield what gives a new variable a value: an unknown one, by its type."""
    found = _ALLOCATED.match(line)
    if found is None:
        return
    variable, kind = found[1], found[2]
    name = "whence.any." + re.sub(r"\W+", "_", kind)
    if _SCALAR.fullmatch(kind):
        fillers[name] = f"declare {kind} @{name}() nounwind willreturn memory(none)"
        value = "%whence.value." + re.sub(r"\W", "", variable)
        yield f"  {value} = call {kind} @{name}()"
        yield f"  store {kind} {value}, ptr {variable}"
    else:
        fillers[name] = f"declare void @{name}(ptr) nounwind willreturn memory(argmem: write)"
        yield f"  call void @{name}(ptr {variable})"


def _simplified(text: str) -> bytes:
    """Return the forms as JSON."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(text)
    machine = llvm.Target.from_triple(module.triple).create_target_machine(opt=2)
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, options)
    for _ in range(2):
        builder.getModulePassManager().run(module, builder)
    return json.dumps(_forms(str(module))).encode()


def _forms(text: str) -> dict[str, str]:
    """Return the text of each function of a module."""
    private = {found[1]: _hash_of(found[2]) for found in _PRIVATE.finditer(text)}
    found = {}
    for function in _DEFINED.finditer(_COMMENT.sub("", text)):
        lines = _GROUP.sub("", function[0]).splitlines()
        found[function[1].strip('"')] = FunctionText(lines, private).text()
    return found


def _hash_of(content: str) -> str:
    return (
        f"private {blake2b(content.encode(errors='surrogateescape'), digest_size=16).hexdigest()}"
    )
