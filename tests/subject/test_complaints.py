"""Are the place and the identifiers of each kind of message read?"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.compiling import CC
from whence.subject.complaints import MAX_COMPLAINTS, read_complaints

Brief = tuple[str | None, int | None, tuple[str, ...]]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.c", "sub/b.c", "pkg/core.py", "t.py", "r.rs", "x.go", "J.java", "n.js", "a.ts"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    return tmp_path


def complaints(tree: Path, text: str) -> list[Brief]:
    return [(c.file, c.line, c.names) for c in read_complaints(text, tree=tree)]


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("‘x’ undeclared (first use in this function); did you mean ‘y’?", ("x",)),  # noqa: RUF001
        ("use of undeclared identifier 'x'", ("x",)),
        ("use of undeclared identifier 'x'; did you mean 'y'?", ("x",)),
        ("no member named 'x' in 'struct y'", ("x", "y")),
        ("'struct y' has no member named 'x'", ("x", "y")),
        ("too few arguments to function 'f'", ("f",)),
        ("conflicting types for 'f'; have 'char *(int)'", ("f",)),
        ("redefinition of 'x'", ("x",)),
        ("implicit declaration of function 'f' [-Werror=implicit-function-declaration]", ("f",)),
        ("call to undeclared function 'f'; ISO C99 and later do not support it", ("f",)),
        ("unknown type name 'x_t'", ("x_t",)),
        ("no member named 'x' in namespace 'a::b'", ("x", "b", "a")),
        ("doesn't like 'this'", ("this",)),
        ("missing.h: No such file or directory", ("missing",)),
        ("'dir/missing.h' file not found", ("missing",)),
        ("expected ';' before 'x'", ("x",)),
    ],
)
def test_c_compilers(tree: Path, message: str, names: tuple[str, ...]) -> None:
    assert complaints(tree, f"a.c:5:43: error: {message}\n  5 | x\n") == [("a.c", 5, names)]
    assert complaints(tree, f"{tree}/a.c:5:43: fatal error: {message}") == [("a.c", 5, names)]


def test_a_note_adds_the_name_and_another_place(tree: Path) -> None:
    text = "a.c:5:9: error: too few arguments to function call, expected 2, have 1\n"
    text += "    5 | two(1);\na.c:3:5: note: 'two' declared here\n"
    assert complaints(tree, text) == [("a.c", 5, ("two",)), ("a.c", 3, ("two",))]


def test_of_the_warnings_only_implicit_declarations_count_after_the_errors(tree: Path) -> None:
    text = "a.c:1:2: warning: implicit declaration of function 'f'\n"
    text += "a.c:1:2: warning: unused variable 'u'\na.c:(.text+0xa): undefined reference to `g'\n"
    assert complaints(tree, text) == [("a.c", None, ("g",)), ("a.c", 1, ("f",))]


def test_paths_are_relative_to_the_directory_that_make_is_in(tree: Path) -> None:
    text = f"make[1]: Entering directory '{tree}/sub'\nb.c:1:1: error: 'x' undeclared\n"
    text += "../a.c:2:1: error: 'y' undeclared\nmake[1]: Leaving directory 'z'\n"
    text += "a.c:3: error: 'z' undeclared\n/usr/include/stdio.h:4: error: 'q' undeclared\n"
    assert complaints(tree, text) == [
        ("sub/b.c", 1, ("x",)),
        ("a.c", 2, ("y",)),
        ("a.c", 3, ("z",)),
        (None, None, ("q",)),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/usr/bin/ld: /tmp/cc.o: in function `main':\na.c:2: undefined reference to `f'",
         [("a.c", 2, ("f",))]),
        ("ld: a.c:(.text+0xa): undefined reference to `ns::f(int)'", [("a.c", None, ("f", "ns"))]),
        ("/usr/bin/ld: /tmp/cc.o:(.data+0x0): multiple definition of `f'; /tmp/d.o: first defined",
         [(None, None, ("f",))]),
        ("ld.lld: error: undefined symbol: f\n>>> referenced by a.c:2\n>>>      /tmp/l.o:(main)\n",
         [("a.c", 2, ("f",))]),
        ("ld.lld: error: undefined symbol: f\n>>> referenced by b.c:2 (sub/b.c:2)\n",
         [("sub/b.c", 2, ("f",))]),
        ("ld.lld: error: duplicate symbol: f\n>>> defined at a.c:2\n>>>   x\n>>> defined at a.c:9",
         [("a.c", 2, ("f",)), ("a.c", 9, ("f",))]),
        ("./prog: symbol lookup error: ./prog: undefined symbol: f", [(None, None, ("f",))]),
        ('Undefined symbols for architecture arm64:\n  "_f", referenced from:\n      _main in l.o',
         [(None, None, ("f",))]),
    ],
)  # fmt: skip
def test_linkers(tree: Path, text: str, expected: list[Brief]) -> None:
    assert complaints(tree, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("error[E0425]: cannot find value `x` in this scope\n --> r.rs:1:20\n  |\n",
         ("r.rs", 1, ("x",))),
        ("error[E0599]: no method named `zork` found for struct `a::B`\n  --> r.rs:7:6\n",
         ("r.rs", 7, ("zork", "B", "a"))),
        ("./x.go:3:5: undefined: foo", ("x.go", 3, ("foo",))),
        ("x.go:3:5: a.bar undefined (type T has no field or method bar)",
         ("x.go", 3, ("bar", "a", "T"))),
        ("x.go:3:5: not enough arguments in call to f", ("x.go", 3, ("f",))),
        ("J.java:2: error: cannot find symbol\n  int b;\n      ^\n  symbol:   method gone(int)\n"
         "  location: variable j of type J", ("J.java", 2, ("gone", "j", "J"))),
        ("J.java:3: error: method g in class J cannot be applied to given types;",
         ("J.java", 3, ("g", "J"))),
        ("a.ts(3,5): error TS2304: Cannot find name 'x'.", ("a.ts", 3, ("x",))),
        ("a.ts:3:5 - error TS2304: Cannot find name 'x'.", ("a.ts", 3, ("x",))),
        ("ReferenceError: foo is not defined\n    at node:a:1:1\n    at go (n.js:1:16)",
         ("n.js", 1, ("foo",))),
        ("TypeError: a.b is not a function\n    at n.js:2:1", ("n.js", 2, ("b", "a"))),
    ],
)  # fmt: skip
def test_other_compilers(tree: Path, text: str, expected: Brief) -> None:
    assert complaints(tree, text) == [expected]


def traceback(tree: Path, message: str) -> str:
    return (
        f'Traceback (most recent call last):\n  File "{tree}/t.py", line 7, in test\n    go()\n'
        f'  File "{tree}/pkg/core.py", line 3, in go\n    return x\n'
        f'  File "/usr/lib/json.py", line 9, in loads\n    raise\n{message}\n'
    )


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("NameError: name 'x' is not defined. Did you mean: 'y'?", ("x",)),
        ("UnboundLocalError: cannot access local variable 'x' where it is not associated", ("x",)),
        ("ImportError: cannot import name 'x' from 'm.n' (/lib/m.py)", ("x", "n", "m")),
        ("ModuleNotFoundError: No module named 'pkg.gone'", ("gone", "pkg")),
        ("AttributeError: type object 'K' has no attribute 'x'", ("x", "K")),
        ("AttributeError: module 'a.b' has no attribute 'x'. Did you mean: 'y'?", ("x", "b", "a")),
        ("TypeError: f() got an unexpected keyword argument 'x'", ("f", "x")),
        ("TypeError: K.m() missing 1 required positional argument: 'x'", ("m", "K", "x")),
        ("TypeError: f() missing 2 required keyword-only arguments: 'b' and 'c'", ("f", "b", "c")),
        ("TypeError: K.m() takes 2 positional arguments but 3 were given", ("m", "K")),
        ("TypeError: f.<locals>.g() takes no arguments", ("g", "f")),
    ],
)
def test_python_names_come_before_the_frames_in_the_tree(
    tree: Path, message: str, names: tuple[str, ...]
) -> None:
    assert complaints(tree, traceback(tree, message)) == [
        ("pkg/core.py", 3, names),
        ("pkg/core.py", 3, ("go",)),
        ("t.py", 7, ("test",)),
    ]


@pytest.mark.parametrize(
    "message", ["KeyError: 'x'", "ValueError: 'x'", "TypeError: 'x' is not callable"]
)
def test_exceptions_about_values_are_no_complaints(tree: Path, message: str) -> None:
    assert complaints(tree, traceback(tree, message)) == []


def test_a_python_syntax_error_is_a_place(tree: Path) -> None:
    text = f'  File "{tree}/t.py", line 2\n    x=1\n    ^\nIndentationError: expected a block\n'
    assert complaints(tree, text)[0] == ("t.py", 2, ())


def test_the_module_that_lacks_a_name_is_a_complaint_too(tree: Path) -> None:
    message = f"ImportError: cannot import name 'x' from 'pkg.core' ({tree}/pkg/core.py)"
    assert ("pkg/core.py", None, ("x", "core", "pkg")) in complaints(tree, traceback(tree, message))


@pytest.mark.parametrize("style", ["long", "short", "native"])
def test_the_output_of_pytest_is_read_in_every_style(tree: Path, style: str) -> None:
    (tree / "pkg/core.py").write_text("def go():\n    return gone_name\n")
    (tree / "test_it.py").write_text("from pkg.core import go\ndef test_go():\n    go()\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--tb={style}", "-q"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    found = complaints(tree, done.stdout)
    assert found[0] == ("pkg/core.py", 2, ("gone_name",))
    assert ("test_it.py", 3) in [(file, line) for file, line, _ in found]


def test_a_real_compiler_is_understood(tree: Path) -> None:
    (tree / "a.c").write_text("struct s { int a; };\nint f(struct s *p) {\n  return p->b + q;\n}\n")
    done = subprocess.run([*CC, "-c", "a.c"], cwd=tree, capture_output=True, text=True, check=False)
    assert complaints(tree, done.stderr) == [("a.c", 3, ("b", "s")), ("a.c", 3, ("q",))]


def test_complaints_are_distinct_and_limited(tree: Path) -> None:
    assert len(complaints(tree, "a.c:1:1: error: 'x' undeclared\n" * 9)) == 1
    many = "".join(f"a.c:{n}:1: error: 'x' undeclared\n" for n in range(1, 200))
    assert len(complaints(tree, many)) == MAX_COMPLAINTS


HARD_LINES = [
    "a.c:1:1: error: " + "'" * 999,
    "a.c:1:1: error: same 'x'",
    "x.go:1:1: " + "a." * 999,
    "a" * 3999,
    "a: " * 999 + "undefined reference to `f",
    "a." * 999 + ": undefined reference to `f'",
    "_ a" + " _" * 999 + "b",
    "E   NameError: name",
    "Error: " + "x " * 999,
    '  File "t.py", line 1, in f',
    "=== FAILURES ===",
    "x" * 300 + ":1: error: ",
]


@pytest.mark.parametrize("line", HARD_LINES)
def test_the_time_to_read_a_large_output_is_linear(tree: Path, line: str) -> None:
    def seconds(size: int) -> float:
        text = "=== FAILURES ===\n_ t _\n" + (line + "\n") * (size // len(line))
        start = time.process_time()
        read_complaints(text, tree=tree)
        return time.process_time() - start

    # Eight times the text takes eight times as long, or 64 times if the time is quadratic.
    ratios = (seconds(800_000) / seconds(100_000) for _ in range(5))
    assert any(ratio < 24 for ratio in ratios)


LIKELY = """\
_ x _
x.py:1: in f
x.py:1: NameError
Traceback (most recent call last):
NameError: name 'x' is not
ld.lld: error: undefined symbol: f
>>> referenced by a.c:2
error: x
 --> a:1:1
  symbol: x
a.c:1:1: note: declared here
    at a\0b:1:1
x: Entering directory '\0'
x: Leaving directory
\0.c:1:1: error: x
"""


@given(st.lists(st.sampled_from([*HARD_LINES, *LIKELY.split("\n")]) | st.text()))
def test_any_text_can_be_read(lines: list[str]) -> None:
    found = read_complaints("\n".join(lines), tree=Path("no/such/tree"))
    assert len(found) <= MAX_COMPLAINTS
    assert all(name.isidentifier() or "$" in name for each in found for name in each.names)


def test_a_file_that_make_cannot_make_is_named() -> None:
    text = "make: *** No rule to make target 'lib/dirname.h', needed by 'addext.o'.  Stop.\n"
    (complaint,) = read_complaints(text, tree=Path("/tree"))
    assert complaint.names == ("dirname",)
