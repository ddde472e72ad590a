"""Does a git repository that is only read run a program of its own, or lead outside?"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.attack.attempts import Attempt
from bench.attack.projects import Project, judged, run_whence

_SETTINGS = (
    "core.fsmonitor", "core.sshCommand", "core.pager", "core.alternateRefsCommand", "core.editor",
    "core.askPass", "core.gitProxy", "diff.external", "diff.x.textconv", "diff.x.command",
    "filter.x.clean", "filter.x.smudge", "filter.x.process", "gpg.program", "gpg.ssh.program",
    "credential.helper", "uploadpack.packObjectsHook", "merge.x.driver", "interactive.diffFilter",
    "sequence.editor", "tar.tar.gz.command", "pager.log", "pager.show", "alias.show", "alias.log",
    "alias.ls-files", "alias.cat-file", "alias.rev-parse", "remote.origin.uploadpack",
    "remote.origin.vcs", "trailer.x.command", "web.browser", "browser.x.cmd", "man.viewer",
)  # fmt: skip
_VALUES = {
    "extensions.partialClone": "origin", "remote.origin.promisor": "true",
    "protocol.ext.allow": "always", "log.showSignature": "true", "core.hooksPath": ".hooks",
    "filter.x.required": "true", "diff.trustExitCode": "true", "core.untrackedCache": "true",
}  # fmt: skip
_HOOKS = (
    "post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman",
    "pre-auto-gc", "post-rewrite", "sendemail-validate", "query-watchman", "pre-commit",
)  # fmt: skip
_SUBMODULES = ("../../evil", "..", ".", "a/../../../evil", "/etc", "-c", "", "x\n[core]", "x/.git")


def attack(work: Path, count: int) -> Iterator[Attempt]:
    """Read versions from repositories with random hostile settings."""
    for number in range(count):
        chance = random.Random(f"repository {number}")
        project = Project.make(work / f"repository-{number}", "text")
        marks = project.folder / "marks"
        marks.mkdir()
        (project.folder / "evil").mkdir()  # a place outside that a name may lead to
        of_directory = chance.random() < 0.4
        try:
            _make(project, marks, chance)
        except subprocess.CalledProcessError:
            shutil.rmtree(project.folder, ignore_errors=True)
            continue  # git itself does not take these settings
        for path in marks.iterdir():
            path.unlink()
        before = project.fingerprint()
        words = project.words("isolate")
        words[words.index("--good") + 1] = "good" if of_directory else "HEAD~1"
        words[words.index("--bad") + 1] = "repo" if of_directory else "HEAD"
        run = run_whence(project, [*words, "--repo", "repo"])
        attempt = judged(f"repository {number}", project, "isolate", run, before)
        ran = sorted(os.listdir(marks))
        if ran and attempt.failed is None:
            attempt = Attempt(attempt.name, "outside", f"ran {ran}")
        if os.listdir(project.folder / "evil") and attempt.failed is None:
            attempt = Attempt(attempt.name, "outside", "wrote to evil")
        yield attempt
        shutil.rmtree(project.folder, ignore_errors=True)


def _make(project: Project, marks: Path, chance: random.Random) -> None:
    """Make a repository with the two versions, and let its settings name programs."""
    repo = project.folder / "repo"
    repo.mkdir()
    _git(repo, "init", "-q")
    attributes = "* filter=x diff=x merge=x\n" if chance.random() < 0.7 else ""
    for version in ("good", "bad"):
        shutil.copy(project.folder / version / "text", repo / "text")
        (repo / ".gitattributes").write_text(attributes)
        _git(repo, "add", "-A")
        if version == "bad" and chance.random() < 0.5:
            name = chance.choice(_SUBMODULES)
            (repo / ".gitmodules").write_text(
                f'[submodule "{name}"]\n\tpath = sub\n\turl = {chance.choice(_SUBMODULES)}\n'
            )
            _git(repo, "add", "-A")
            commit = _git(repo, "rev-parse", "HEAD").strip()
            _git(repo, "update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
        _git(repo, "commit", "-q", "-m", version)
    for name in chance.sample(_SETTINGS, chance.randrange(3, len(_SETTINGS))):
        script = _script(project.folder / f"run-{name}", marks / name)
        _git(repo, "config", name, f"!{script}" if name.startswith("alias.") else str(script))
    for name in chance.sample(sorted(_VALUES), chance.randrange(len(_VALUES))):
        _git(repo, "config", name, _VALUES[name])
    _git(repo, "config", "remote.origin.url", f"ext::{project.folder}/run-remote")
    hooks = [repo / ".git" / "hooks", repo / ".hooks"]
    for folder in hooks:
        folder.mkdir(exist_ok=True)
        for name in _HOOKS:
            _script(folder / name, marks / f"hook-{name}")
    os.utime(repo / "text", (1, 1))


def _script(path: Path, mark: Path) -> Path:
    path.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat 2>/dev/null\n")
    path.chmod(0o755)
    return path


def _git(repo: Path, *words: str) -> str:
    identity = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a", "GIT_COMMITTER_NAME": "a"}
    return subprocess.run(
        ("git", *words), cwd=repo, check=True, capture_output=True, text=True, timeout=30,
        env=os.environ | identity | {"GIT_COMMITTER_EMAIL": "a"},
    ).stdout  # fmt: skip
