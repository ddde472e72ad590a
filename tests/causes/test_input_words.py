"""Does a cause say which input a value came from?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.causes.explaining import built, causes, whole_tree

PROGRAM = """#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {{
    puts("x");
    {statements}
    return 0;
}}
"""
CASES = {
    "assert(!argv[3]);": '`argv[3]` was "7": it came from the command line',
    "assert(argv[2][0] != '6');": "`argv[2][0]` was '6' (54): it came from argument 2",
    'char *v = getenv("PATH"); assert(!v[0]);': "it came from $PATH",
}


@pytest.mark.parametrize("statements", CASES)
def test_an_input_is_named(tmp_path: Path, statements: str) -> None:
    """The call of puts before it set nothing, and is in no cause."""
    program = built(PROGRAM.format(statements=statements), tmp_path)
    found = causes(whole_tree(program.run("5", "6", "7")))
    assert CASES[statements] in found[0].because
    assert not [s for cause in found for s in cause.statements if "puts" in s.text]
