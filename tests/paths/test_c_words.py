"""How are conditions on what a library call found told?"""

from __future__ import annotations

import pytest

from whence.paths.c.words import shape_words


@pytest.mark.parametrize(
    ("call", "value", "words"),
    [
        ("strtol(text, &end, 10)", (0, True), "text is a number"),
        ("strtol(text, &end, 10)", (0, False), "text is no number"),
        ("atof(argv[1])", (0, False), "argv[1] is no number"),
        ('getopt(argc, argv, "ab:")', ord("b"), "getopt finds 'b'"),
        ('getopt(argc, argv, "ab:")', -1, "an argument is no option"),
        ('__isoc99_sscanf(line, "%d", &x)', (0, True), "sscanf finds what its format names"),
        ('__isoc99_sscanf(line, "%d %d", &x, &y)', (1, False), "sscanf finds no part 2"),
        (
            "__isoc99_sscanf(line, word)",
            (97, 98, 32),
            "sscanf(line, word) finds pieces of these lengths",
        ),
        ("qsort(a, n, 4, less)", (3, 4), "qsort(a, n, 4, less) is as recorded"),
    ],
)
def test_what_a_call_found_is_told_plainly(call: str, value: object, words: str) -> None:
    assert shape_words(call, value) == words
