"""What does a call of the compiler do while recording?

Each C or C++ source becomes IR.  The IR is instrumented and becomes the object.  Each link gets the
runtime.  Recording must not make a build fail: a source that cannot be recorded is compiled without
recording and listed in $WHENCE_MODULES/unrecorded.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from whence.frontend.c.arguments import (
    Argument,
    ArgumentKind,
    CommandLine,
    Input,
    SourceLanguage,
    Stage,
    expand,
    join,
    linkable,
    parse_command_line,
    recordable,
)
from whence.frontend.c.cache import Cache, Compiled, c_source_hash, write_whole
from whence.frontend.c.clang import compiler, run_plain
from whence.frontend.c.zig_driver import uses_zig_driver, zig_arguments
from whence.frontend.cache_folder import cache_directory
from whence.temporary import temporary_folder

# Limit on the characters of a command line; a longer one goes into a response file.  Guessed: Linux
# allows at least 128 KiB.
MAX_COMMAND_LINE = 100_000
# The checksum of a source file in the debug information.  With it, the IR would differ whenever a
# header differs, and each source that includes the header would be instrumented again.
_CHECKSUM = re.compile(r', checksumkind: CSK_\w+, checksum: "\w*"')
QUIET = "-Wno-unused-command-line-argument"  # zig adds an unused -c when given -S


# Options that emit the IR of -O0, but with the bodies that an optimising compiler would inline.
OPTIMISED = (
    "-O1", "-U__OPTIMIZE__", "-D__builtin_expect(value,other)=(value)", "-fno-strict-aliasing",
    "-fno-omit-frame-pointer",
    "-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-lifetime-markers",
)  # fmt: skip
_INLINE = re.compile(rb"\b(?:inline|__inline|__inline__)\b[^;{}()]*?(\w+)\s*\(")


class NotRecorded(Exception):
    """A source could not be compiled for recording; the message gives the reason."""


def declares_inline(text: str, content: bytes) -> bool:
    """Does the IR only declare a function that the preprocessed C source defines as `inline`?

    C99 wants a definition without `inline` in another source.  A compiler that optimises needs
    none, so projects that forget it build; without optimisation, they do not link.
    """
    inlined = set()
    for match in _INLINE.finditer(content):
        start = max(content.rfind(mark, 0, match.start()) for mark in (b";", b"{", b"}")) + 1
        if not re.search(rb"\b(static|extern)\b", content[start : match.end()]):
            inlined.add(match[1].decode())
    return any(
        re.search(rf"(?m)^declare [^@\n]*@{re.escape(name)}\(", text) is not None
        for name in sorted(inlined)
    )


def inline_defined(text: str) -> str:
    """Return the IR with the bodies of `inline` functions as definitions that may be repeated."""
    return re.sub("(?m)^define available_externally ", "define linkonce_odr ", text)


def compile_recorded(
    command: Sequence[str],
    plus: bool,
    arguments: Sequence[str],
    mode: str,
    env: Mapping[str, str],
    gcc: Sequence[str] = (),
) -> int:
    """Compile as the arguments say, recorded; return the exit status.

    `gcc` is another compiler with its arguments: it compiles the sources that `command` rejects.
    """
    line = parse_command_line(list(expand(arguments)))
    call = CompilerCall(tuple(command), plus, line, mode, env, tuple(gcc))
    reason = why_plain(line)
    if reason is not None:
        call.note(reason)
        for source in line.inputs if line.stage is not Stage.EARLIER else ():
            if is_source(source):
                call.journal("unrecorded", source=os.path.abspath(source.path), reason=reason)
        return run_plain(command, arguments, returns=True)
    dropped = [a.words[0] for a in line.arguments if not linkable([a])]
    if dropped:
        call.note(f"recording leaves out {' '.join(dropped)}")
    return call.link() if line.stage is Stage.LINKED else call.compile_all(arguments)


def is_source(file: Input) -> bool:
    return file.language in (SourceLanguage.SOURCE, SourceLanguage.PREPROCESSED)


def why_plain(line: CommandLine) -> str | None:
    """Return the reason why nothing of this call can be recorded, or None."""
    if not line.inputs or line.stage is Stage.EARLIER:
        return "it produces no code"
    if line.has("-m32", "-mx32"):
        return "whence records 64-bit programs only"
    if line.has("-ffreestanding"):
        return "recording needs the C library (-ffreestanding)"
    if line.has("-nostdlib", "-nodefaultlibs", "-nolibc") and not line.has("-lc"):
        return "recording needs the C library (-nostdlib)"
    return None


@dataclass
class CompilerCall:
    """One call of the compiler while recording."""

    command: tuple[str, ...]
    plus: bool
    line: CommandLine
    mode: str
    env: Mapping[str, str]
    gcc: tuple[str, ...] = ()
    _stdin: bytes | None = field(default=None, init=False)

    # -- the whole call -----------------------------------------------------------------

    def compile_all(self, arguments: Sequence[str]) -> int:
        """Compile each input to a file of its own, for -c and -S."""
        inputs, output = self.line.inputs, self.line.output
        if not any(is_source(file) or file.language is SourceLanguage.HEADER for file in inputs):
            return run_plain(self.command, arguments, returns=True)
        if len(inputs) > 1 and output is not None:
            return run_plain(
                self.command, arguments, returns=True
            )  # the compiler reports the error
        suffix = ".s" if self.line.stage is Stage.ASSEMBLY else ".o"
        return self._each(inputs, lambda file: output or _stem(file) + suffix)

    def link(self) -> int:
        """Compile the sources into a temporary directory, then link everything."""
        sources = [file for file in self.line.inputs if is_source(file)]
        headers = [file for file in self.line.inputs if file.language is SourceLanguage.HEADER]
        if headers:  # headers are precompiled, not linked, with or without -c
            return self._run(self._words(recordable(self.line.arguments))).returncode
        with temporary_folder("cc") as directory:
            places = {file.place: f"{directory}/{file.place}-{_stem(file)}.o" for file in sources}
            status = self._each(sources, lambda file: places[file.place])
            return status or self._link(places)

    def _each(self, files: Sequence[Input], output: Callable[[Input], str]) -> int:
        """Compile all files, even if one fails, as any compiler does."""
        statuses = [self.compile(file, output(file)) for file in files]
        return next(filter(None, statuses), 0)

    def _link(self, objects: Mapping[int, str]) -> int:
        output = self.line.output or "a.out"
        words = [*self._runtime(), *self._cxx_library(), *self._linked_words(objects)]
        status = self._run(words).returncode
        if status == 0:
            self.journal("log", link=os.path.abspath(output))
        return status

    def _linked_words(self, objects: Mapping[int, str]) -> list[str]:
        """Return the user's words with each source replaced by its object."""
        options = {file.place: file.option for file in self.line.inputs}
        unused = (ArgumentKind.LANGUAGE, ArgumentKind.DEPENDENCIES)
        words: list[str] = []
        for place, argument in enumerate(self.line.arguments):
            if place in objects:
                words.append(objects[place])
            elif options.get(place):
                words += [*options[place], *argument.words, "-x", "none"]
            elif argument.kind not in unused and linkable([argument]):
                words += argument.words
        return words

    def _runtime(self) -> list[str]:
        """Return the words that link the runtime; a partial link (-r) needs none."""
        if self.line.has("-r"):
            return []
        from whence.frontend.c.runtime import build

        command = compiler(False, self.env)  # a C++ compiler would take its sources as C++
        runtime = build(command, Path(cache_directory(self.env)) / "runtime")
        if self.line.has("-static", "-static-pie") and not self.line.has("-shared"):
            return [str(runtime.object)]
        path = ["-Xlinker", "-rpath", "-Xlinker", str(runtime.shared.parent)]
        # its driver does not know these options, and its linker needs none
        if uses_zig_driver(self.command):
            return [str(runtime.shared), *path]
        # The runtime comes first, so that a -Bstatic of the user does not apply to it;
        # --no-as-needed because no object refers to it yet.
        return ["-Wl,--push-state,--no-as-needed", str(runtime.shared), "-Wl,--pop-state", *path]

    def _cxx_library(self) -> list[str]:
        """Return the words that link the recorded templates of the C++ standard library.

        zig links its own libc++ into each program: a library would have a second copy of it.
        """
        is_needed = self.plus or self.line.has("-lstdc++")
        left_out = ("-r", "-nostdlib", "-nodefaultlibs", "-nostdlib++", "-stdlib=libc++")
        if not is_needed or self.line.has(*left_out) or uses_zig_driver(self.command):
            return []
        from whence.frontend.c.cxx_library import FLAGS, SOURCE, build, system_state

        command = tuple(compiler(True, self.env))
        source = parse_command_line([*FLAGS, "-c", str(SOURCE)])
        call = CompilerCall(command, True, source, self.mode, self.env)
        runtime = self._runtime()
        library = build(
            Path(cache_directory(self.env)) / "runtime",
            [*command, *runtime, self.mode, own_version(), *system_state(self.env)],
            call.compiled_once,
            [*command, *runtime],
        )
        if not library.is_made:
            name = "the C++ standard library"
            self.note(f"{name} is not recorded")
            self.journal("unrecorded", source=name, reason="it does not compile for recording")
            return []
        module, description, text = library.module()
        self._save(module, ".npz", description)
        self._save(module, ".ll.gz", text)
        if self.line.has("-static", "-static-pie", "-static-libstdc++"):
            return [str(library.object)]
        path = ["-Xlinker", "-rpath", "-Xlinker", str(library.folder)]
        words = ["-Wl,--push-state,--no-as-needed", str(library.shared), "-Wl,--pop-state"]
        return [*words, *path]

    def compiled_once(self) -> Compiled | None:
        """Return the only source of this call, compiled for recording; None if it cannot be."""
        try:
            return self._compiled(self.line.inputs[0], self.line.output or os.devnull)[0]
        except NotRecorded as error:
            self.note(f"{self.line.inputs[0].path} is not recorded: {error}")
            return None

    # -- one source ------------------------------------------------------------------------

    def compile(self, file: Input, output: str) -> int:
        """Compile one input to `output`, recorded if it is a source; return the exit status."""
        if not is_source(file):
            headers = file.language is SourceLanguage.HEADER
            return self._compile_plain(file, output, recorded_flags=headers)
        try:
            compiled, cached = self._compiled(file, output)
        except NotRecorded as error:
            # If the source itself is wrong, this call reports the errors as usual.
            status = self._compile_plain(file, output, is_quiet=bool(self.gcc))
            reason = str(error)
            if status != 0 and self.gcc:
                status = self._compile_with_gcc(file, output)
                reason = f"clang rejects it, so gcc compiled it; {reason}"
            if status == 0:
                self.journal("unrecorded", source=os.path.abspath(file.path), reason=reason)
                self.note(f"{file.path} is not recorded: {reason}")
            return status
        sys.stderr.buffer.write(compiled.diagnostics)
        sys.stderr.flush()
        module = compiled.module.decode()
        self._save(module, ".npz", compiled.description)
        self._save(module, ".ll.gz", compiled.text)
        write_output(output, compiled.object)
        path = os.path.abspath(file.path)
        kept = (self.line.output or "a.out") if self.line.stage is Stage.LINKED else output
        self.journal("log", source=path, module=module, output=os.path.abspath(kept), cached=cached)
        for function, reason in json.loads(compiled.skipped).items():
            self.journal("unrecorded", source=path, function=function, reason=reason)
        return 0

    def _compiled(self, file: Input, output: str) -> tuple[Compiled, bool]:
        flags = self._flags(file)
        content = self._content(file, flags, output)
        cache = Cache.of(Path(cache_directory(self.env)) / "objects", self.env)
        key = self._key(file, content) if self._is_self_contained(content) else None
        found = cache.find(key) if key else None
        if found is not None:
            return found, True
        text, diagnostics = self._ir(file, flags)
        if self._is_optimised and declares_inline(text, content):
            text = inline_defined(self._ir(file, [*flags, *OPTIMISED])[0])
        made = self._instrumented(text, diagnostics)
        if key:
            cache.store(key, made)
        return made, False

    def _instrumented(self, text: str, diagnostics: bytes) -> Compiled:
        """Return the object of a module, instrumented once for all sources with the same IR.

        A change of a header that many sources include often leaves their IR the same.
        """
        assembly = self.line.stage is Stage.ASSEMBLY
        cache = Cache.of(Path(cache_directory(self.env)) / "instrumented", self.env)
        content = text.encode(errors="surrogateescape")
        key = _hash_of([self.mode, assembly, own_version()], content)
        same = cache.find(key)
        if same is not None:
            return replace(same, diagnostics=diagnostics)
        made = Compiled.unpack(
            in_child(lambda: make(text, self.mode, assembly, diagnostics).pack())
        )
        cache.store(key, made)
        return made

    def _flags(self, file: Input) -> list[str]:
        """Return the options that compile a source for recording."""
        maps = [f"-fdebug-prefix-map={tree}=." for tree in self._trees]
        kept = recordable(self.line.arguments)
        words = self._words(
            a for a in kept if a.kind in (ArgumentKind.PREPROCESSOR, ArgumentKind.OTHER)
        )
        return [*words, *maps, QUIET, *file.option]

    def _content(self, file: Input, flags: Sequence[str], output: str) -> bytes:
        """Return the preprocessed text of a source; write its dependency file if asked."""
        if file.language is SourceLanguage.PREPROCESSED:
            return self._preprocessed(file)
        words = [*flags, "-E", *self._dependencies(file, output), file.path]
        done = self._run(words, self._input(file), capture=True)
        if done.returncode != 0:
            raise NotRecorded("it cannot be preprocessed")
        return bytes(done.stdout)

    def _preprocessed(self, file: Input) -> bytes:
        given = self._input(file)
        try:
            return Path(file.path).read_bytes() if given is None else given
        except OSError as error:
            raise NotRecorded(f"it cannot be read: {error.strerror}") from error

    def _dependencies(self, file: Input, output: str) -> list[str]:
        """Return the options that write the dependency file as the whole compilation would."""
        words = self.line.words(ArgumentKind.DEPENDENCIES)
        if not any(re.match(r"-MM?D$|-Wp,-MM?D,", word) for word in words):
            return []
        named = self.line.output or (output if self.line.stage is not Stage.LINKED else None)
        if not any(re.match("-M[TQ]", word) for word in words):
            words += ["-MQ", named or _stem(file) + ".o"]
        if not any(re.match("-MF|-Wp,", word) for word in words):
            words += ["-MF", os.path.splitext(named or _stem(file))[0] + ".d"]
        return words

    def _ir(self, file: Input, flags: Sequence[str]) -> tuple[str, bytes]:
        """Return the IR of a source, and the compiler's diagnostics."""
        with temporary_folder("cc") as directory:
            ir = Path(directory) / f"{_stem(file)}.ll"
            words = [*flags, "-S", "-emit-llvm", file.path, "-o", str(ir)]
            done = self._run(words, self._input(file), capture=True)
            if done.returncode != 0 or not ir.exists():
                raise NotRecorded(
                    f"the compiler gave no IR: {done.stderr.decode(errors='replace').strip()}"
                )
            text = ir.read_text("utf-8", errors="surrogateescape")
        text = _CHECKSUM.sub("", text)
        for tree in self._trees:  # make the names equal in every tree, like the debug information
            text = re.sub(
                rf"(?m)^((?:; ModuleID = '|source_filename = \"))({re.escape(tree)})(?=/)",
                r"\1.",
                text,
            )
        return text, done.stderr

    def _compile_plain(
        self, file: Input, output: str, *, recorded_flags: bool = False, is_quiet: bool = False
    ) -> int:
        """Compile one input without recording, but compatible with recorded objects."""
        arguments = (recordable if recorded_flags else linkable)(self.line.arguments)
        words = self._words(
            a for a in arguments if a.kind in (ArgumentKind.PREPROCESSOR, ArgumentKind.OTHER)
        )
        if file.language in (SourceLanguage.SOURCE, SourceLanguage.HEADER) or file.path.endswith(
            "S"
        ):
            words += self._dependencies(file, output)
        stage = "-S" if self.line.stage is Stage.ASSEMBLY else "-c"
        words += [stage, *file.option, file.path, "-o", output]
        return self._run(words, self._input(file), capture=is_quiet).returncode

    def _compile_with_gcc(self, file: Input, output: str) -> int:
        """Compile one input without recording, with the user's arguments for gcc."""
        line = parse_command_line(list(expand(self.gcc[1:])))
        call = replace(self, command=self.gcc[:1], line=line, gcc=())
        call._stdin = self._stdin
        return call._compile_plain(file, output)

    # -- the cache's key -------------------------------------------------------------------

    def _is_self_contained(self, content: bytes) -> bool:
        """Does the preprocessed text contain everything that the source is made of?"""
        precompiled = any(
            os.path.exists(argument.words[-1] + suffix)
            for argument in self.line.arguments
            if argument.words[0] == "-include"
            for suffix in (".gch", ".pch")
        )
        hidden = re.compile("-include-pch|-fmodules.*|-fpch.*|-fplugin.*|-fpass-plugin.*")
        options = self.line.words(ArgumentKind.OTHER)
        return not (precompiled or b".incbin" in content or any(map(hidden.fullmatch, options)))

    def _key(self, file: Input, content: bytes) -> str:
        """Return a hash of everything that determines the object, the same in every tree."""
        for tree in self._trees:
            marker = rb'(?m)^(# \d+ ")' + re.escape(os.fsencode(tree)) + rb"(?=/)"
            content = re.sub(marker, rb"\1.", content)
        executable = os.stat(self.command[0]) if os.path.isabs(self.command[0]) else None
        options = [
            option
            for argument in recordable(self.line.arguments)
            if argument.kind is ArgumentKind.OTHER
            for option in argument.words
        ]
        decided_by = [
            self.command,
            self._is_optimised,
            executable and (executable.st_size, executable.st_mtime_ns),
            self.mode,
            self.line.stage.name,
            [self._in_tree(option) for option in (*options, *file.option, file.path, os.getcwd())],
            own_version(),
        ]
        return _hash_of(decided_by, content)

    @cached_property
    def _is_optimised(self) -> bool:
        """Do the user's options ask for a C compiler that inlines functions?"""
        levels = [a.words[0] for a in self.line.arguments if re.fullmatch("-O.*", a.words[0])]
        return not self.plus and bool(levels) and levels[-1] not in ("-O0", "-Og")

    @cached_property
    def _trees(self) -> list[str]:
        """Return the names of the tree being built; paths in it are written relative to it."""
        given = self.env.get("WHENCE_TREE", "").rstrip("/")
        return sorted({given, os.path.realpath(given)}) if given else []

    def _in_tree(self, word: str) -> str:
        for tree in self._trees:
            word = re.sub(rf"{re.escape(tree)}(?=/|$)", ".", word)
        return word

    # -- helpers -------------------------------------------------------------------------

    @staticmethod
    def _words(arguments: Iterable[Argument]) -> list[str]:
        return [word for argument in arguments for word in argument.words]

    def _input(self, file: Input) -> bytes | None:
        """Return the bytes of standard input if the file is "-", else None."""
        if file.path == "-" and self._stdin is None:
            self._stdin = sys.stdin.buffer.read()
        return self._stdin if file.path == "-" else None

    def _run(
        self, words: Sequence[str], stdin: bytes | None = None, *, capture: bool = False
    ) -> subprocess.CompletedProcess[bytes]:
        words = zig_arguments(words) if uses_zig_driver(self.command) else list(words)
        with temporary_folder("cc") as directory:
            if sum(map(len, words)) > MAX_COMMAND_LINE:
                response = Path(directory) / "arguments"
                response.write_text(join(words), "utf-8", errors="surrogateescape")
                words = [f"@{response}"]
            return subprocess.run([*self.command, *words], input=stdin, capture_output=capture)

    @cached_property
    def _modules(self) -> Path:
        default = os.path.join(cache_directory(self.env), "modules")
        return Path(self.env.get("WHENCE_MODULES") or default)

    def _save(self, module: str, suffix: str, data: bytes) -> None:
        path = self._modules / f"{module}{suffix}"
        if not path.exists():
            write_whole(path, data)

    def journal(self, name: str, **entry: str | bool) -> None:
        """Append a line to a journal of the build, in one write, so that lines do not mix."""
        self._modules.mkdir(parents=True, exist_ok=True)
        text = json.dumps(entry) + "\n"
        with open(self._modules / name, "ab", buffering=0) as file:
            file.write(text.encode())

    def note(self, text: str) -> None:
        if self.env.get("WHENCE_VERBOSE"):
            print(f"whence-c{'++' if self.plus else 'c'}: {text}", file=sys.stderr)


def make(text: str, mode: str, assembly: bool, diagnostics: bytes) -> Compiled:
    """Instrument a module and emit its object."""
    from whence.frontend.c.emit import emit
    from whence.frontend.c.instrument import instrument

    made = instrument(text, mode)
    return Compiled(
        object=emit(made.text, assembly=assembly),
        module=made.module.encode(),
        description=made.description,
        text=gzip.compress(text.encode("utf-8", "surrogateescape"), 1, mtime=0),
        diagnostics=diagnostics,
        skipped=json.dumps(made.skipped).encode(),
    )


def in_child(work: Callable[[], bytes]) -> bytes:
    """Return the result of `work`, run in a child process because LLVM may end the process."""
    with tempfile.TemporaryFile() as result, tempfile.TemporaryFile() as errors:
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            try:
                os.dup2(errors.fileno(), 2)
                result.write(work())
                result.flush()
                os._exit(0)
            except BaseException:
                errors.write(traceback.format_exc().encode())
                errors.flush()
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        if status != 0:
            errors.seek(0)
            message = errors.read().decode(errors="replace").strip()
            raise NotRecorded(message or f"the compilation ended with status {status}")
        result.seek(0)
        return result.read()


def own_version() -> str:
    """Return a hash of our sources and of llvmlite's version, which determine the objects."""
    digest = blake2b(c_source_hash(), digest_size=16)
    library = find_spec("llvmlite")
    if library is not None and library.origin:
        digest.update(Path(library.origin).with_name("_version.py").read_bytes())
    return digest.hexdigest()


def _hash_of(decided_by: Sequence[object], content: bytes) -> str:
    return blake2b(json.dumps(decided_by).encode() + b"\0" + content, digest_size=32).hexdigest()


def write_output(path: str, data: bytes) -> None:
    """Write the output as compilers do: keep a device, replace a link by a file."""
    if path == "-":
        sys.stdout.buffer.write(data)
        return
    if os.path.isfile(path):
        os.unlink(path)
    with open(path, "wb") as file:
        file.write(data)


def _stem(file: Input) -> str:
    return os.path.splitext(os.path.basename(file.path))[0]
