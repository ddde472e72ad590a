"""Is a change of comments and blanks told from one of code?"""

from __future__ import annotations

import pytest

from whence.changes.same_code import same_code

C = b"int f(int a) {\n  /* one */\n  return a == 1\n    && 2;\n}\n#define X 1\n"
PYTHON = b'''def f(a):
    """Text."""
    if a:
        g()
        h("x  y")  # why
    return [1,
            2]
'''


@pytest.mark.parametrize(
    ("path", "text", "old", "new", "is_same"),
    [
        ("p.c", C, b"/* one */", b"// two\n", True),
        ("p.c", C, b"a == 1\n    &&", b"a==1 &&", True),
        ("p.c", C, b"&& 2", b"&& 3", False),
        ("p.c", C, b"/* one */", b"/* one */ a++;", False),
        ("p.c", C, b"X 1", b"X 2", False),
        ("p.c", C, b"X 1", b"X 1  // two", False),  # not known to be a comment
        ("p.py", PYTHON, b"  # why", b"", True),
        ("p.py", PYTHON, b"[1,\n            2]", b"[1, 2]", True),
        ("p.py", PYTHON, b"        h(", b"    h(", False),
        ("p.py", PYTHON, b"x  y", b"x y", False),
        ("p.py", PYTHON, b"Text.", b"Words.", False),
        ("p.txt", b"a b", b"a b", b"a  b", False),
    ],
)
def test_comments_and_blanks_are_no_code(
    path: str, text: bytes, old: bytes, new: bytes, *, is_same: bool
) -> None:
    assert old in text
    assert same_code(path, text, text.replace(old, new)) == is_same
