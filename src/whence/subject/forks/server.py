"""How does a fork server run one Python program many times?

It imports the modules that every run imports, and then forks for each run.  This file runs in the
interpreter of the test, any CPython from 3.10 on.  Invariants:

1. The server imports only the requested modules; it needs no module itself that a new interpreter
   lacks.  It runs no line of the program.
2. A fork shows the program what a fresh process would: a module that was imported before the fork
   is neither in `sys.modules` nor an attribute of its package until the program imports it.
3. A module is handed out once.  A program that deletes it from `sys.modules` and imports it again
   gets a new one, and so does `importlib.reload`.
4. The program ends as usual: threads are joined, `atexit` functions run, streams are flushed.

Requests and answers are lines with a Python literal: marshal differs between Python versions, and
json would have to be imported.
"""

from __future__ import annotations

import sys

FORKED = "\0whence forked"  # the key of sys.modules under which a recorder waits, if there is one
_BARE = frozenset(sys.modules) - {"__future__", FORKED}  # the modules of a new interpreter

import os  # noqa: E402  after _BARE is computed
import time  # noqa: E402
from _frozen_importlib import BuiltinImporter, ModuleSpec  # noqa: E402
from _frozen_importlib_external import SourceFileLoader  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType, ModuleType, TracebackType
    from typing import Any, BinaryIO

    Message = dict[str, Any]

# The names in `__main__` before a program begins.
_MAIN = {"__name__", "__doc__", "__package__", "__loader__", "__spec__", "__builtins__"}
_MAIN |= {"__annotations__"} if sys.version_info < (3, 14) else set()


def serve(request_end: int, answer_end: int) -> Message:
    """Answer requests to the end; return only in a fork, with the program to run.

    A recorder that waits records the program.
    """
    recorder = sys.modules.get(FORKED)
    for name in sys.modules.keys() - _BARE:
        del sys.modules[name]
    requests = open(request_end, "rb")  # noqa: SIM115  each fork closes it
    program: Message = eval(requests.readline() or b"None")
    _set_arguments(program)
    while line := requests.readline():
        request: Message = eval(line)
        if "imports" in request:
            _answer(answer_end, _import_all(request["imports"], request["loads"]))
            continue
        process = os.fork()
        if not process:
            _begin(request, requests, answer_end, program["tree"])
            return {**program, "recorder": recorder}
        _, status = os.waitpid(process, 0)
        _answer(answer_end, ("ended", os.waitstatus_to_exitcode(status), time.monotonic()))
    os._exit(0)


def _answer(answer_end: int, answer: object) -> None:
    os.write(answer_end, ascii(answer).encode() + b"\n")


def _set_arguments(program: Message) -> None:
    """Set up `sys` as if the interpreter had been started with the program."""
    _set_words(program)
    if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
        sys.path[0] = program["path"]


def _set_words(given: Message) -> None:
    sys.argv[:] = given["argv"]
    sys.orig_argv[1:] = given["orig_argv"]


# -- a fork ----------------------------------------------------------------------------------


def _begin(request: Message, requests: BinaryIO, answer_end: int, tree: str) -> None:
    """Leave the server's session and streams, and forget its knowledge of the tree."""
    os.setsid()
    requests.close()
    for stream, path in ((1, request["out"]), (2, request["err"])):
        file = os.open(path, os.O_RDWR)
        os.dup2(file, stream)
        os.close(file)
    if "stdin" in request:
        given = os.open(request["stdin"], os.O_RDONLY)
        os.dup2(given, 0)
        os.close(given)
    if "argv" in request:
        _set_words(request)
    os.chdir(tree)  # the folder may have been replaced by a new one
    for folder in list(sys.path_importer_cache):
        if f"{folder}/".startswith(f"{tree}/"):
            del sys.path_importer_cache[folder]
    if request["report"]:
        watcher: dict[str, Any] = {"__name__": "whence_watch"}
        with open(__file__.replace("server.py", "watch.py"), "rb") as file_of_it:
            exec(compile(file_of_it.read(), "watch.py", "exec"), watcher)
        watcher["watch"](request["report"])
    _answer(answer_end, ("started", os.getpid(), time.monotonic()))
    os.close(answer_end)


def run_program(program: Message) -> None:
    """Run the program as `python` runs it, in a `__main__` without our names."""
    main = sys.modules["__main__"].__dict__
    for name in main.keys() - _MAIN:
        del main[name]
    main.update(__doc__=None, __loader__=BuiltinImporter)
    main.get("__annotations__", {}).clear()
    if program["recorder"] is not None:
        program["recorder"].begin()
    try:
        if program["kind"] == "module":
            from runpy import _run_module_as_main  # type: ignore[attr-defined]

            _run_module_as_main(program["target"])
        else:
            exec(_compiled(program, main), main)
    except SystemExit:
        raise
    except BaseException as error:
        _show(error)
        sys.exit(1)


def _compiled(program: Message, main: dict[str, Any]) -> CodeType:
    target: str = program["target"]
    if program["kind"] == "text":
        if sys.version_info >= (3, 13):  # its tracebacks show the lines of `-c`
            import linecache

            linecache._register_code("<string>", target, "<string>")  # type: ignore[attr-defined]
        return compile(target, "<string>", "exec", dont_inherit=True)
    if not target.startswith("/"):  # Python builds `__file__` in the same way
        target = f"{os.getcwd()}/{target.removeprefix('./')}"
    main.update(__file__=target, __cached__=None, __loader__=SourceFileLoader("__main__", target))
    if program["recorder"] is not None:
        recorded: CodeType | None = program["recorder"].script(target)
        if recorded is not None:
            return recorded
    with open(target, "rb") as file:
        return compile(file.read(), target, "exec", dont_inherit=True)


def _show(error: BaseException) -> None:
    """Do what the interpreter does with an uncaught exception."""
    trace: TracebackType | None = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    if isinstance(error, KeyboardInterrupt):
        sys.excepthook = lambda *_: None
        raise error  # so that the process is killed by the signal


# -- modules that were imported before the fork ----------------------------------------------


def _import_all(names: Sequence[str], loads: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Import modules and hide them; if one cannot be imported early, answer which and why."""
    before = set(sys.modules)
    known = before.union(names, *loads.values())
    also: dict[str, list[str]] = {name: list(others) for name, others in loads.items()}
    for name in names:
        try:
            __import__(name)
        except BaseException as error:
            return "refused", name, f"{type(error).__name__} when it is imported early"
        for stream in (sys.stdout, sys.stderr):
            if stream:
                stream.flush()
        if _threads() > 1:
            return "refused", name, "it starts a thread"
        if os.fstat(1).st_size + os.fstat(2).st_size:
            return "refused", name, "it prints when it is imported"
        # A module such as `six.moves` is not imported but put into sys.modules.
        also.setdefault(name, []).extend(n for n in sys.modules if n not in known)
        known.update(sys.modules)
    hidden = {name: module for name, module in sys.modules.items() if name not in before}
    sys.meta_path.insert(0, _Hidden(hidden, also))  # type: ignore[arg-type]  # a finder by duck typing
    return ("imported",)


def _threads() -> int:
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return len(sys._current_frames())


class _Hidden:
    """A finder that hands out the modules imported before the fork when they are imported."""

    def __init__(self, modules: dict[str, ModuleType], loads: Mapping[str, Sequence[str]]) -> None:
        self._modules = modules
        self._loads = loads
        self._bound = {name for name in modules if self._unbind(name)}
        for name in modules:
            del sys.modules[name]

    def _unbind(self, name: str) -> bool:
        parent, _, last = name.rpartition(".")
        holder = getattr(sys.modules.get(parent), "__dict__", {})
        return bool(parent) and holder.get(last) is self._modules[name] and bool(holder.pop(last))

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> object:
        if name not in self._modules:
            return None
        finding = sys._getframe(1).f_back
        if finding is None or finding.f_code.co_name != "_find_and_load_unlocked":
            return None  # no import: importlib.util.find_spec only asks for its place
        return ModuleSpec(name, self)  # type: ignore[arg-type]  # a loader by duck typing

    def create_module(self, spec: object) -> None:
        """Let Python create a module; `exec_module` replaces it in sys.modules by ours."""

    def exec_module(self, module: ModuleType) -> None:
        del sys.modules[module.__name__]
        self._show(module.__name__)

    def _show(self, name: str) -> None:
        """Put a module where its import puts it, with all modules that its import loads."""
        parent, _, last = name.rpartition(".")
        if parent:
            self._show(parent)
        if name in sys.modules or name not in self._modules:
            return
        module = sys.modules[name] = self._modules.pop(name)
        for other in self._loads.get(name, ()):
            self._show(other)
        sys.modules[name] = sys.modules.pop(name)  # an import leaves it after its imports
        if name in self._bound and parent in sys.modules:
            setattr(sys.modules[parent], last, module)


if __name__ == "__main__":
    # The program gets the real __main__, so the code of this file runs in another namespace.
    with open(__file__, "rb") as own:
        elsewhere: dict[str, Any] = {"__name__": "whence_forks", "__file__": __file__}
        exec(compile(own.read(), __file__, "exec"), elsewhere)
    elsewhere["run_program"](elsewhere["serve"](int(sys.argv[1]), int(sys.argv[2])))
