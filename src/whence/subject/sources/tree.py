"""How is a tree written so that nothing is written outside of it?"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from whence.errors import UserError

VERSION_CONTROL = frozenset({".git", ".hg", ".svn"})


class TreeWriter:
    """Writes a tree below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.links: dict[Path, str] = {}

    def place(self, name: str) -> Path:
        """Return the path for `name`: inside `root`, in a directory that exists."""
        path = self.root.joinpath(*parts_inside(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        self.links.pop(path, None)  # a later entry replaces an earlier one with the same name
        return path

    def link(self, name: str, target: str) -> None:
        """Plan a symbolic link; `make_links` creates it."""
        self.links[self.place(name)] = target

    def make_links(self) -> None:
        for path, target in self.links.items():
            path.unlink(missing_ok=True)
            path.symlink_to(target)


def parts_inside(name: str) -> tuple[str, ...]:
    """Return the parts of the path `name`; raise a UserError if it leaves the root."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise escapes(name, "lies outside the tree")
    return path.parts


def escapes(name: str, how: str) -> UserError:
    """Return the error for an entry that would be outside the tree."""
    return UserError(
        f"The entry {name!r} {how}, so whence does not unpack it.\n"
        f"If you trust the archive, unpack it yourself and give the directory.",
        slug="archive-escapes",
    )


def make_executable(path: Path) -> None:
    """Let everyone who may read the file also execute it."""
    mode = path.stat().st_mode
    path.chmod(mode | (mode & 0o444) >> 2)
