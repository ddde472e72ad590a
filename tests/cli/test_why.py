"""Does `whence why` show the causes of a failure, and use a recorded run again?"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from whence.service import recorded_runs

from .asker import BUILD, FAILS, Asker, document, explained
from .prompt import CommandResult
from .terminal import Terminal

TREE = [
    "found != 10: false",
    "  kind == RIGHT: true",
    "  argc != 4: false",
    "    a * a != b * b + c * c: true",
    "    a == b && b == c: false",
]


@pytest.fixture
def user(tmp_path: Path) -> Asker:
    return Asker(tmp_path)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asker:
    """A user who has recorded the failing run into kept/run."""
    user = Asker(tmp_path_factory.mktemp("asked"))
    result = user.why(FAILS, "--out", user.kept / "run", "-q")
    assert (result.status, result.err) == (0, ""), result
    return user


# --- reports ---------------------------------------------------------------------------------


def test_the_text_has_each_cause_below_the_one_that_rests_on_it(user: Asker) -> None:
    result = user.why(FAILS)
    assert result.status == 0, result
    first, message, _, *causes = result.out.splitlines()
    assert first.startswith("Why the failed assertion at triangle.c:27: 5 causes")
    assert message == "  assertion failed in main: found != 10"
    titles = [line.partition(" was ")[0] for line in causes if "  triangle.c:" in line]
    assert [line for line in titles if line.strip()[:1].isdigit()] == [
        "0  found != 10",
        "  1  kind == RIGHT",
        "    3  a * a != b * b + c * c",
        "    4  a == b && b == c",
        "  2  argc != 4",
    ]
    assert "`kind` was RIGHT because triangle.c:11 set it." in " ".join(result.out.split())
    assert result.err.splitlines()[:2] == [
        "whence: fetching the source ...",
        "whence: building and running it, recorded, and once more ...",
    ]
    assert "whence: level 2 of 3: 3 causes ..." in result.err


def test_the_document_is_all_that_is_printed(asked: Asker) -> None:
    result = asked.why_in(asked.kept / "run", "--json", "-")
    assert explained(result) == TREE
    found = document(result)
    assert (found["status"], found["reason"], found["marks"]) == ("explained", None, {})
    assert found["failure"]["kind"] == "assert"
    assert (found["failure"]["file"], found["failure"]["line"]) == ("triangle.c", 27)
    assert found["of"]["lines"] == 13
    assert found["cost"]["trace_events"] > 0
    assert set(found["cost"]["seconds"]) == {"semantics", "total"}


def test_the_page_has_the_tree_and_the_source(asked: Asker) -> None:
    page = asked.kept / "why.html"
    result = asked.why_in(asked.kept / "run", "--html", page, "-q")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("Why the failed assertion")
    written = page.read_text("utf-8")
    assert "a * a != b * b + c * c" in written
    assert "static int area(int a, int b, int c) {" in written


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_the_tree_has_the_requested_depth(asked: Asker, depth: int) -> None:
    result = asked.why_in(asked.kept / "run", "--json", "-", "--depth", depth)
    assert explained(result) == [line for line in TREE if line.count("  ") <= depth]


def test_a_trusted_function_is_shown_as_its_call(asked: Asker) -> None:
    result = asked.why_in(asked.kept / "run", "--json", "-", "--trust", "area")
    assert explained(result)[0] == TREE[0]
    assert not {"area"} & {
        statement["function"]
        for cause in document(result)["causes"]
        for statement in cause["statements"]
    }


def test_wrong_output_is_explained_from_its_first_byte_on(asked: Asker) -> None:
    (asked.kept / "right").write_text("area 9\n")
    result = asked.why_in(asked.kept / "run", "--expect", asked.kept / "right", "--json", "-")
    found = document(result)
    assert found["failure"]["kind"] == "output"
    assert found["failure"]["message"].startswith("byte 5 of the output, printed at triangle.c:23")
    assert "  kind == RIGHT: true" in explained(result)


# --- a run is recorded once ------------------------------------------------------------------


def test_the_same_command_builds_and_runs_nothing_again(user: Asker) -> None:
    (user.runs / "whence-of-4194305-x").mkdir(parents=True)  # left over by a killed process
    first, again = user.why(FAILS), user.why(FAILS)
    assert first.status == again.status == 0
    assert (first.out, user.builds, len(user.kept_runs)) == (again.out, 1, 1)
    assert "whence: using the run recorded " in again.err
    assert "(--fresh records it again)" in again.err
    cost = document(user.why(FAILS, "--json", "-"))["cost"]
    assert (cost["runs"], cost["builds"], cost["cached"]) == (0, 0, 1)
    cost = document(user.why(FAILS, "--json", "-", "--fresh"))["cost"]
    assert (cost["runs"], cost["builds"], cost["cached"]) == (1, 1, 0)
    assert (user.builds, len(user.kept_runs)) == (2, 1)
    user.write("project/readme", "another source")
    assert user.why(FAILS, "-q").status == 0
    assert (user.builds, len(user.kept_runs)) == (3, 2)


def test_a_run_in_the_folder_of_out_is_used_again(user: Asker) -> None:
    out = user.kept / "run"
    first, again = user.why(FAILS, "--out", out), user.why(FAILS, "--out", out)
    assert (first.out, user.builds, user.kept_runs) == (again.out, 1, [])
    assert user.why_in(out, "-q").out == first.out
    assert user.why(FAILS, "--out", out, "--fresh").out == first.out
    assert user.builds == 2


def test_a_trace_is_explained(user: Asker) -> None:
    out = user.kept / "trace"
    what = ("--source", "project", "--build", BUILD, "--test", FAILS)
    assert user.whence("trace", *what, "--out", out, "-q").status == 0
    assert explained(user.why_in(out, "--json", "-")) == TREE


def test_only_the_most_recently_used_runs_are_kept(tmp_path: Path) -> None:
    folders = [tmp_path / f"{number:032x}" for number in range(8)]
    for number, folder in enumerate(folders):
        folder.mkdir()
        os.utime(folder, (number, number))
    recorded_runs.use(folders[0])
    assert sorted(tmp_path.iterdir()) == [folders[0], *folders[4:]]


# --- settings --------------------------------------------------------------------------------


def test_settings_are_used(asked: Asker) -> None:
    """Settings for recording are ignored if a recorded run is named."""
    settings = f"""
        test = "{FAILS}"
        [why]
        source = "project"
        build = "{BUILD}"
        out = "../kept/by-settings"
        depth = 1
        json = "-"
    """
    asked.write("whence.toml", settings)
    try:
        shallow = [line for line in TREE if line.count("  ") <= 1]
        assert explained(asked.whence("why")) == shallow
        assert explained(asked.whence("why", "../kept/run")) == shallow
        assert (asked.kept / "by-settings" / "run.json").exists()
    finally:
        (asked.here / "whence.toml").unlink()


# --- marks -----------------------------------------------------------------------------------


def test_what_is_marked_in_the_terminal_is_kept_with_the_run(asked: Asker) -> None:
    run = Path(shutil.copytree(asked.kept / "run", asked.kept / "marked"))
    script = (
        "import sys; from whence.cli.main import main\n"
        f"sys.argv = ['whence', 'why', {str(run)!r}, '--interactive', '--json', 'out.json']\n"
        f"import os; os.chdir({str(asked.kept)!r})\n"
        "try:\n    main()\nfinally:\n    print('bye')"
    )
    opened = asked.kept / "opened"
    editor = asked.kept / "editor"
    editor.write_text(f'#!/bin/sh\necho "$@" > {opened}.part; mv {opened}.part {opened}\n')
    editor.chmod(0o755)
    terminal = Terminal(script, XDG_CACHE_HOME=str(asked.cache), EDITOR=str(editor))
    terminal.wait_for("kind == RIGHT")
    terminal.type("e")
    deadline = time.monotonic() + 30
    while not opened.exists():
        assert time.monotonic() < deadline, terminal.printed
        time.sleep(0.02)
    assert opened.read_text() == f"+27 {asked.here}/project/triangle.c\n"
    terminal.type("jb")
    terminal.wait_for("1 benign")
    terminal.type("q")
    terminal.check_left_as_found()
    assert "the same command continues from them" in terminal.printed
    in_terminal = CommandResult(0, (asked.kept / "out.json").read_text(), "")
    assert document(in_terminal)["marks"] == {"1": "benign"}
    result = asked.why_in(run, "--json", "-")
    assert document(result)["marks"] == {"1": "benign"}
    assert explained(result) == TREE[:3]
    assert "  benign; decided that it ran" in asked.why_in(run, "-q").out
    deep_enough = asked.why_in(run, "--depth", "0", "--json", "-")
    assert explained(deep_enough) == TREE[:3]  # the causes that were unfolded in the terminal


# --- large trees -----------------------------------------------------------------------------

LIST_PROGRAM = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item { char *key, *value; struct item *next; };

static char *copied(const char *from, size_t length) {
    char *made = malloc(length + 1);
    if (made == NULL || length > 1000)
        exit(3);
    for (size_t at = 0; at < length; at++)
        made[at] = from[at] == '_' ? ' ' : from[at];
    made[length] = '\\0';
    return made;
}

static struct item *parsed(const char *text) {
    struct item *first = NULL;
    while (*text) {
        const char *equals = strchr(text, '='), *end = strchr(text, ';');
        if (equals == NULL || end == NULL || end < equals)
            exit(4);
        struct item *item = malloc(sizeof *item);
        item->key = copied(text, equals - text);
        item->value = copied(equals + 1, end - equals - 1);
        item->next = first;
        first = item;
        text = end + 1;
    }
    return first;
}

static const char *found(const struct item *items, const char *key) {
    for (; items; items = items->next)
        if (strcmp(items->key, key) == 0)
            return items->value;
    return NULL; /* origin */
}

int main(int argc, char **argv) {
    struct item *items = parsed(argv[1]);
    const char *name = found(items, "name");
    if (argc > 1)
        printf("%d\\n", name[0]);
    return 0;
}
"""


@pytest.fixture(scope="module")
def flooded(tmp_path_factory: pytest.TempPathFactory) -> Asker:
    """A user whose failing run has many causes, of which a few are on the value's way."""
    user = Asker(tmp_path_factory.mktemp("flooded"))
    user.write("project/list.c", LIST_PROGRAM)
    result = user.why(
        "./list 'size=3;colour=red;Name=x_y;'",
        *("--out", user.kept / "run", "-q", "--json", "-"),
        build="$CC -g -o list list.c",
    )
    assert (result.status, result.err) == (0, ""), result
    return user


def test_a_large_tree_is_shortened_to_the_way_of_the_value(flooded: Asker) -> None:
    whole = flooded.why_in(flooded.kept / "run", "--all", "-q").out.splitlines()
    lines = flooded.why_in(flooded.kept / "run", "-q").out.splitlines()
    assert len(lines) <= 40 < len(whole)
    titles = [line.strip() for line in lines if line.strip()[:1].isdigit()]
    assert titles[0].startswith("0  name was NULL (SIGSEGV)")
    assert "items was NULL" in titles[1] or "items was false" in titles[1]
    assert "argc" not in " ".join(titles)  # it only decided that the crash could happen
    assert any("--all shows all" in line for line in lines)


def test_fewer_levels_are_fewer_lines(flooded: Asker) -> None:
    counts = [
        len(flooded.why_in(flooded.kept / "run", "--depth", depth, "-q").out.splitlines())
        for depth in (0, 1, 3)
    ]
    assert counts == sorted(counts), counts
