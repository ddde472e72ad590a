"""What does a compiler's command line ask for?

Every word is kept, in order and with its kind, so that a command line can be rebuilt without the
parts that do not concern a step.  Unknown words are OTHER: every step passes them to the compiler.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto


class ArgumentKind(Enum):
    """What an argument is about."""

    INPUT = auto()
    OUTPUT = auto()
    STAGE = auto()  # where to stop: -c, -S, -E, --version, ...
    LANGUAGE = auto()  # -x
    DEPENDENCIES = auto()  # a dependency file for make
    LINK = auto()
    PREPROCESSOR = auto()  # its whole effect is visible in the preprocessed text
    OTHER = auto()


class Stage(Enum):
    """Where the compiler stops."""

    OBJECT = "-c"
    ASSEMBLY = "-S"
    LINKED = ""
    EARLIER = "-E"  # it produces no code, or only prints information


class SourceLanguage(Enum):
    """What an input file is."""

    SOURCE = auto()  # C or C++
    PREPROCESSED = auto()  # C or C++ after the preprocessor
    HEADER = auto()  # a header to precompile
    ASSEMBLER = auto()
    LINKABLE = auto()  # an object, a library, or anything else for the linker
    UNKNOWN = auto()  # another language


@dataclass(frozen=True, slots=True)
class Argument:
    """An option with its value, or an input."""

    words: tuple[str, ...]
    kind: ArgumentKind = ArgumentKind.OTHER


@dataclass(frozen=True, slots=True)
class Input:
    """A file to compile or link ("-" is standard input); `option` is the -x that applies to it."""

    path: str
    language: SourceLanguage
    option: tuple[str, ...] = ()
    place: int = 0  # its index among the arguments


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A parsed call of the compiler."""

    arguments: tuple[Argument, ...]
    inputs: tuple[Input, ...]
    stage: Stage
    output: str | None

    def has(self, *options: str) -> bool:
        """Is one of these options given, as a word of its own?"""
        return any(argument.words[0] in options for argument in self.arguments)

    def words(self, *kinds: ArgumentKind) -> list[str]:
        """Return the words of all arguments of these kinds, in order."""
        return [word for a in self.arguments if a.kind in kinds for word in a.words]


# -- response files ------------------------------------------------------------------------


def expand(words: Iterable[str], within: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the words with each @file replaced by the words in the file.

    A file that cannot be read, or that is already being read, stands for itself.
    """
    for word in words:
        path = word[1:]
        if word[:1] != "@" or path in within:
            yield word
            continue
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                inner = split(file.read())
        except OSError:
            yield word
        else:
            yield from expand(inner, (*within, path))


PIECE = re.compile(
    r"""\\(?s:(.))|"((?:[^"\\]|\\.)*)"?|'((?:[^'\\]|\\.)*)'?|([^\s"'\\]+)|\\$""", re.S
)


def split(text: str) -> list[str]:
    """Return the words of a response file: a backslash quotes any character, also in quotes."""
    words: list[str] = []
    end = -1  # end of the last piece: a piece that starts there belongs to the same word
    for piece in PIECE.finditer(text):
        escaped, double, single, bare = piece.groups()
        quoted = double if double is not None else single
        inner = re.sub(r"(?s)\\(.)", r"\1", quoted) if quoted is not None else escaped or bare or ""
        if piece.start() == end:
            words[-1] += inner
        else:
            words.append(inner)
        end = piece.end()
    return words


def join(words: Iterable[str]) -> str:
    """Return the text of a response file that holds these words."""
    return "\n".join('"' + re.sub(r'(["\\])', r"\\\1", word) + '"' for word in words) + "\n"


# -- options -------------------------------------------------------------------------------

SEPARATE = {
    # the value is the next word
    ArgumentKind.OUTPUT: ("-o", "--output"),
    ArgumentKind.LANGUAGE: ("-x", "--language"),
    ArgumentKind.DEPENDENCIES: ("-MF", "-MT", "-MQ", "-MJ"),
    ArgumentKind.LINK: (
        "-L", "-l", "-Xlinker", "-T", "-Tbss", "-Tdata", "-Ttext", "-u", "-z", "-e", "-h",
        "-rpath", "-framework", "-install_name", "-version-script",
    ),
    ArgumentKind.PREPROCESSOR: (
        "-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros",
        "--include-directory", "--define-macro", "--undefine-macro",
    ),
    ArgumentKind.OTHER: (
        "-A", "-B", "-F", "-G", "-V", "-Xclang", "-Xpreprocessor", "-Xassembler", "-Xopenmp-target",
        "-arch", "-aux-info", "-b", "-c-isystem", "-cxx-isystem", "-dependency-file",
        "-gcc-toolchain", "-idirafter", "-iframework", "-imultilib", "-include-pch", "-iprefix",
        "-isysroot", "-ivfsoverlay", "-iwithprefix", "-iwithprefixbefore", "-iwithsysroot",
        "-mllvm", "-plugin-arg", "-resource-dir", "-serialize-diagnostics",
        "-stdlib++-isystem", "-target", "-working-directory", "--config", "--param",
        "--serialize-diagnostics", "--sysroot", "-dumpdir", "-dumpbase", "-dumpbase-ext",
        "-wrapper",
    ),
}  # fmt: skip
SEPARATE_KIND = {option: kind for kind, options in SEPARATE.items() for option in options}
ALONE = {
    ArgumentKind.STAGE: r"""-[cSEM] | -MM | -fsyntax-only | -emit-llvm | -\#\#\# | --version
        | --help.* | -dump(machine|version|fullversion|specs) | --?print-.*
        | --compile | --assemble | --preprocess | --precompile""",
    ArgumentKind.DEPENDENCIES: r"-M(D|MD|G|P|V|NO) | -M[FTQ].+ | -Wp,-MM?D,.*",
    ArgumentKind.LINK: r"""-l.+ | -L.+ | -T.+ | -z.+ | -Wl,.* | -shared | -static | -static-pie
        | -pie | -no-?pie | -rdynamic | -r | -s | -nostdlib | -nostdlib\+\+ | -nodefaultlibs
        | -nostartfiles | -nolibc | -static-lib.* | -shared-libgcc | -fuse-ld=.* | --ld-path=.*""",
    ArgumentKind.PREPROCESSOR: r"-[IDU].+",
}
PATTERNS = [(kind, re.compile(pattern, re.X)) for kind, pattern in ALONE.items()]

EXTENSIONS = {
    SourceLanguage.SOURCE: ("c", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "CC", "CXX", "C++"),
    SourceLanguage.PREPROCESSED: ("i", "ii"),
    SourceLanguage.HEADER: ("h", "H", "hh", "hp", "hxx", "hpp", "HPP", "h++"),
    SourceLanguage.ASSEMBLER: ("s", "S", "sx", "asm"),
    SourceLanguage.UNKNOWN: ("m", "mm", "M", "mi", "mii", "cppm", "ixx", "cu", "cl", "ll", "bc"),
}  # fmt: skip
LANGUAGE = {extension: language for language, all_ in EXTENSIONS.items() for extension in all_}
NAMED_LANGUAGE = {
    "c": SourceLanguage.SOURCE,
    "c++": SourceLanguage.SOURCE,
    "cpp-output": SourceLanguage.PREPROCESSED,
    "c-cpp-output": SourceLanguage.PREPROCESSED,
    "c++-cpp-output": SourceLanguage.PREPROCESSED,
    "c-header": SourceLanguage.HEADER,
    "c++-header": SourceLanguage.HEADER,
    "assembler": SourceLanguage.ASSEMBLER,
    "assembler-with-cpp": SourceLanguage.ASSEMBLER,
}


def parse_command_line(words: Sequence[str]) -> CommandLine:
    """Parse a command line in which response files are already expanded."""
    arguments = tuple(_arguments(words))
    return CommandLine(arguments, tuple(_inputs(arguments)), _stage(arguments), _output(arguments))


def _arguments(words: Sequence[str]) -> Iterator[Argument]:
    rest = iter(words)
    for word in rest:
        if word == "--":
            yield Argument((word,))
            yield from (Argument((path,), ArgumentKind.INPUT) for path in rest)
        elif word[:1] != "-" or word == "-":
            yield Argument((word,), ArgumentKind.INPUT)
        elif word in SEPARATE_KIND:
            value = next(rest, None)
            yield Argument((word,) if value is None else (word, value), SEPARATE_KIND[word])
        elif word[:2] == "-x":
            yield Argument(("-x", word[2:]), ArgumentKind.LANGUAGE)
        elif word[:2] == "-o" and word[:4] != "-obj":
            yield Argument(("-o", word[2:]), ArgumentKind.OUTPUT)
        elif word.startswith("--output="):
            yield Argument(("-o", word[9:]), ArgumentKind.OUTPUT)
        else:
            yield Argument((word,), _kind(word))


def _kind(word: str) -> ArgumentKind:
    return next((kind for kind, pattern in PATTERNS if pattern.fullmatch(word)), ArgumentKind.OTHER)


def _inputs(arguments: Sequence[Argument]) -> Iterator[Input]:
    option: tuple[str, ...] = ()
    for place, argument in enumerate(arguments):
        if argument.kind is ArgumentKind.LANGUAGE:
            option = () if argument.words[-1] == "none" else argument.words
        elif argument.kind is ArgumentKind.INPUT:
            path = argument.words[0]
            yield Input(path, _language(path, option), option, place)


def _language(path: str, option: tuple[str, ...]) -> SourceLanguage:
    if option:
        return NAMED_LANGUAGE.get(option[-1], SourceLanguage.UNKNOWN)
    return LANGUAGE.get(os.path.splitext(path)[1][1:], SourceLanguage.LINKABLE)


def _stage(arguments: Sequence[Argument]) -> Stage:
    given = {argument.words[0] for argument in arguments if argument.kind is ArgumentKind.STAGE}
    if given - {"-c", "-S", "--compile", "--assemble"}:
        return Stage.EARLIER
    if given & {"-S", "--assemble"}:
        return Stage.ASSEMBLY
    return Stage.OBJECT if given else Stage.LINKED


def _output(arguments: Sequence[Argument]) -> str | None:
    given = [a.words[1] for a in arguments if a.kind is ArgumentKind.OUTPUT and len(a.words) > 1]
    return given[-1] if given else None


# -- what recording changes ----------------------------------------------------------------

# Options that need another kind of object or a runtime of their own: no step gets them.
NO_STEP = re.compile(
    r"-f(fat-)?lto.*|-fsplit-lto-unit|-fwhole-program.*|-fvirtual-function-elimination"
    r"|-fprofile.*|-fcoverage.*|-ftest-coverage|--?coverage|-fsanitize.*|-(shared|static)-libasan"
    r"|-pipe|--?save-temps.*"
)
# Recording does not optimise and needs full debug information.
NO_COMPILE = re.compile(
    r"-O.*|-g(?!cc|dwarf).*|-(Wp,-)?D_FORTIFY_SOURCE(=.*)?|-f(debug|file)-prefix-map=.*"
)
RECORDED = ("-O0", "-g")
# The user's options come after it.  In an executable, code that is not position independent can
# have another address for a function chosen at start (ifunc) than the table of our module has.
DEFAULT = "-fPIC"


def linkable(arguments: Iterable[Argument]) -> list[Argument]:
    """Return the arguments that fit a link with recorded objects."""
    return [argument for argument in arguments if not NO_STEP.fullmatch(argument.words[0])]


def recordable(arguments: Iterable[Argument]) -> list[Argument]:
    """Return the arguments with which a source is compiled for recording."""
    kept = [a for a in linkable(arguments) if not NO_COMPILE.fullmatch("".join(a.words))]
    return [Argument((DEFAULT,)), *kept, *(Argument((word,)) for word in RECORDED)]
