"""A test that runs in a fork ends and prints as it does in a process of its own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from whence.changes.changeset import compare
from whence.changes.tree import read_tree
from whence.model import ChangeId, Outcome, Run
from whence.subject.command import Ended, Stopped, run_command
from whence.subject.forks.client import Server
from whence.subject.forks.forker import Forks, Lessons
from whence.subject.forks.preimports import Touched, preimportable
from whence.subject.forks.program import read_program
from whence.subject.trial import BuildAndTest, Trial


def pythons() -> list[str]:
    """The interpreter that runs us, and whatever other version is on the PATH."""
    found = {sys.version_info[:2]: sys.executable}
    for minor in range(10, 14):
        path = shutil.which(f"python3.{minor}")
        if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0:
            found.setdefault((3, minor), path)
    return [found[version] for version in sorted(found)]


# -- one program, both ways ------------------------------------------------------------------

HELPER = """
import collections.abc, dataclasses, enum, json, pickle, re, subprocess, threading
import xml.dom.minidom, logging.handlers, unittest.mock
count = 0
@dataclasses.dataclass
class Point:
    x: int
def up():
    global count
    count += 1
    return count
"""
TIMED_OUT, FLOODED = 0.7, 64 * 2**20

PROGRAMS = {
    "passes": "print('fine')",
    "fails": "def f(): 1 / 0\nf()",
    "chained": "try:\n  {}['a']\nexcept KeyError as e:\n  raise ValueError('x') from e",
    "exits": "import sys; print('a'); sys.exit(3)",
    "exits with words": "import sys; sys.exit('words')",
    "exits at once": "import os; print('never flushed'); os._exit(4)",
    "syntax error": "x = 1\nif x\n",
    "syntax error in another": "open('other.py', 'w').write('def'); import other",
    "missing module": "import nothing_of_this_name",
    "missing name": "from json import nothing_of_this_name",
    "killed": "import os; print('x', flush=True); os.kill(os.getpid(), 9)",
    "terminated": "import os; os.kill(os.getpid(), 15)",
    "crashes": "import ctypes; ctypes.string_at(0)",
    "interrupted": "import os; os.kill(os.getpid(), 2); import time; time.sleep(9)",
    "raises KeyboardInterrupt": "def f(): raise KeyboardInterrupt\nf()",
    "aborts": "import os; os.abort()",
    "main": "print(sorted((k, str(v)) for k, v in globals().items()))",
    "modules": "import sys; print(list(sys.modules))",
    "modules of helper": "import helper, sys; print(sorted(sys.modules))",
    "sys": "import sys; print(sys.argv, sys.orig_argv, sys.path, sys.flags, sys.executable)",
    "surroundings": "import os; print(os.getcwd(), sorted(os.environ.items()), os.umask(0))",
    "descriptors": "import os; print(sorted(os.listdir('/proc/self/fd')))",
    "streams": "import sys; print([(s.encoding, s.errors, s.line_buffering, s.name) for s in "
    "(sys.stdin, sys.stdout, sys.stderr)], sys.stdin.read() == '')",
    "signals": "import signal; print([signal.getsignal(n) for n in signal.valid_signals()][:40])",
    "state": "import helper; print(helper.up(), helper.up())",
    "submodule": "import xml; xml.dom",
    "submodule of helper": "import helper, xml; print(xml.dom.minidom.Node.__name__)",
    "import anew": "import json, sys; old = json; del sys.modules['json']; import json\n"
    "print(old is json, json.loads('[1]'))",
    "reload": "import importlib, helper; helper.up(); importlib.reload(helper); print(helper.up())",
    "find_spec": "import importlib.util as u; s = u.find_spec('json'); print(s, type(s.loader))",
    "spec": "import json; print(json.__spec__, json.__loader__, json.decoder.__spec__)",
    "run_module": "import runpy; print(sorted(runpy.run_module('helper')))",
    "pickle": "import pickle\nclass A: pass\nprint(pickle.dumps(A(), 0), type(pickle.loads("
    "pickle.dumps(A()))))",
    "dataclass": "from dataclasses import dataclass, fields\n@dataclass\nclass A:\n  x: 'int' = 1\n"
    "import helper; print(A(), fields(A), helper.Point(1))",
    "annotations": "from __future__ import annotations\nx: undefined = 1\nprint(__annotations__)",
    "atexit": "import atexit; atexit.register(print, 'bye'); raise SystemExit(5)",
    "thread": "import threading, time\n"
    "threading.Thread(target=lambda: (time.sleep(.05), print('late'))).start()\nprint('early')",
    "thread fails": "import threading\nt = threading.Thread(target=lambda: 1 / 0, name='T')\n"
    "t.start(); t.join()",
    "hook": "import sys; sys.excepthook = lambda t, v, tb: print(t, tb.tb_lineno, tb.tb_next)\n1/0",
    "last": "import atexit, sys\natexit.register(lambda: print(sys.last_value))\n1/0",
    "chdir": "import os; os.chdir('/'); os.environ['A'] = 'b'; os.system('pwd; echo $A')",
    "child": "import subprocess, sys; print(subprocess.run([sys.executable, '-c', 'print(1)'],"
    " capture_output=True))",
    "processes": "from multiprocessing import get_context\ndef f(x): return x + 1\n"
    "if __name__ == '__main__':\n  for how in ('fork', 'spawn'):\n"
    "    with get_context(how).Pool(1) as pool: print(pool.map(f, [1, 2]))",
    "child left": "import os, time\nif os.fork() == 0:\n  time.sleep(30); print('never')",
    "input": "input()",
    "big": "print('x' * 5_000_000)",
    "warns": "import warnings; warnings.warn('careful'); 1 / 0",
    "unraisable": "class A:\n  def __del__(self): 1 / 0\na = A()",
    "encoding": "# coding: latin-1\nprint('\\xe9')",
    "group": "import asyncio\nasync def f(): raise ValueError(1)\nasyncio.run(f())",
    "logging": "import logging; logging.warning('w'); logging.getLogger('x').error('e')",
    "frames": "import sys, traceback\ndef f(): traceback.print_stack(limit=1)\nf()",
    "writes": "open('left', 'w').write('x'); import os; print(sorted(os.listdir('.')))",
    "recursion": "def f(): f()\ntry: f()\nexcept RecursionError as e: print(e)",
    "limits": "import resource; print(resource.getrlimit(resource.RLIMIT_AS))",
    "unittest": "import unittest\nclass T(unittest.TestCase):\n"
    "  def test_a(self): self.assertEqual(1, 2)\nunittest.main(argv=['t'])",
    "no end": "while True: pass",
    "flood": "while True: print('x' * 100_000)",
}


class Desk:
    """A server for `python test.py a b`, which has imported all that the helper imports."""

    def __init__(self, folder: Path, command: str, memory: int | None = None) -> None:
        self.tree = folder / "tree"
        self.tree.mkdir()
        (self.tree / "helper.py").write_text(HELPER)
        self.write("import helper")
        self.command, self.memory = command, memory
        self.env = os.environ | {"WHENCE_TREE": str(self.tree)}
        program = read_program(command, self.tree, self.env)
        assert program is not None
        self.server = Server(program, self.tree, memory, folder / "scratch")
        report = self.server.learn(None, None)
        assert report is not None
        imports = preimportable(report, Touched(self.tree, frozenset(), frozenset()))
        assert {"helper", "xml.dom.minidom", "unittest.mock"} <= set(imports)
        assert self.server.preimport(imports, report.loads) == ()

    def write(self, text: str) -> None:
        (self.tree / "test.py").write_text(text, encoding="latin-1")

    def both(self, timeout: float | None = None) -> tuple[Ended, Ended]:
        forked = self.server.run(timeout, None)
        self.clear_up()
        fresh = run_command(
            self.command,
            cwd=self.tree,
            env=self.env,
            timeout=timeout,
            memory=self.memory,
        )
        self.clear_up()
        return forked, fresh

    def clear_up(self) -> None:
        for name in ("left", "other.py"):
            (self.tree / name).unlink(missing_ok=True)
        shutil.rmtree(self.tree / "__pycache__", ignore_errors=True)


@pytest.fixture(scope="module", params=pythons())
def desk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    command = f"A='b c' {shlex.quote(request.param)} test.py a \"b $WHENCE_TREE\""
    desk = Desk(tmp_path_factory.mktemp("desk"), command)
    yield desk
    desk.server.close()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_fork_ends_and_prints_like_a_process_of_its_own(name: str, desk: Desk) -> None:
    desk.write(PROGRAMS[name])
    forked, fresh = desk.both(TIMED_OUT if name == "no end" else 30)
    assert short(forked) == short(fresh)


def short(ended: Ended) -> Ended:
    """Without what is never the same twice, nor more of a flood than that it was one."""
    if ended.flooded:
        assert len(ended.stdout) >= FLOODED
        ended = replace(ended, stdout=b"")
    # The shell says of some signals that they killed what it ran.
    stderr = b"" if ended.status > 128 and ended.stderr.count(b"\n") == 1 else ended.stderr
    stdout, stderr = (
        re.sub(rb"0x[0-9a-f]+|in [0-9.]+s", b"#", text) for text in (ended.stdout, stderr)
    )
    return replace(ended, seconds=0.0, stdout=stdout, stderr=stderr)


@pytest.mark.parametrize("memory", [None, 2**31])
def test_a_fork_is_limited_like_a_process_of_its_own(memory: int | None, tmp_path: Path) -> None:
    desk = Desk(tmp_path, f"{shlex.quote(sys.executable)} test.py", memory=memory)
    desk.write(PROGRAMS["limits"])
    forked, fresh = desk.both()
    assert short(forked) == short(fresh)
    desk.server.close()


# -- variants, both ways ---------------------------------------------------------------------

Files = dict[str, str]
PYTHON = shlex.quote(sys.executable)
PYTEST = shlex.quote(str(Path(sys.executable).with_name("pytest")))
TEST = f"{PYTHON} test.py"


class Bench:
    """A trial that forks as soon as it can, between two versions."""

    def __init__(self, folder: Path, good: Files, bad: Files, test: str = TEST) -> None:
        for version, files in (("good", good), ("bad", bad)):
            for path, text in files.items():
                (folder / version / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / version / path).write_text(text)
        self.changes = compare(read_tree(folder / "good"), read_tree(folder / "bad"))
        self.commands = BuildAndTest(test, timeout=30)
        forks = Forks(at_once=True)
        self.lessons: Lessons = forks.of(test, None, False)
        self.trial = Trial(folder / "trial", self.changes, forks)
        self.fresh = Trial(folder / "fresh", self.changes)

    def check(self, *variants: frozenset[ChangeId]) -> list[Run]:
        """Every variant ends the same both ways; returns how."""
        found = []
        for variant in variants or (frozenset(), self.changes.everything):
            runs = [
                self.trial.run(variant, self.commands),
                self.fresh.run(variant, self.commands, clean=True),
            ]
            forked, fresh = (replace(run, seconds=0.0, note="") for run in runs)
            assert forked == fresh, (runs, self.lessons.refused)
            found.append(fresh)
        return found

    def check_forked(self, *variants: frozenset[ChangeId]) -> list[Run]:
        runs = self.check(*variants)
        assert self.lessons.refused is None
        assert self.lessons.forked == len(runs)
        return runs

    def close(self) -> None:
        self.trial.close()


GOOD = {
    "test.py": "import json, user, plain\nprint(user.twice())\nassert user.twice() == 4",
    "user.py": "import changed\ndef twice(): return 2 * changed.VALUE",
    "changed.py": "VALUE = 2\n",
    "plain.py": "import collections\nSEEN = []",
}
BAD = GOOD | {"changed.py": "VALUE = 3\n"}
ONE = frozenset({ChangeId(0)})


def test_what_depends_on_a_change_is_imported_anew_for_each_variant(tmp_path: Path) -> None:
    bench = Bench(tmp_path, GOOD, BAD)
    outcomes = [run.outcome for run in bench.check_forked(frozenset(), ONE, frozenset(), ONE)]
    assert outcomes == [Outcome.FAIL, Outcome.PASS] * 2
    assert bench.lessons.imports is not None
    assert {"json", "plain"} <= set(bench.lessons.imports)
    assert {"user", "changed"}.isdisjoint(bench.lessons.imports)
    bench.close()


PYTEST_FILES = {
    "tests/conftest.py": "import pytest\n@pytest.fixture\ndef two(): return 2",
    "tests/test_it.py": "import changed\ndef test_one(two):\n    assert changed.VALUE == two\n",
    "tests/test_case.py": "import unittest, changed\nclass T(unittest.TestCase):\n"
    "    def test(self): self.assertEqual(changed.VALUE, 2)\n",
    "pkg/__main__.py": "import changed, sys\nassert changed.VALUE == 2, sys.argv",
}


@pytest.mark.parametrize(
    "test",
    [
        f"{PYTHON} -m pytest -q tests/test_it.py",
        f"PYTHONPATH={{tree}} {PYTEST} -x tests",
        f"PYTHONPATH=tests {PYTHON} -m unittest test_case",
        f"{PYTHON} -m unittest discover -s tests",
        f"{PYTHON} -m pkg a 'b c'",
        f"PYTHONPATH=$WHENCE_TREE {PYTHON} -B -c 'import user; assert user.twice() == 4, 1'",
        f"{PYTHON} -W error {{tree}}/test.py",
    ],
)
def test_every_way_to_start_a_python_test(
    test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # ours would take most of the time
    bench = Bench(tmp_path, GOOD | PYTEST_FILES, BAD | PYTEST_FILES, test)
    bad, good = bench.check_forked()
    assert (bad.outcome, good.outcome) == (Outcome.FAIL, Outcome.PASS)
    bench.close()


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"changed.py": "VALUE = 2"}, {"changed.py": "VALUE ="}),  # which is no Python
        ({"changed.py": "VALUE = 2"}, {"changed.py": "import os; os._exit(1)"}),
        ({}, {"json.py": "1 / 0"}),  # a module of the standard library is hidden
        ({"collections.py": "1 / 0"}, {}),
        ({"more.py": ""}, {}),
        ({"data.txt": "2"}, {"data.txt": "3"}),
        ({"changed.py": "VALUE = 2; import xml.dom"}, {"changed.py": "VALUE = 2"}),
        ({"changed.py": "VALUE = 2"}, {"changed/__init__.py": "VALUE = 2"}),
        ({"pkg/__init__.py": ""}, {"pkg/__init__.py": "from .sub import N as sub"}),
    ],
)
def test_every_kind_of_change(good: Files, bad: Files, tmp_path: Path) -> None:
    both = {
        "test.py": "import early, user, pkg, xml, sys\n"
        "print(user.twice(), early.DATA, early.MORE)\n"
        "print(sorted(sys.modules), 'sub' in dir(pkg), 'dom' in dir(xml))\nxml.dom",
        "early.py": "try: import more\nexcept ImportError: MORE = 0\nelse: MORE = 1\n"
        "try: DATA = open('data.txt').read()\nexcept OSError: DATA = None\nimport json",
        "user.py": GOOD["user.py"],
        "pkg/sub.py": "N = 1",
    }
    both = both | {"changed.py": "VALUE = 2"} if "changed.py" not in {*good, *bad} else both
    both = both | {"pkg/__init__.py": ""} if "pkg/__init__.py" not in good else both
    bench = Bench(tmp_path, both | good, both | bad)
    bench.commands = replace(bench.commands, compares_output=True)
    bench.check(frozenset(), bench.changes.everything, frozenset())
    bench.close()


def test_a_script_that_a_variant_does_not_have(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"test.py": "", "a": "1"}, {"a": "2"})
    bench.check()
    assert bench.lessons.forked == 0
    bench.close()


# -- tests that do not bear forking ----------------------------------------------------------

SERVED = "import os; served = b'server.py' in open(f'/proc/{os.getppid()}/cmdline', 'rb').read()"


@pytest.mark.parametrize(
    ("test", "why"),
    [
        (f"import json, changed\n{SERVED}\nassert not served", "differently"),
        (f"import json, changed\n{SERVED}\nif served: os.kill(os.getppid(), 9)", "ended"),
        ("import os, changed; os._exit(changed.VALUE)", "regular"),
    ],
)
def test_a_test_that_does_not_bear_it_is_not_forked(test: str, why: str, tmp_path: Path) -> None:
    bench = Bench(tmp_path, GOOD | {"test.py": test}, BAD | {"test.py": test})
    bench.check(frozenset(), ONE, frozenset())
    assert bench.lessons.refused is not None
    assert why in bench.lessons.refused
    assert bench.lessons.forked == 0
    bench.close()


@pytest.mark.parametrize(
    "text",
    [
        "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()",
        "print('hello')",
        "import warnings; warnings.warn('w')",
        "import os; os.environ['A'] = 'b'",
        "import __main__; __main__.script_only",
    ],
)
def test_a_module_that_does_something_is_not_imported_early(text: str, tmp_path: Path) -> None:
    more = {"plain.py": text, "test.py": "script_only = 1\n" + GOOD["test.py"]}
    bench = Bench(tmp_path, GOOD | more, BAD | more)
    bench.check_forked()
    assert bench.lessons.imports is not None
    assert "plain" not in bench.lessons.imports
    assert "json" in bench.lessons.imports
    bench.close()


def test_an_import_that_fails_is_no_reason(tmp_path: Path) -> None:
    more = {
        "plain.py": "try: import windows\nexcept ImportError: windows = None",
        "windows.py": "import json, no_such_module",
    }
    bench = Bench(tmp_path, GOOD | more, BAD | more)
    bench.check_forked()
    assert bench.lessons.imports is not None
    assert "plain" in bench.lessons.imports
    bench.close()


def test_modules_that_change_each_other_are_left_out(tmp_path: Path) -> None:
    """The test looks at one before it imports the other, which is too late then."""
    more = {
        "test.py": f"import plain; print(plain.SEEN); import late\n{GOOD['test.py']}",
        "late.py": "import plain; plain.SEEN.append(1)",
    }
    bench = Bench(tmp_path, GOOD | more, BAD | more)
    bench.check_forked()
    assert bench.lessons.imports is not None
    assert {"plain", "late"}.isdisjoint(bench.lessons.imports)
    assert "json" in bench.lessons.imports
    bench.close()


def test_clean_runs_and_those_with_coverage_are_never_forked(tmp_path: Path) -> None:
    bench = Bench(tmp_path, GOOD, BAD)
    bench.trial.run(ONE, bench.commands, clean=True)
    bench.trial.run(ONE, bench.commands, with_coverage=True)
    assert bench.lessons.forked == 0
    assert bench.lessons.imports is None


def test_forks_have_to_pay() -> None:
    """A test that takes long has to be run often before it is worth a try."""
    quick, slow = Lessons(), Lessons()
    for number in range(10):
        assert quick.pays == (number >= 2)
        assert not slow.pays
        quick.ran_fresh(0.1, might_fork=True)
        slow.ran_fresh(60.0, might_fork=True)


# -- nothing is left behind ------------------------------------------------------------------


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until_gone(process: int) -> None:
    deadline = time.monotonic() + 5
    while is_alive(process):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_run_that_is_given_up_leaves_nothing_and_the_next_one_works(tmp_path: Path) -> None:
    desk = Desk(tmp_path, TEST)
    desk.write("import os, time\nopen('left', 'w').write(str(os.getpid()))\ntime.sleep(60)")
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(Stopped):
        desk.server.run(None, stop)
    wait_until_gone(int((desk.tree / "left").read_text()))
    desk.write("print(1)")
    assert desk.server.run(None, None).stdout == b"1\n"
    desk.server.close()


def test_closing_a_trial_ends_its_server(tmp_path: Path) -> None:
    bench = Bench(tmp_path, GOOD | PARENT, BAD | PARENT)
    assert bench.trial.run(ONE, bench.commands).outcome is Outcome.FAIL
    assert bench.trial.forker.server is not None
    process = bench.trial.forker.server.process.pid
    assert is_alive(process)
    bench.close()
    assert not is_alive(process)


PARENT = {"test.py": "import os, json, changed; raise ValueError(json, changed)"}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_server_ends_with_who_started_it(how: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "test.py").write_text("")
    starts = (
        "import sys, time\nfrom pathlib import Path\n"
        "from whence.subject.forks.client import Server\n"
        "from whence.subject.forks.program import read_program\n"
        f"tree = Path({str(tmp_path)!r})\n"
        f"server = Server(read_program({TEST!r}, tree, {{}}), tree, None, tree / 's')\n"
        "server.run(None, None); print(server.process.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", starts], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        server = int(process.stdout.readline())
        assert is_alive(server)
        process.send_signal(how)
    wait_until_gone(server)


# -- arbitrary packages ----------------------------------------------------------------------


@st.composite
def versions(draw: st.DrawFn) -> tuple[Files, Files]:
    """Two versions of a few modules that import each other, at their top or when called."""
    good, bad = {}, {}
    count = draw(st.integers(2, 5))
    for number in range(count):
        lines = ["import " + draw(st.sampled_from(["json", "re", "string", "xml.dom", "sys"]))]
        imported = [other for other in range(number) if draw(st.booleans())]
        lines += [f"from pkg import m{other}; N = m{other}.f()" for other in imported]
        lines.append("calls = []\ndef f(): calls.append(1); return len(globals())")
        versions = [draw(st.sampled_from(["", "N = 7", "N = 1 / 0", "N =", "import m0"])), ""]
        good[f"pkg/m{number}.py"] = "\n".join([*lines, versions[1]])
        bad[f"pkg/m{number}.py"] = "\n".join([*lines, versions[0]])
    both = {
        "pkg/__init__.py": "",
        "test.py": "import sys\n"
        + "\n".join(f"import pkg.m{n}; print(pkg.m{n}.f())" for n in range(count))
        + "\nprint(sorted(n for n in sys.modules if n[0] != '_')); assert not sys.path",
    }
    return good | both, bad | both | {"note": ""}


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(pair=versions(), data=st.data())
def test_arbitrary_variants_end_the_same_both_ways(
    pair: tuple[Files, Files], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    bench = Bench(tmp_path_factory.mktemp("bench"), *pair)
    bench.commands = replace(bench.commands, compares_output=True)
    ids = st.sampled_from(sorted(bench.changes.everything))
    bench.check_forked(frozenset(), data.draw(st.frozensets(ids)), bench.changes.everything)
    bench.close()


# -- which commands are programs -------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "interpreter", "rest"),
    [
        ("python test.py", ["python"], ["test.py"]),
        ("python3.11 -W error -uB -m pytest -k 'a b'", ["python3.11", "-W", "error", "-uB"],
         ["-m", "pytest", "-k", "a b"]),
        ("A=1 B='x y' /usr/bin/python3 -c \"print(\\\"$HERE\\\")\" x", ["/usr/bin/python3"],
         ["-c", 'print("/here")', "x"]),
        ("python $HERE/t.py ${HERE}", ["python"], ["/here/t.py", "/here"]),
        (r"python a\ b.py", ["python"], ["a b.py"]),
    ],
)  # fmt: skip
def test_a_program_is_read_as_a_shell_would(
    command: str, interpreter: list[str], rest: list[str], tmp_path: Path
) -> None:
    program = read_program(command, tmp_path, {"HERE": "/here", "PATH": "/usr/bin"})
    assert program is not None
    assert [*program.interpreter] == interpreter
    assert [*program.after_interpreter] == rest


@pytest.mark.parametrize(
    "command",
    [
        *("python test.py | cat", "python a.py && python b.py", "python a.py; true"),
        *("python test_*.py", "python a.py > out", "python a.py `pwd`", "python $(pwd)/a.py"),
        *("python ~/a.py", "cd x\npython a.py", "python a.py &", "python 'a.py", "python $TWO"),
        *("python", "python -", "python -i a.py", "python -X importtime a.py", "make", "", "A=1"),
        *("ruby test.py", "env python a.py", 'python "$(pwd)"', "! python a.py", "python a.py # b"),
    ],
)
def test_what_takes_a_shell_is_no_program(command: str, tmp_path: Path) -> None:
    assert read_program(command, tmp_path, {"TWO": "a b", "PATH": "/usr/bin:/bin"}) is None
