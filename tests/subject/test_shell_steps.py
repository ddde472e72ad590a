"""Is a build command cut only where its parts can run one after another?"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.subject.shell_steps import changes_the_shell, split_steps

WORDS = st.text("abc'\"$\\ ", min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        ("make", ["make"]),
        ("./configure --with='a && b' && make", ["./configure --with='a && b'", "make"]),
        ("cmake -B b >/dev/null 2>&1 && make", ["cmake -B b >/dev/null 2>&1", "make"]),
        ("cd sub && ./configure && make -j2", ["cd sub", "./configure", "make -j2"]),
        ('CFLAGS="-O2 -g" ./configure && make', ['CFLAGS="-O2 -g" ./configure', "make"]),
        ("./configure || true && make", ["./configure || true", "make"]),
        ("a && b || c && d", ["a && b || c", "d"]),
        ("(cd sub && make) && make", ["(cd sub && make)", "make"]),
        ("make $(cat options && echo x)", ["make $(cat options && echo x)"]),
        ("make -C ${sub} && make", ["make -C ${sub}", "make"]),
        ("./configure; make", ["{ ./configure || :; }", "make"]),
        ("./configure && a; b && make;", ["{ ./configure && a || :; }", "b", "make"]),
        ("./configure\nmake\n", ["{ ./configure || :; }", "make"]),
        ("a & b && c", None),
        ("set -e; a; b", None),
        ("for i in 1 2; do a && b; done", None),
        ("case $x in a) b && c;; esac", None),
        ("{ a && b; } && c", None),
        ("cat <<x && b\na && b\nx", None),
        ("a # b && c", None),
        ('a "$(b "c && d")" && e', None),
        ("a && 'unclosed", None),
        ("a &&", None),
    ],
)
def test_a_plain_list_is_split(command: str, steps: list[str] | None) -> None:
    assert split_steps(command) == (steps or [command])


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_the_steps_are_the_whole_command(words: list[str]) -> None:
    command = " && ".join(words)
    assert "".join(" && ".join(split_steps(command)).split()) == "".join(command.split())


@pytest.mark.parametrize("first", ["true", "false"])
@pytest.mark.parametrize("second", ["true", "false"])
@pytest.mark.parametrize("third", ["true", "false"])
@pytest.mark.parametrize(
    "form",
    [
        "{} && {} && {}",
        "{} || {} && {}",
        "{}; {} && {}",
        "{} && {}\n {}",
        "{} || {}; {}",
        "{} &&\n{};{};",
    ],
)
def test_the_steps_do_what_the_command_does(
    form: str, first: str, second: str, third: str, tmp_path: Path
) -> None:
    each = (f"(echo {n} >>log; {word})" for n, word in enumerate((first, second, third)))
    command = form.format(*each)
    ends = []
    for name, text in (("whole", command), ("steps", " && ".join(split_steps(command)))):
        (tmp_path / name).mkdir()
        ended = subprocess.run(["sh", "-c", text], cwd=tmp_path / name, check=False)
        ends.append((ended.returncode, (tmp_path / name / "log").read_text()))
    assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("step", "changes"),
    [
        ("cd src", True),
        ("{ cd src || :; }", True),
        ("export CC=gcc", True),
        ("CFLAGS='-O2 -g' LDFLAGS=-s", True),
        ("CFLAGS='-O2 -g' ./configure", False),
        ("{ FORCE=1 ./configure || :; }", False),
        ("./configure", False),
        ("testing", False),
    ],
)
def test_a_step_that_sets_up_the_shell_runs_each_time(step: str, changes: bool) -> None:
    assert changes_the_shell(step) is changes
