"""Hypothesis strategies for pairs of trees: odd names, odd bytes, and every kind of change.

A tree is a dictionary path -> TreeNode.  `contents` reads it from disk; `write_tree` writes it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from hypothesis import strategies as st

from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import EntryKind, TreeNode, read_tree
from whence.model import ChangeId, Reverted

Files = dict[str, TreeNode]
T = TypeVar("T")

FILE, EXECUTABLE, LINK = EntryKind.FILE, EntryKind.EXECUTABLE, EntryKind.LINK
EMPTY = TreeNode(EntryKind.DIRECTORY, b"")

# Few names, so that one path is often a file in one tree and a directory in the other.
PLAIN_NAMES = ("a", "b", "m.py", "c.c", "h.cpp")
ODD_NAMES = (
    "sp ace ",
    'quo"te.py',
    "new\nline.c",
    "back\\slash",
    os.fsdecode(b"caf\xe9.py"),
    "-dash",
    "[x]*.py",
    "tab\t",
    "snow☃",
)
LINES = (
    b"import os\n",
    b"x = 1\n",
    b"y = f(x, [1,\n",
    b"          2])\n",
    b"if x:\n",
    b"    y = 2\n",
    b"    return y\n",
    b"def f(a, b=1):\n",
    b"class A:\n",
    b'"""doc\n',
    b"# caf\xe9 is not UTF-8\n",
    b"static int f(int a) {\n",
    b"  int x = a + 1; x++;\n",
    b"  return x;\n",
    b"}\n",
    b"#define TWICE(a) \\\n",
    b"/* comment */\n",
    b"\n",
    b"windows\r\n",
    b"lone\rcr\n",
    b"\\ No newline at end of file\n",
    b"@@ -1 +1 @@\n",
    b"diff --git a/a b/b\n",
)


def mostly(often: st.SearchStrategy[T], seldom: st.SearchStrategy[T]) -> st.SearchStrategy[T]:
    """Draw from the first strategy four times in five; `|` would draw from both equally often."""
    return st.integers(0, 4).flatmap(lambda number: often if number else seldom)


names = mostly(st.sampled_from(PLAIN_NAMES), st.sampled_from(ODD_NAMES))
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
calls = st.builds(
    lambda name, number: b"    %s = work(%d)\n" % (name, number),
    st.sampled_from((b"one", b"two", b"three")),
    st.integers(0, 99),
)
lines = st.sampled_from(LINES) | calls
texts = st.builds(
    lambda parts, ends: b"".join(parts) if ends else b"".join(parts).rstrip(b"\n"),
    mostly(st.lists(lines, min_size=5, max_size=14), st.lists(lines, max_size=3)),
    st.integers(0, 3),
)
binaries = st.binary(max_size=12).map(lambda more: b"\0" + more)
contents_of_files = mostly(texts, binaries | st.just(b""))
files = st.builds(TreeNode, st.sampled_from((FILE, FILE, EXECUTABLE)), contents_of_files)
links = st.builds(
    TreeNode, st.just(LINK), st.sampled_from((b"a", b"b", b"m.py", b"../nothing", b"caf\xe9", b"."))
)
nodes = mostly(files, links | st.just(EMPTY))


def put(tree: Files, path: str, node: TreeNode) -> None:
    """Place a node; remove what is at or below its path, and a file at one of its directories."""
    for other in list(tree):
        if f"{path}/".startswith(f"{other}/") or other.startswith(f"{path}/"):
            del tree[other]
    tree[path] = node


@st.composite
def trees(draw: st.DrawFn) -> Files:
    tree: Files = {}
    entries = st.tuples(paths, nodes)
    lists = mostly(st.lists(entries, min_size=3, max_size=7), st.lists(entries, max_size=2))
    for path, node in draw(lists):
        put(tree, path, node)
    return tree


@st.composite
def edited(draw: st.DrawFn, content: bytes) -> bytes:
    """Change some lines; replace the content of a binary file."""
    if b"\0" in content:
        return draw(contents_of_files)
    parts = content.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 4))):
        first = draw(st.integers(0, len(parts)))
        last = draw(st.integers(first, min(first + 4, len(parts))))
        similar = [p.replace(b"1", b"7").replace(b"work(", b"more(") for p in parts[first:last]]
        parts[first:last] = draw(mostly(st.just(similar), st.lists(lines, max_size=4)))
    return b"".join(parts)


others = st.sampled_from(("put", "delete", "replace"))


@st.composite
def changed(draw: st.DrawFn, good: Files) -> Files:
    """Change a tree in a few ways: edit, move, delete, add and replace files."""
    bad = dict(good)
    for _ in range(draw(st.integers(1, 6))):
        path = draw(st.sampled_from(sorted(bad)) if bad else paths)
        node = bad.get(path)
        what = draw(mostly(st.sampled_from(("edit", "edit", "move", "mode")), others))
        if what == "put" or node is None:
            put(bad, draw(paths), draw(nodes))
        elif what == "edit" and node.kind.is_file:
            bad[path] = TreeNode(node.kind, draw(edited(node.content)))
        elif what == "move":
            del bad[path]
            put(bad, draw(paths | paths.map(f"{path}/".__add__)), node)
        elif what == "mode" and node.kind.is_file:
            bad[path] = TreeNode(FILE if node.kind is EXECUTABLE else EXECUTABLE, node.content)
        elif what == "delete":
            del bad[path]
        elif what == "replace":
            bad[path] = draw(nodes)
    return bad


pairs = trees().flatmap(lambda good: st.tuples(st.just(good), mostly(changed(good), trees())))


def subsets(changes: ChangeSet) -> st.SearchStrategy[Reverted]:
    ids = sorted(changes.everything)
    return st.frozensets(st.sampled_from(ids)) if ids else st.just(frozenset[ChangeId]())


def write_tree(root: Path, tree: Files) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for path, node in tree.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if node.kind is EntryKind.DIRECTORY:
            target.mkdir()
        elif node.kind is LINK:
            os.symlink(os.fsdecode(node.content), target)
        else:
            target.write_bytes(node.content)
            target.chmod(0o755 if node.kind is EXECUTABLE else 0o644)
    return root


def contents(root: Path) -> Files:
    """Read a tree from disk without the code under test."""
    found: Files = {}
    for folder, names, file_names in os.walk(root):
        below = os.path.relpath(folder, root)
        for name in (*names, *file_names):
            full = os.path.join(folder, name)
            path = name if below == "." else f"{below}/{name}"
            if os.path.islink(full):
                found[path] = TreeNode(LINK, os.fsencode(os.readlink(full)))
            elif os.path.isdir(full):
                if not os.listdir(full):
                    found[path] = EMPTY
            else:
                kind = EXECUTABLE if os.access(full, os.X_OK) else FILE
                found[path] = TreeNode(kind, Path(full).read_bytes())
    return found


@contextmanager
def comparison(
    good: Files, bad: Files, keep: Sequence[str] = ()
) -> Iterator[tuple[ChangeSet, Path]]:
    """Compare two trees on disk; also give the temporary folder that holds them."""
    with tempfile.TemporaryDirectory(prefix="whence-test-") as name:
        folder = Path(name)
        write_tree(folder / "good", good)
        write_tree(folder / "bad", bad)
        yield compare_trees(read_tree(folder / "good"), read_tree(folder / "bad"), keep), folder


def variant(changes: ChangeSet, bad: Files, reverted: Reverted) -> Files:
    """Return the whole tree of a variant, according to the change set."""
    untouched = {path: node for path, node in bad.items() if path not in changes.touched}
    return {**untouched, **changes.nodes(reverted)}
