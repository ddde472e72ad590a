"""What the README shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_what_the_readme_explains_is_the_example() -> None:
    examples = README.parent / "examples" / "README.md"  # whose blocks other tests run
    block = re.compile(r"```console\n\$ whence explain .*?\n\n.*?```", re.DOTALL)
    told = block.search(README.read_text("utf-8"))
    ran = block.search(examples.read_text("utf-8"))
    assert told is not None
    assert ran is not None
    assert told[0] == ran[0]


def test_the_upgrade_that_broke_a_test_is_explained_so(tmp_path: Path) -> None:
    block = re.search(r"```console\n(\$ cat test.py.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert block is not None
    show, _, command = block[1].partition("\n$ whence ")
    command, _, answer = command.partition("\n")
    (tmp_path / "test.py").write_text(show.removeprefix("$ cat test.py\n"), "utf-8")
    python = Path(sys.executable).parent
    ended = subprocess.run(
        f"{sys.executable} -m whence {command} --quiet --store outcomes",
        shell=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{python}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    said = ended.stdout.replace(f"{tmp_path}/", "")
    before, links = (_told(text) for text in (said, answer)), (_links(t) for t in (said, answer))
    assert len(set(before)) == 1
    assert len(set(links)) == 1


def _told(text: str) -> str:
    """What is said before the chain, however long the path of the test is."""
    return " ".join(text.partition("From the change")[0].split())


def _links(text: str) -> tuple[str, ...]:
    """The places of the chain's links."""
    return tuple(re.findall(r"^ +\d+  (\S+:\d+) in ", text, re.MULTILINE))


def test_the_run_that_the_readme_looks_into_is_told_so(tmp_path: Path) -> None:
    blocks = re.findall(
        r"```console\n(\$ whence trace.*?)```", README.read_text("utf-8"), re.DOTALL
    )
    (block,) = blocks
    trace, slice_, answer = block.split("\n", 2)
    out = f"--out {tmp_path}/run"
    whence(trace.replace("--out run", out))
    told = whence(slice_.replace("slice run", f"slice {tmp_path}/run"))
    assert told.strip() == answer.strip()


def test_the_run_that_the_readme_explains_is_explained_so(tmp_path: Path) -> None:
    (block,) = re.findall(
        r"```console\n(\$ whence why.*?)```", README.read_text("utf-8"), re.DOTALL
    )
    command, answer = block.split("\n", 1)
    assert whence(f"{command} --out {tmp_path}/run").strip() == answer.strip()


def whence(command: str) -> str:
    ended = subprocess.run(
        command.replace("$ whence", f"{sys.executable} -m whence") + " --quiet",
        shell=True,
        cwd=README.parent,
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def without_cost(report: str) -> str:
    return report.strip().rpartition("\n\n")[0]
