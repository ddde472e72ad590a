"""Which files' declarations does a file see?

Those of the files that it includes or imports, directly or through others.  If a name could mean
several files of the tree, it means all of them: the compiler's search path is unknown.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from whence.changes.syntax import grammar_of
from whence.changes.tree import Tree
from whence.subject.definitions import HEADERS

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(?P<dots>\.*)(?P<module>[\w.]*)[ \t]+import[ \t]+"
    rb"(?P<names>\([^)]*\)|[^\n#]*)|import[ \t]+(?P<modules>[^\n#]*))",
    re.MULTILINE,
)
_NAME = re.compile(r"[\w.]+")


class Includes:
    """The includes and imports between the files of one version."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._direct: dict[str, frozenset[str]] = {}
        self._seen: dict[str, frozenset[str]] = {}

    def seen_from(self, file: str) -> frozenset[str]:
        """Return the files whose declarations a file sees, including itself."""
        if file not in self._seen:
            start = {file}
            if file.endswith(HEADERS):  # a header also sees what its includers include
                start |= _closure([file], self._includers.__getitem__)
            self._seen[file] = frozenset(_closure(start, self.directly))
        return self._seen[file]

    def directly(self, file: str) -> frozenset[str]:
        """Return the files that a file includes or imports itself."""
        if file not in self._direct:
            found = self._named(file) if file in self._tree.entries else ()
            self._direct[file] = frozenset(found)
        return self._direct[file]

    def named_by(self, file: str, text: bytes) -> Iterator[str]:
        """Yield the files that the includes or imports in a piece of a file name."""
        if grammar_of(file) == "python":
            for module in _modules(file, text):
                yield from self._ending_with(f"{module}.py")
                yield from self._ending_with(f"{module}/__init__.py")
            return
        for match in _INCLUDE.finditer(text):
            name = posixpath.normpath(match[1].decode("utf-8", "surrogateescape"))
            in_folder = posixpath.normpath(posixpath.join(posixpath.dirname(file), name))
            if in_folder in self._tree.entries:
                yield in_folder
            else:
                yield from self._ending_with(name.lstrip("./"))

    def _named(self, file: str) -> Iterator[str]:
        return self.named_by(file, self._tree.node(file).content)

    def _ending_with(self, name: str) -> Iterator[str]:
        for path in self._by_base.get(posixpath.basename(name), ()):
            if f"/{path}".endswith(f"/{name}"):
                yield path

    @cached_property
    def _by_base(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._tree.entries:
            found[posixpath.basename(path)].append(path)
        return found

    @cached_property
    def _includers(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for path in self._tree.entries:
            if grammar_of(path) in ("c", "cpp"):
                for included in self.directly(path):
                    found[included].add(path)
        return found


def _closure(start: Iterable[str], following: Callable[[str], Iterable[str]]) -> set[str]:
    found, todo = set(start), list(start)
    while todo:
        new = set(following(todo.pop())) - found
        found |= new
        todo += new
    return found


def _modules(file: str, text: bytes) -> Iterator[str]:
    """Yield the imported modules as paths without suffix.

    A name in `from package import name` may be a module too.
    """
    package = posixpath.dirname(file)
    for match in _IMPORT.finditer(text):
        if match["modules"] is not None:
            for part in match["modules"].decode("utf-8", "replace").split(","):
                yield from (name.replace(".", "/") for name in _NAME.findall(part)[:1])
            continue
        base = match["module"].decode("utf-8", "replace").replace(".", "/")
        for _ in match["dots"][1:]:
            package = posixpath.dirname(package)
        origin = posixpath.join(package, base) if match["dots"] else base
        yield origin
        for name in _NAME.findall(match["names"].decode("utf-8", "replace")):
            yield posixpath.join(origin, name)
