"""Does a program end and print the same in a fork and in a fresh process?"""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.subject.forks.served import TEST, ServedProgram, is_alive, wait_until_gone
from whence.subject.command import Ended, Stopped

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


def pythons() -> list[str]:
    """Return this interpreter, and other versions of Python that are on the PATH."""
    found = {sys.version_info[:2]: sys.executable}
    for minor in range(10, 14):
        path = shutil.which(f"python3.{minor}")
        if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0:
            found.setdefault((3, minor), path)
    return [found[version] for version in sorted(found)]


@pytest.fixture(scope="module", params=pythons())
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ServedProgram]:
    command = f"A='b c' {shlex.quote(request.param)} test.py a \"b $WHENCE_TREE\""
    served = ServedProgram(tmp_path_factory.mktemp("served"), command)
    yield served
    served.server.close()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_fork_ends_and_prints_like_a_fresh_process(name: str, served: ServedProgram) -> None:
    served.write(PROGRAMS[name])
    forked, fresh = served.both(TIMED_OUT if name == "no end" else 30)
    assert comparable(forked) == comparable(fresh)


def comparable(ended: Ended) -> Ended:
    """Remove what differs between two runs of one program, and the output of a flood."""
    if ended.flooded:
        assert len(ended.stdout) >= FLOODED
        ended = replace(ended, stdout=b"")
    # The shell prints a message if some signals kill a command.
    stderr = b"" if ended.status > 128 and ended.stderr.count(b"\n") == 1 else ended.stderr
    stdout, stderr = (
        re.sub(rb"0x[0-9a-f]+|in [0-9.]+s", b"#", text) for text in (ended.stdout, stderr)
    )
    return replace(ended, seconds=0.0, stdout=stdout, stderr=stderr)


@pytest.mark.parametrize("memory", [None, 2**31])
def test_a_fork_has_the_memory_limit_of_a_fresh_process(memory: int | None, tmp_path: Path) -> None:
    served = ServedProgram(tmp_path, f"{shlex.quote(sys.executable)} test.py", memory=memory)
    served.write(PROGRAMS["limits"])
    forked, fresh = served.both()
    assert comparable(forked) == comparable(fresh)
    served.server.close()


# -- nothing is left behind ------------------------------------------------------------------


def test_a_stopped_run_leaves_no_process_and_the_next_run_works(tmp_path: Path) -> None:
    served = ServedProgram(tmp_path, TEST)
    served.write("import os, time\nopen('left', 'w').write(str(os.getpid()))\ntime.sleep(60)")
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    with pytest.raises(Stopped):
        served.server.run(None, stop)
    wait_until_gone(int((served.tree / "left").read_text()))
    served.write("print(1)")
    assert served.server.run(None, None).stdout == b"1\n"
    served.server.close()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_server_ends_with_the_process_that_started_it(
    how: signal.Signals, tmp_path: Path
) -> None:
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
