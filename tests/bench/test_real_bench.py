"""bench/real: the list of cases, how they are installed, and what is read from a result."""

from __future__ import annotations

import hashlib
import shutil
import signal
import string
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.isolate.cases import NotInstallableError
from bench.isolate.methods import Ended, run_limited
from bench.isolate.score import Place
from bench.real.cases import LIST, REGISTRY, RealCase, Recipe, install, load_list, load_recipe
from bench.real.measure import Measured, from_json, measured, to_json
from bench.real.releases import run_client, unpacked_release
from bench.real.table import COLUMNS, cells, summary
from whence.model import Outcome, Run
from whence.search.store import Store

CASE = RealCase(
    name="loop",
    repository="someone/project",
    good="HEAD~1",
    bad="HEAD",
    fixed_by="",
    language="C",
    system="make",
    kind="program",
    about="The loop runs once more.",
    needs=("git",),
    recipe="",
    culprits=(Place("p.c", (3, 1), (3, 1)),),
)
ENDED = Ended(status=0, stderr="", seconds=12.0, stopped=False, peak_kib=0, cpu=8.0)


def document(new_line: int, **more: Any) -> dict[str, Any]:
    change = {"file": "p.c", "old": [new_line, 1], "new": [new_line, 1], "pieces": [0]}
    link = {"file": "p.c", "line": new_line, "changes": [0], "step": "change"}
    return {
        "status": "explained",
        "root": [change],
        "auxiliary": [],
        "changes": {"total": 7},
        "cost": {"runs": 5, "builds": 6, "recorded": 3},
        "causes": [{}],
        "chain": [link],
        "notes": [],
    } | more


def test_the_list_has_every_build_system_and_both_languages() -> None:
    cases = load_list(LIST)
    names = [case.name for case in cases]
    assert names == sorted(set(names))
    assert len(names) >= 15
    assert {"make", "cmake", "autotools", "meson"} <= {case.system for case in cases}
    assert {case.kind for case in cases} == {"library", "program"}
    assert sum(case.language == "C++" for case in cases) >= 4
    for case in cases:
        assert isinstance(case.recipe, str)
        assert len(case.recipe) == 64
        assert set(case.recipe) <= set(string.hexdigits)
        assert case.culprits


def test_the_cases_of_registries_have_their_recipes_in_the_list() -> None:
    cases = load_list(REGISTRY)
    names = [case.name for case in cases]
    assert names == sorted(set(names))
    assert not set(names) & {case.name for case in load_list(LIST)}
    for case in cases:
        assert case.package.startswith(("pypi:", "npm:", "debian:"))
        assert case.culprits
        recipe = load_recipe(case, None)
        assert recipe.build
        assert recipe.test


def fake_client(
    folder_of: str, archive: bool, commands: list[list[str]]
) -> Callable[[list[str], Path], subprocess.CompletedProcess[str]]:
    """Return a client that unpacks or packs a release with one file, as pip or npm would."""

    def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        sources = folder / folder_of
        sources.mkdir(parents=True)
        (sources / "p.c").write_text(f"{command[-1]}")
        if archive:
            packed = shutil.make_archive(
                str(folder / "x"), "gztar", root_dir=folder, base_dir=folder_of
            )
            Path(packed).rename(folder / "x.tgz")
            shutil.rmtree(sources)
        return subprocess.CompletedProcess(command, 1, "", "error: no build tools")

    return run


@pytest.mark.parametrize(
    ("package", "folder_of", "archive", "asked"),
    [
        ("pypi:thing", "pip-download-1/thing_2", False, "thing==1.0"),
        ("npm:@some/thing", "package", True, "@some/thing@1.0"),
    ],
)
def test_a_release_is_fetched_once(
    tmp_path: Path, package: str, folder_of: str, archive: bool, asked: str
) -> None:
    commands: list[list[str]] = []
    client = fake_client(folder_of, archive, commands)
    first = unpacked_release(package, "1.0", tmp_path, client)
    assert (first / "p.c").read_text() == asked
    assert unpacked_release(package, "1.0", tmp_path, client) == first
    assert [command[-1] for command in commands] == [asked]
    assert list(tmp_path.iterdir()) == [first]


def test_a_release_that_cannot_be_fetched_says_why(tmp_path: Path) -> None:
    def refuse(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        assert folder.is_dir()
        return subprocess.CompletedProcess(command, 1, "", "ERROR: no matching distribution")

    for package in ("pypi:thing", "npm:thing", "debian:thing"):
        with pytest.raises(NotInstallableError, match="no matching distribution"):
            unpacked_release(package, "1.0", tmp_path, refuse)
    assert list(tmp_path.iterdir()) == []


def debian_client(commands: list[list[str]]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a client that unpacks a source package with two patches, as dpkg-source would."""

    def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        if command[0] == "patch":
            return run_client(command, folder)
        if command[0] == "apt-get":
            (folder / "thing_1.0-2.dsc").write_text("")
        else:
            patches = folder / "unpacked" / "debian" / "patches"
            patches.mkdir(parents=True)
            (patches / "one").write_text("--- a/p.c\n+++ b/p.c\n@@ -1 +1 @@\n-old\n+new\n")
            (folder / "unpacked" / "p.c").write_text("new\n")
        return subprocess.CompletedProcess(command, 0, "", "")

    return run


@pytest.mark.parametrize(
    ("version", "skips", "text"),
    [
        ("1.0-2", False, "new\n"),
        ("1.0-2 unpatched", True, "new\n"),
        ("1.0-2 without one", False, "old\n"),
    ],
)
def test_a_source_package_of_debian_has_the_patches_that_are_asked_for(
    tmp_path: Path, version: str, skips: bool, text: str
) -> None:
    commands: list[list[str]] = []
    sources = unpacked_release("debian:thing", version, tmp_path, debian_client(commands))
    assert commands[0][-1] == "thing=1.0-2"
    assert ("--skip-patches" in commands[1]) == skips
    assert (sources / "p.c").read_text() == text
    assert [path.name for path in sources.iterdir()] == ["p.c"]


def test_an_unpatched_release_needs_only_the_upstream_archive(tmp_path: Path) -> None:
    """Archives of old distributions lose the other files first."""

    def client(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
        if command[0] != "apt-get":
            return run_client(command, folder)
        (folder / "thing-1.0").mkdir()
        (folder / "thing-1.0" / "p.c").write_text("old\n")
        archive = folder / "thing_1.0.orig.tar.gz"
        run_client(["tar", "-czf", archive.name, "thing-1.0"], folder)
        (folder / f"{archive.name}.asc").write_text("a signature")
        return subprocess.CompletedProcess(command, 100, "", "E: Failed to fetch some archives.")

    sources = unpacked_release("debian:thing", "1.0-2 unpatched", tmp_path, client)
    assert [path.name for path in sources.iterdir()] == ["p.c"]
    with pytest.raises(NotInstallableError, match="Failed to fetch some archives"):
        unpacked_release("debian:thing", "1.0-2", tmp_path, client)


def test_a_patch_that_cannot_be_taken_back_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotInstallableError, match="two cannot be taken back"):
        unpacked_release("debian:thing", "1.0-2 without two", tmp_path, debian_client([]))


def test_a_client_keeps_its_temporary_files_in_its_folder(tmp_path: Path) -> None:
    print_folder = "import tempfile; print(tempfile.gettempdir())"
    done = run_client([sys.executable, "-c", print_folder], tmp_path)
    assert done.stdout.strip() == str(tmp_path)


def test_both_versions_come_from_releases_with_our_files_added(tmp_path: Path) -> None:
    for version in ("1.0", "1.1"):
        folder = tmp_path / "releases" / f"pypi-thing-{version}" / "src"
        folder.mkdir(parents=True)
        (folder / "p.c").write_text(version)
    recipe = Recipe("make", "./p", {"driver.c": "ours"})
    case = replace(
        CASE,
        repository="",
        package="pypi:thing",
        folder="src",
        good="1.0",
        bad="1.1",
        recipe=recipe,
    )
    env = tmp_path / "loop"
    install(case, load_recipe(case, None), env, None)
    assert [(env / version / "p.c").read_text() for version in ("good", "bad")] == ["1.0", "1.1"]
    assert (env / "bad" / "driver.c").read_text() == "ours"


def test_a_recipe_that_was_changed_later_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "real" / "loop.toml"
    file.parent.mkdir()
    text = "build = 'make'\ntest = './p'\nfiles.'d.c' = 'int x;'\n"
    file.write_text(text)
    case = replace(CASE, recipe=hashlib.sha256(text.encode()).hexdigest())
    assert load_recipe(case, tmp_path) == Recipe("make", "./p", {"d.c": "int x;"})
    file.write_text(text.replace("./p", "true"))
    with pytest.raises(NotInstallableError, match="not the recipe"):
        load_recipe(case, tmp_path)
    with pytest.raises(NotInstallableError, match="--cases"):
        load_recipe(case, None)


def test_both_versions_come_from_a_mirror_with_our_files_added(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    git = ["git", "-C", str(project), "-c", "user.name=x", "-c", "user.email=x@localhost"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    for text in ("old", "new"):
        (project / "src" / "p.c").write_text(text)
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", text], check=True)
    mirrors = tmp_path / "mirrors"
    mirror = str(mirrors / "someone+project" / "repo")
    subprocess.run(["git", "clone", "--quiet", "--bare", str(project), mirror], check=True)
    env = tmp_path / "env" / "loop"
    recipe = Recipe("make", "./p", {"in/driver.c": "ours"})
    install(replace(CASE, folder="src"), recipe, env, mirrors)
    assert [(env / version / "p.c").read_text() for version in ("good", "bad")] == ["old", "new"]
    assert [(env / version / "in/driver.c").read_text() for version in ("good", "bad")] == (
        ["ours", "ours"]
    )
    with pytest.raises(NotInstallableError, match="no mirror"):
        install(replace(CASE, repository="no/body"), recipe, tmp_path / "env" / "other", mirrors)


def test_the_culprit_is_found_in_the_root_and_on_the_chain(tmp_path: Path) -> None:
    row = measured(CASE, document(3), ENDED, tmp_path / "no-store")
    assert (row.built, row.seen, row.explained) == (True, True, True)
    assert (row.is_in_root, row.is_on_chain, row.root) == (True, True, 1)
    assert (row.changes, row.runs, row.builds, row.wasted) == (7, 5, 6, 0)
    elsewhere = measured(CASE, document(30), ENDED, tmp_path / "no-store")
    assert not elsewhere.is_in_root
    assert not elsewhere.is_on_chain
    assert elsewhere.explained


def test_runs_whose_variant_did_not_build_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    store = Store(path)
    store.put(b"1", Run(Outcome.BROKEN, note="no build"))
    store.put(b"2", Run(Outcome.BROKEN, built=True, note="out of time"))
    store.put(b"3", Run(Outcome.PASS, built=True))
    store.close()
    assert measured(CASE, document(3), ENDED, path).wasted == 1


def test_an_isolated_failure_is_not_explained_and_says_why(tmp_path: Path) -> None:
    cost = {"runs": 5, "builds": 6, "recorded": 0}
    found = document(3, chain=[], causes=[], cost=cost, reason="the build\nignores $CC")
    row = measured(CASE, found, ENDED, tmp_path / "no-store")
    assert (row.built, row.seen, row.explained, row.is_in_root) == (False, False, False, True)
    assert row.note == "the build ignores $CC"


def test_a_culprit_among_the_changes_that_a_stopped_search_left_is_not_found(
    tmp_path: Path,
) -> None:
    left = document(3, status="unexplained", chain=[], causes=[], reason="interrupted")
    row = measured(CASE, left, replace(ENDED, stopped=True), tmp_path / "no-store")
    assert not row.is_in_root
    assert (row.built, row.seen) == (True, None)
    assert "1 left" in cells(CASE, row)


@pytest.mark.parametrize(
    ("log", "built"), [("whence: looking for causes …", True), ("whence: searching …", None)]
)
def test_a_stopped_command_is_not_judged_beyond_its_log(
    tmp_path: Path, log: str, built: bool | None
) -> None:
    row = measured(CASE, None, replace(ENDED, stopped=True, stderr=log), tmp_path / "no-store")
    assert (row.built, row.seen) == (built, None)
    assert row.note == "stopped after 12 s"


def test_rows_are_kept_and_shown_as_measured(tmp_path: Path) -> None:
    row: Measured = measured(CASE, document(3), ENDED, tmp_path / "no-store")
    assert from_json(to_json(row)) == row
    assert len(cells(CASE, row)) == len(COLUMNS)
    assert "explained 1, culprit in root 1" in summary([row])


def test_a_benchmark_in_the_background_still_interrupts_its_command(tmp_path: Path) -> None:
    """A shell starts a job in the background with SIGINT ignored, and children inherit that."""
    program = (
        "import time\n"
        "print('ready', flush=True)\n"
        "try:\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('heard')\n"
    )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ended = run_limited(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            log=tmp_path / "log",
            out=tmp_path / "out",
            env={},
            seconds=2.0,
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.stopped
    assert (tmp_path / "out").read_text().split() == ["ready", "heard"]
