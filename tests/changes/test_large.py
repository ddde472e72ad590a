"""A large file can be compared: this one has about as many lines as SQLite's single source file."""

from __future__ import annotations

from tests.changes.trees import FILE, comparison
from whence.changes.tree import TreeNode
from whence.model import ChangeKind

FUNCTIONS, EDITS = 30_000, 3_000  # ten lines each


def function(number: int, edited: bool) -> bytes:
    """Return a function; an edited one differs in two adjacent statements."""
    step = 2 if edited else 1
    return b"""static int f%d(int a, int *out) {
  int sum = 0;
  int i;
  for (i = 0; i < a; i++) {
    sum += table[i] * %d;
    out[i] = sum + %d;
  }
  return sum;
}

""" % (number, step, step)


def test_a_large_file_with_many_edits_is_compared() -> None:
    good = b"".join(function(n, edited=False) for n in range(FUNCTIONS))
    bad = b"".join(function(n, edited=n % (FUNCTIONS // EDITS) == 0) for n in range(FUNCTIONS))
    with comparison({"big.c": TreeNode(FILE, good)}, {"big.c": TreeNode(FILE, bad)}) as (
        changes,
        _,
    ):
        assert len(changes.changes) == 2 * EDITS
        assert {change.kind for change in changes.changes} == {ChangeKind.EDIT}
        assert changes.changes[-1].function == f"f{FUNCTIONS - FUNCTIONS // EDITS}"
        assert changes.nodes(changes.everything)["big.c"].content == good
