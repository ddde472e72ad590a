"""How is a tree written so that nothing lands outside of it?"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from whence.errors import UserError

VERSION_CONTROL = frozenset({".git", ".hg", ".svn"})


class TreeWriter:
    """A tree that is being written, under `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.links: dict[Path, str] = {}

    def place(self, name: str) -> Path:
        """Where to write `name`: inside `root`, in a directory that exists."""
        path = self.root.joinpath(*parts_inside(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        self.links.pop(path, None)  # of two entries with one name, the later one counts
        return path

    def link(self, name: str, target: str) -> None:
        self.links[self.place(name)] = target

    def make_links(self) -> None:
        for path, target in self.links.items():
            path.unlink(missing_ok=True)
            path.symlink_to(target)


def parts_inside(name: str) -> tuple[str, ...]:
    """The directories and the file that `name` consists of; refused if it leaves the root."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise escapes(name, "lies outside the tree")
    return path.parts


def escapes(name: str, how: str) -> UserError:
    return UserError(
        f"The entry {name!r} {how}, so we do not unpack it.\n"
        f"If you trust where it comes from, unpack it yourself and name the directory.",
        slug="archive-escapes",
    )


def make_executable(path: Path) -> None:
    """Whoever may read it may run it."""
    mode = path.stat().st_mode
    path.chmod(mode | (mode & 0o444) >> 2)
