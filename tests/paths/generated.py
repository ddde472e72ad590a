"""Which C program does a seed stand for?

The programs read two numbers, a text of three characters or more, and standard input.  They use
tables, loops, switches, pointers, structures, floats, recursion and functions of the C library.
"""

from __future__ import annotations

from random import Random

ARGUMENTS, STDIN_TEXT = "5 40 xY9", b"a1 z\n-3 b\n"

_HEAD = """#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const unsigned char table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
struct pair { short low; unsigned char high; long long wide; };
static int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
static unsigned digits(const char *s) {
    unsigned n = 0;
    for (; *s; s++) if (isdigit((unsigned char)*s)) n++;
    return n;
}
static int depth(int n) { return n <= 0 ? 0 : 1 + depth(n / 3); }
static int twice(int x) { return 2 * x; }
static int less(int x) { return x - 7; }
int main(int argc, char **argv) {
    int v[4] = {atoi(argv[1]), (int)strtol(argv[2], NULL, 10), (unsigned char)argv[3][0], 7};
    unsigned char c = argv[3][1];
    struct pair p = {v[0], v[1], (long long)v[0] * v[1]};
    int (*functions[2])(int) = {twice, less};
    char line[32] = "", word[32] = "";
    double f = v[0] / 4.0;
    if (fgets(line, sizeof line, stdin)) v[3] += line[0];
    strncpy(word, argv[3], sizeof word - 1);
"""
_BINARY = ("+", "-", "*", "&", "|", "^")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_ATOMS = ("v[0]", "v[1]", "v[2]", "v[3]", "c", "p.low", "p.high", "(int)p.wide", "(unsigned)v[1]")
_TEXTS = ("argv[3]", "line", "word")


def generated(seed: int) -> str:
    """Return a program with branches, loops and tables that its inputs decide."""
    random = Random(seed)
    lines = [_statement(random, 2) for _ in range(random.randint(3, 5))]
    return (
        f'{_HEAD}{"".join(lines)}    printf("%d %d %d %d\\n", v[0], v[1], v[3], p.low);\n'
        "    return v[3] & 1;\n}\n"
    )


def _value(random: Random, depth: int) -> str:
    if depth == 0:
        return random.choice([*_ATOMS, str(random.randint(-20, 200))])
    inner, text = _value(random, depth - 1), random.choice(_TEXTS)
    made = (
        f"({inner} {random.choice(_BINARY)} {_value(random, 0)})",
        f"({inner} {random.choice(_BINARY)} {_value(random, 0)})",
        f"(short){inner}",
        f"(signed char)({inner})",
        f"({inner} >> {random.randint(0, 7)})",
        f"((unsigned){inner} << {random.randint(0, 7)})",
        f"table[({inner}) & 7]",
        f"({inner} % {random.randint(2, 9)})",
        f"({inner} / {random.randint(2, 9)})",
        f"(int)strlen({text})",
        f"clamp({inner}, -9, 30)",
        f"(int)digits({text})",
        f"depth(clamp({inner}, 0, 20))",
        f"functions[({inner}) & 1]({_value(random, 0)})",
        f"(int){text}[({inner}) & 1]",
        f"toupper({text}[0])",
        f"abs({inner})",
        f"(int)(f * {random.randint(1, 5)})",
        f"(int)({inner} ? {_value(random, 0)} : c)",
    )
    return random.choice(made)


def _test(random: Random) -> str:
    kind, text = random.random(), random.choice(_TEXTS)
    if kind < 0.08:
        return f'strcmp({text}, "{random.choice(["xY9", "a", "zz"])}") {random.choice("<>")} 0'
    if kind < 0.16:
        return f"strchr({text}, '{random.choice('aYz-1')}')"
    if kind < 0.24:
        name = random.choice(["isdigit", "isalpha", "isspace", "isupper", "ispunct"])
        return f"{name}((unsigned char){text}[{random.randint(0, 1)}])"
    if kind < 0.3:
        return f"f {random.choice(_COMPARISONS)} {random.randint(-9, 99)}.5"
    if kind < 0.34:
        return f'strncmp({text}, "{random.choice(["x", "a1", "-"])}", 1) == 0'
    one, other = _value(random, random.randint(0, 2)), _value(random, 0)
    test = f"{one} {random.choice(_COMPARISONS)} {other}"
    if random.random() < 0.2:
        return f"{test} {random.choice(['&&', '||'])} {_value(random, 0)} > 5"
    return test


def _stored(random: Random) -> str:
    target = random.choice(
        ("v[0]", "v[1]", "v[3]", "v[3]", "p.low", "p.high", "p.wide", "v[v[2] & 1]")
    )
    kind = random.random()
    if kind < 0.08:
        return f"    f += {_value(random, 1)};\n"
    if kind < 0.14:
        return f"    word[(unsigned){_value(random, 1)} % 3] = '{random.choice('xyz0')}';\n"
    return f"    {target} {random.choice(['=', '=', '+=', '-=', '^='])} {_value(random, 2)};\n"


def _statement(random: Random, depth: int) -> str:
    stored = _stored(random)
    if depth == 0 or random.random() < 0.2:
        return stored
    body, kind = _statement(random, depth - 1), random.random()
    if kind < 0.12:
        return f"    for (int i = 0; i < (v[2] & 3); i++) {{\n{body}{stored}    }}\n"
    if kind < 0.2:
        text = random.choice(_TEXTS)
        return (
            f"    for (const char *s = {text}; *s && *s != '{random.choice('zY ')}'; s++)"
            f" {{\n{stored}    }}\n"
        )
    if kind < 0.32:
        ends = [random.choice(["", "    break;\n"]) for _ in range(2)]
        cases = "".join(
            f"    case {random.randint(-2, 120)}:\n{_stored(random)}{end}" for end in ends
        )
        cases += f"    case 132:\n{body}    break;\n"
        head = f"    switch ({_value(random, 1)}) {{\n"
        return _distinct_cases(f"{head}{cases}    default:\n{stored}    }}\n")
    if kind < 0.37:
        return (
            f'    {{ int x = 0; char w[16]; if (sscanf(line, "%15s %d", w, &x) == 2) {{\n{body}'
            "    v[3] += x + w[0]; } }\n"
        )
    other = f" else {{\n{stored}    }}" if random.random() < 0.5 else ""
    return f"    if ({_test(random)}) {{\n{body}    }}{other}\n"


def _distinct_cases(text: str) -> str:
    """Return a switch without the labels that it has already."""
    seen: set[str] = set()
    kept = []
    for line in text.splitlines(keepends=True):
        is_label = line.strip().startswith("case")
        if is_label and line in seen:
            continue
        seen.update([line] if is_label else [])
        kept.append(line)
    return "".join(kept)
