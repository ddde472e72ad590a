"""Which failures of programs in other languages are recognised, and by what signature?"""

from __future__ import annotations

from pathlib import Path

import pytest

from .reading import read


@pytest.mark.parametrize(
    "text",
    [
        "prog: src/main.c:13: main: Assertion `c == 2' failed.",
        "some output prog: ../src/main.c:13: main: Assertion `c == 2' failed.\nAborted",
        "Assertion failed: c == 2 (src/main.c: main: 13)",
        "Assertion failed: c == 2, function main, file src/main.c, line 13.",
    ],
)
def test_a_c_assertion_is_its_file_function_and_expression(tree: Path, text: str) -> None:
    found = read(tree, text, status=134)
    assert (found.kind, found.file, found.line) == ("assert", "src/main.c", 13)
    assert found.signature == "assert in main.c:main that c == 2"
    assert "c == 2" in found.message


def test_the_function_of_an_assertion_is_its_bare_name(tree: Path) -> None:
    text = "p: src/main.c:13: int ns::f(int, char**): Assertion `a::b(1)' failed."
    assert "main.c:ns::f that a::b(1)" in read(tree, text).signature


def test_a_sanitizer_report_is_its_first_frame_in_the_tree(tree: Path) -> None:
    text = f"""\
==130==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000011 at pc 0x5556
READ of size 1 at 0x602000000011 thread T0
    #0 0x5556f5eca365 in memcpy ../libsanitizer/memcpy.inc:58
    #1 0x5556f5eca365 in copy(char*, int) {tree}/src/main.c:3:7
    #2 0x7efcee845249 in main {tree}/src/main.c:9

freed by thread T0 here:
"""
    found = read(tree, text)
    assert (found.kind, found.file, found.line) == ("crash", "src/main.c", 3)
    assert found.signature == (
        "AddressSanitizer: heap-use-after-free in src/main.c:copy(char*, int)"
    )


def test_the_signature_of_undefined_behaviour_has_no_values(tree: Path) -> None:
    text = "src/main.c:3:158: runtime error: signed integer overflow: 4 + 2147483647 is too much"
    found = read(tree, text)
    assert (found.kind, found.file, found.line) == ("crash", "src/main.c", 3)
    assert "overflow: # + # is too much in src/main.c" in found.signature


@pytest.mark.parametrize(
    ("text", "kind", "file", "signature"),
    [
        (
            "thread 'main' (14) panicked at src/lib.rs:1:91:\nthe len is 1 but the index is 4",
            "exception",
            "src/lib.rs",
            "panic main: the len is # but the index is # in src/lib.rs",
        ),
        (
            "thread 't::a' panicked at 'assertion failed: x', src/lib.rs:1:9",
            "assert",
            "src/lib.rs",
            "panic t::a: assertion failed: x in src/lib.rs",
        ),
        (
            "panic: index out of range [5]\n\ngoroutine 1 [running]:\nmain.f()\n"
            "\t/usr/lib/go/rt.go:7 +0x1\n\tmain.go:1 +0x1d",
            "exception",
            "main.go",
            "panic: index out of range [#] in main.go",
        ),
        (
            "--- FAIL: TestSum (0.00s)\n    main.go:1: got 3\nFAIL\n",
            "assert",
            "main.go",
            "go test: TestSum",
        ),
        (
            "\nTypeError: x 3\n    at node:internal/a:1:2\n    at go (app.js:1:7)\n\nNode.js v20",
            "exception",
            "app.js",
            "TypeError: x # in app.js",
        ),
        (
            'Exception in thread "main" java.lang.RuntimeException: bad 12\n\tat K.main(K.java:1)',
            "exception",
            "K.java",
            "java.lang.RuntimeException: bad # in K.java",
        ),
    ],
)
def test_other_languages(tree: Path, text: str, kind: str, file: str, signature: str) -> None:
    found = read(tree, text)
    assert found.kind == kind
    assert found.signature == signature
    assert (found.file, found.line) == (file, 1)


def test_which_rust_test_panics_first_does_not_matter(tree: Path) -> None:
    a = "thread 'a' panicked at src/lib.rs:1:9:\nboom\n"
    b = "thread 'b' panicked at src/lib.rs:5:9:\nbang\n"
    assert read(tree, a + b) == read(tree, b + a)
