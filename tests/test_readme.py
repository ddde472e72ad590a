"""Does the README show what the commands print?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_first_example_of_the_readme_is_that_of_the_examples() -> None:
    examples = README.parent / "examples" / "README.md"  # tests/examples runs its commands
    block = re.compile(r"```console\n\$ whence explain .*?\n\n.*?```", re.DOTALL)
    readme_block = block.search(README.read_text("utf-8"))
    example_block = block.search(examples.read_text("utf-8"))
    assert readme_block is not None
    assert example_block is not None
    assert readme_block[0] == example_block[0]


def test_the_upgrade_of_the_readme_is_explained_as_shown(tmp_path: Path) -> None:
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
    shown, _, _cost = ended.stdout.rstrip().rpartition("\n\n")
    assert shown.strip() == answer.strip()


def test_the_contract_of_the_readme_is_printed_as_shown() -> None:
    block = re.search(
        r"```console\n\$ whence (contract .*?)\n(.*?)```", README.read_text("utf-8"), re.DOTALL
    )
    assert block is not None
    ended = subprocess.run(
        f"{sys.executable} -m whence {block[1]} --quiet",
        shell=True, cwd=README.parent, capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.strip() == block[2].strip()


def test_the_slice_of_the_readme_is_printed_as_shown(tmp_path: Path) -> None:
    blocks = re.findall(
        r"```console\n(\$ whence trace.*?)```", README.read_text("utf-8"), re.DOTALL
    )
    (block,) = blocks
    trace, slice_, answer = block.split("\n", 2)
    out = f"--out {tmp_path}/run"
    whence(trace.replace("--out run", out))
    printed = whence(slice_.replace("slice run", f"slice {tmp_path}/run"))
    assert printed.strip() == answer.strip()


def test_the_cause_tree_of_the_readme_is_printed_as_shown(tmp_path: Path) -> None:
    (block,) = re.findall(
        r"```console\n(\$ whence why.*?)```", README.read_text("utf-8"), re.DOTALL
    )
    command, answer = block.split("\n", 1)
    assert whence(f"{command} --out {tmp_path}/run").strip() == answer.strip()


def test_the_classes_of_inputs_of_the_readme_are_printed_as_shown(tmp_path: Path) -> None:
    (block,) = re.findall(
        r"```console\n(\$ whence explore.*?)```", README.read_text("utf-8"), re.DOTALL
    )
    command, answer = block.split("\n", 1)
    printed = whence(f"{command} --out {tmp_path}/tests")
    assert printed.partition("The tests are in")[0].strip() == answer.strip()


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
