"""Which code takes part in a run, and has nothing to do with its failure?

It makes room for changes.  Every function is total, has no side effect outside its file, and
returns a number that is not negative.  `main` computes the sum of all and would end if it were
negative.
"""

from __future__ import annotations

import random

PER_FILE = 10  # functions in one file
CALL = b"extras_run(argc)"

_SHAPES = (
    """\
/* Adds up the digits of a number in base {a}. */
static int {name}(int number)
{{
    int rest = number < 0 ? -number : number;
    int sum = 0;

    while (rest > 0) {{
        int digit = rest % {a};
        sum += digit;
        rest /= {a};
    }}
    return sum + {b};
}}
""",
    """\
/* The greatest common divisor of a number and {b}. */
static int {name}(int number)
{{
    int larger = number > 0 ? number : {a};
    int smaller = {b};

    while (smaller != 0) {{
        int rest = larger % smaller;
        larger = smaller;
        smaller = rest;
    }}
    if (larger < 0)
        larger = -larger;
    return larger;
}}
""",
    """\
static int {name}_seen;

/* Remembers the largest number so far, up to {c}. */
static int {name}(int number)
{{
    int limited = number;

    if (limited > {c})
        limited = {c};
    else
        limited = limited + {b};
    if (limited > {name}_seen)
        {name}_seen = limited;
    return {name}_seen;
}}
""",
    """\
/* A checksum of a few numbers that follow from one. */
static int {name}(int seed)
{{
    unsigned state = (unsigned)seed + {c};
    unsigned low = 1, high = 0;
    int turn;

    for (turn = 0; turn < {a}; turn++) {{
        state = state * 13 + {b};
        low = (low + state % 256) % 251;
        high = (high + low) % 251;
    }}
    return (int)(high * 16 + low);
}}
""",
    """\
static int {name}_table[{a}];

/* How many places of a table are in use. */
static int {name}(int key)
{{
    int place = (key < 0 ? -key : key) % {a};
    int used = 0;
    int i;

    {name}_table[place] += {b};
    for (i = 0; i < {a}; i++) {{
        if ({name}_table[i] != 0)
            used++;
    }}
    return used;
}}
""",
    """\
/* The integer square root, by halving. */
static int {name}(int number)
{{
    int low = 0;
    int high = {c};

    while (low < high) {{
        int middle = (low + high + 1) / 2;
        if (middle * middle <= number)
            low = middle;
        else
            high = middle - 1;
    }}
    return low;
}}
""",
    """\
/* How many bits are set. */
static int {name}(int number)
{{
    unsigned bits = (unsigned)number ^ {b}u;
    int count = 0;

    while (bits != 0) {{
        if (bits & 1)
            count++;
        bits >>= 1;
    }}
    return count > {a} ? {a} : count;
}}
""",
    """\
struct {name}_box {{
    int width;
    int height;
    int depth;
}};

/* The volume of a box that is at least {a} wide. */
static int {name}(int size)
{{
    struct {name}_box box;
    int volume = 0;

    box.width = size > {a} ? size : {a};
    box.height = {b};
    box.depth = 1;
    if (box.width < {c})
        volume = box.width * box.height * box.depth;
    return volume;
}}
""",
)


def helper(name: str, rng: random.Random) -> str:
    """Return the source of one function from int to int."""
    shape = rng.choice(_SHAPES)
    a, b, c = rng.randint(10, 16), rng.randint(3, 60), rng.randint(100, 900)
    return shape.format(name=name, a=a, b=b, c=c)


def modules(functions: int, rng: random.Random) -> dict[str, bytes]:
    """Return files with this many functions, and `extras_run(int)`, which calls all of them."""
    count = -(-functions // PER_FILE)
    files = {"extras.h": b"int extras_run(int number);\n"}
    for number in range(count):
        inside = min(PER_FILE, functions - number * PER_FILE)
        files[f"extras{number}.c"] = _module(number, inside, rng).encode()
    names = [f"extras{number}_run" for number in range(count)]
    declared = "".join(f"int {name}(int number);\n" for name in names)
    called = "".join(f"    sum += {name}(number + sum % 10);\n" for name in names)
    files["extras.c"] = (
        f'#include "extras.h"\n\n{declared}\nint extras_run(int number)\n{{\n    int sum = 0;\n\n'
        f"{called}    return sum;\n}}\n"
    ).encode()
    return files


def _module(number: int, functions: int, rng: random.Random) -> str:
    names = [f"extra{number}_{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"[:functions]]
    body = "\n".join(helper(name, rng) for name in names)
    called = "".join(f"    sum += {name}(number + {rng.randint(1, 50)});\n" for name in names)
    run = (
        f"int extras{number}_run(int number)\n{{\n    int sum = 0;\n\n{called}    return sum;\n}}\n"
    )
    return f"/* Part {number} of what is computed on the side. */\n\n{body}\n{run}"
