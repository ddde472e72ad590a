"""Which test commands are single Python programs?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.subject.forks.program import read_program


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
def test_a_command_that_needs_a_shell_is_no_program(command: str, tmp_path: Path) -> None:
    assert read_program(command, tmp_path, {"TWO": "a b", "PATH": "/usr/bin:/bin"}) is None
