"""Which object file does a module of LLVM IR become?"""

from __future__ import annotations

import re

import llvmlite.binding as llvm

CODE_MODELS = {2: "kernel", 3: "medium", 4: "large"}  # numbers of the module flag
NO_PRIORITY = "65535"  # the priority of constructors that have none


def emit(text: str, *, assembly: bool = False) -> bytes:
    """Return the object file (or the assembler text) of a module, without optimisation.

    Relocation model and code model are flags of the module; the CPU is an attribute of each
    function.  Some errors end the process: LLVM reports wrong inline assembler in no other way.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()  # for inline assembler
    module = llvm.parse_assembly(with_init_arrays(text))
    module.verify()
    machine = llvm.Target.from_triple(module.triple).create_target_machine(
        opt=0,
        reloc="pic" if _flag("PIC Level", text) else "static",
        codemodel=CODE_MODELS.get(_flag("Code Model", text), "default"),
    )
    made = machine.emit_assembly(module) if assembly else machine.emit_object(module)
    return made.encode() if isinstance(made, str) else bytes(made)


def _flag(name: str, text: str) -> int:
    """Return the value of a module flag, 0 if the module does not have it."""
    found = re.search(rf'^!\d+ = !\{{i32 \d+, !"{name}", i32 (\d+)\}}', text, re.M)
    return int(found[1]) if found else 0


# -- constructors --------------------------------------------------------------------------

GLOBAL = r'@(?:"[^"]*"|[-\w.$]+)'
LIST = re.compile(
    r"^@llvm\.global_(ctors|dtors) = appending global \[(\d+) x \{ i32, ptr, ptr \}\] (.*)$", re.M
)
ENTRY = re.compile(rf"\{{ i32 (\d+), ptr ({GLOBAL}), ptr (null|{GLOBAL}) \}}")


def with_init_arrays(text: str) -> str:
    """Return the module with its constructors and destructors in .init_array and .fini_array.

    llvmlite cannot ask LLVM for these sections and gets .ctors and .dtors instead, which no
    current C library runs:

        @llvm.global_ctors = appending global [1 x ...] [{...} { i32 101, ptr @f, ptr @v }]
        @wh.ctors.0 = private global ptr @f, section ".init_array.101", comdat($v), align 8
    """
    return LIST.sub(lambda found: _arrays(found, text), text)


def _arrays(found: re.Match[str], text: str) -> str:
    kind, count, body = found.groups()
    entries = ENTRY.findall(body)
    if len(entries) != int(count):
        raise ValueError(f"cannot read the list of {kind}: {body}")
    section = ".init_array" if kind == "ctors" else ".fini_array"
    return "\n".join(
        f"@wh.{kind}.{number} = private global ptr {function}, "
        f'section "{section}{"" if priority == NO_PRIORITY else f".{int(priority)}"}"'
        f"{_comdat_of(key, text)}, align 8"
        for number, (priority, function, key) in enumerate(entries)
    )


def _comdat_of(key: str, text: str) -> str:
    """Return the clause that discards an entry together with what it initialises."""
    if key == "null":
        return ""
    defined = re.search(rf"^{re.escape(key)} = .*?, comdat(\(\$[^)]*\))?(?=,|$)", text, re.M)
    if defined is None:
        return ""
    return f", comdat{defined[1] or f'(${key[1:]})'}"
