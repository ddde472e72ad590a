"""Do functions that do the same get the same form, and others never?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from whence.frontend.c.normal_form import NormalForms, normal_forms

HEAD = """
int printf(const char *, ...);
int other(int);
extern int total;
static int limit = 5;
int raised(int n) { limit += n; return limit; }
"""
# Each pair is the body of `int f(int a, int b, unsigned c)`, written in two ways.
SAME = {
    "a shift for a product": ("return a * 256 + b;", "return b + (a << 8);"),
    "an if for a choice": (
        "return a < b ? b - a : a - b;",
        "int d = a - b; if (a < b) d = b - a; return d;",
    ),
    "a range, negated": (
        "if (a < 1 || a > 12) return other(a); return 0;",
        "if (!(a >= 1 && a <= 12)) return other(a); return 0;",
    ),
    "conditions in another order": (
        "if (a > 0 && b > 3) total = a; return 0;",
        "if (b > 3 && a > 0) total = a; return 0;",
    ),
    "De Morgan": (
        "if (!(a > 0 && b > 3 && c)) total = a; return 0;",
        "if (!c || b <= 3 || a <= 0) total = a; return 0;",
    ),
    "a while for a for": (
        "int s = 0; for (int i = 0; i < a; i++) s += other(i); return s;",
        "int s = 0, i = 0; while (i < a) { s += other(i); i++; } return s;",
    ),
    "a load before or after a comparison": (
        "int t = total; return a < 0 ? t : a;",
        "if (a < 0) return total; return a;",
    ),
}
DIFFERENT = {
    "a sum that overflows": ("return a + 1 > a;", "return 1;"),
    "a variable that is not set": (
        "int s = 0; if (a) s = b; return s;",
        "int s; if (a) s = b; return s;",
    ),
    "an array that is not set": (
        "int s[4] = {0}; if (a) s[1] = b; return s[1];",
        "int s[4]; if (a) s[1] = b; return s[1];",
    ),
    "a loop that does not end": ("return 0;", "while (a) ; return 0;"),
    "calls in another order": (
        "int x = other(a), y = other(b); return x - y;",
        "int y = other(b), x = other(a); return x - y;",
    ),
    "a load after a call": (
        "int t = total; other(a); return t;",
        "other(a); return total;",
    ),
    "the other end of a range": (
        "if (a < 1 || a > 12) return other(a); return 0;",
        "if (a < 1 || a >= 12) return other(a); return 0;",
    ),
    "a sign": ("return a < (int)c;", "return a < c;"),
    "a width": ("return a;", "return (short)a;"),
    "a text": ('return printf("%5d", a);', 'return printf("%6d", a);'),
    "a check for null that comes too late": (
        "int *p = a ? &total : 0; int t = *p; return p ? t : 7;",
        "int *p = a ? &total : 0; int t = *p; return t;",
    ),
    "a swap of sides": (
        "if (a < b) return other(a); return 0;",
        "if (a >= b) return other(a); return 0;",
    ),
    "another connective": (
        "if (a > 0 && b > 3) total = a; return 0;",
        "if (a > 0 || b > 3) total = a; return 0;",
    ),
    "a negation of one part": (
        "if (a > 0 && b > 3) total = a; return 0;",
        "if (a > 0 && b <= 3) total = a; return 0;",
    ),
    "an order of operands": ("return a - b;", "return b - a;"),
}


def ir_text(source: str, folder: Path) -> str:
    """Return the IR that clang makes from a C program."""
    (folder / "p.c").write_text(source)
    options = ["-O0", "-g", "-w", "-S", "-emit-llvm", "-fno-sanitize=all"]
    compiler = [sys.executable, "-m", "ziglang", "cc", *options, str(folder / "p.c")]
    subprocess.run([*compiler, "-o", str(folder / "p.ll")], check=True, capture_output=True)
    return (folder / "p.ll").read_text()


def forms(bodies: list[str], folder: Path, *, with_calls: bool) -> NormalForms:
    """Return the forms of functions with these bodies, f0, f1, …"""
    functions = [
        f"int f{at}(int a, int b, unsigned c) {{ {body} }}" for at, body in enumerate(bodies)
    ]
    found = normal_forms(ir_text(HEAD + "\n".join(functions), folder), with_calls=with_calls)
    assert found is not None
    return found


@pytest.mark.parametrize("with_calls", [True, False])
def test_what_does_the_same_has_the_same_form(tmp_path: Path, *, with_calls: bool) -> None:
    own = forms([first for first, _ in SAME.values()], tmp_path, with_calls=with_calls)
    other = forms([second for _, second in SAME.values()], tmp_path, with_calls=with_calls)
    differing = [what for at, what in enumerate(SAME) if own[f"f{at}"] != other[f"f{at}"]]
    assert differing == []


@pytest.mark.parametrize("with_calls", [True, False])
def test_what_does_something_else_has_another_form(tmp_path: Path, *, with_calls: bool) -> None:
    own = forms([first for first, _ in DIFFERENT.values()], tmp_path, with_calls=with_calls)
    other = forms([second for _, second in DIFFERENT.values()], tmp_path, with_calls=with_calls)
    same = [what for at, what in enumerate(DIFFERENT) if own[f"f{at}"] == other[f"f{at}"]]
    assert same == []


def test_a_result_that_all_callers_know_counts(tmp_path: Path) -> None:
    """LLVM leaves out a result that is always the same: the callers have the number instead."""
    call = "int call(int a) { return failed(a) + 2; }"
    own, other = (
        normal_forms(
            ir_text(
                f"int printf(const char *, ...); static int failed(int a) "
                f'{{ printf("%d", a); return {value}; }} {call}',
                tmp_path,
            ),
            with_calls=False,
        )
        for value in (1, 2)
    )
    assert own is not None
    assert other is not None
    assert own["failed"] != other["failed"]
