"""Which C program does a seed stand for?"""

from __future__ import annotations

from random import Random

_HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const unsigned char table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
int main(int argc, char **argv) {
    int v[4] = {atoi(argv[1]), atoi(argv[2]), (unsigned char)argv[3][0], 7};
    unsigned char c = argv[3][1];
"""
_BINARY = ("+", "-", "*", "&", "|", "^")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def generated(seed: int) -> str:
    """Return a program with branches, loops and tables that its arguments decide."""
    random = Random(seed)
    lines = [_statement(random, 2) for _ in range(random.randint(3, 5))]
    return (
        f'{_HEAD}{"".join(lines)}    printf("%d %d %d\\n", v[0], v[1], v[3]);\n    return 0;\n}}\n'
    )


def _value(random: Random, depth: int) -> str:
    kinds = ["v[0]", "v[1]", "v[2]", "v[3]", "c", str(random.randint(-20, 200))]
    if depth == 0:
        return random.choice(kinds)
    inner = _value(random, depth - 1)
    made = (
        f"({inner} {random.choice(_BINARY)} {_value(random, 0)})",
        f"(short){inner}",
        f"({inner} >> {random.randint(0, 7)})",
        f"table[({inner}) & 7]",
        f"({inner} % {random.randint(2, 9)})",
        f"(int)strlen(argv[{random.randint(1, 3)}])",
    )
    return random.choice(made)


def _test(random: Random) -> str:
    one, other = _value(random, random.randint(0, 2)), _value(random, 0)
    test = f"{one} {random.choice(_COMPARISONS)} {other}"
    return f"{test} && {_value(random, 0)} > 5" if random.random() < 0.2 else test


def _statement(random: Random, depth: int) -> str:
    target = random.choice(("v[0]", "v[1]", "v[3]"))
    stored = f"    {target} = {_value(random, 2)};\n"
    if depth == 0 or random.random() < 0.2:
        return stored
    body = _statement(random, depth - 1)
    if random.random() < 0.2:
        return f"    for (int i = 0; i < (v[2] & 3); i++) {{\n{body}{stored}    }}\n"
    other = f" else {{\n{stored}    }}" if random.random() < 0.5 else ""
    return f"    if ({_test(random)}) {{\n{body}    }}{other}\n"
