"""Random C programs with many pointers that run for a limited time without errors."""

from __future__ import annotations

from random import Random

HEADER = """
#include <stdlib.h>
#include <string.h>
struct N { int v; struct N *next; int a[2]; int *p; struct { int w; int *r; } in; };
typedef void function(struct N *, int *, int **, struct N, int);
extern int g0, g1, arr[4], *gp, *table[3];
extern struct N s0, s1, ns[2], *gn;
extern function *fp, *fs[2];
extern function f0, f1, f2;
void *xmalloc(size_t n);
struct N *mk(int v);
static void bytes(char *to, char *from, int n) { while (n > 0) { *to++ = *from++; n = n - 1; } }
"""
MAIN = """
int g0 = 1, g1 = 2, arr[4], *gp = &g0, *table[3] = { &g0, &g1, arr };
struct N s0 = { 1, &s1, { 1, 2 }, &g1, { 1, &g0 } }, s1 = { 2, &s0, { 3, 4 }, arr, { 2, &g1 } };
struct N ns[2] = { { 0, &s0, { 0, 1 }, &g0, { 0, &g0 } }, { 1, ns, { 0, 1 }, arr, { 0, arr } } };
struct N *gn = &s1;
function *fp = f2, *fs[2] = { f1, f2 };
"""
HELPERS = """
void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
struct N *mk(int v) {
    struct N *n = xmalloc(sizeof *n);
    n->v = v; n->next = gn; n->a[0] = v; n->a[1] = 0; n->p = gp; n->in.w = 1; n->in.r = &n->v;
    return n;
}
"""
LOCALS = """
    int i0 = 1, i1 = 2, la[3] = { 1, 2, 3 }, *q0 = &g0, *q1 = la, **pp = &q0;
    struct N ln = s0, *n0 = &s0, *n1 = gn;
    unsigned long u = (unsigned long)&g1;
"""


class Generator:
    def __init__(self, random: Random) -> None:
        self.random = random

    def sources(self) -> tuple[str, str]:
        """Return the two modules of one program."""
        functions = "".join(
            f"void f{i}(struct N *n, int *q, int **qq, struct N by, int k) {{{LOCALS}"
            f"{self.block(4, i + 1, 2, True)}}}\n"
            for i in (2, 1, 0)
        )
        main = f"int main(void) {{{LOCALS}{self.block(8, 0, 2, False)}return g0;}}\n"
        return HEADER + MAIN + main, HEADER + HELPERS + functions

    def block(self, count: int, calls: int, depth: int, inner: bool) -> str:
        return "\n".join(self.statement(calls, depth, inner) for _ in range(count))

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def number(self, inner: bool, depth: int = 2) -> str:
        if depth and self.random.random() < 0.6:
            one, other = self.number(inner, depth - 1), self.number(inner, depth - 1)
            return self.pick(f"({one} + {other})", f"({one} == {other})", f"({one} - {other})",
                             self.cell(inner, depth - 1))  # fmt: skip
        return self.pick("0", "1", "2", "i0", "i1", "g0", *(["k"] if inner else []))

    def cell(self, inner: bool, depth: int = 2) -> str:
        """Return an lvalue of type int."""
        n, p = self.node(inner, depth - 1), self.pointer(inner, depth - 1)
        i = self.number(inner, 0)
        return self.pick(f"(*{p})", f"{n}->v", f"{n}->a[{i} & 1]", f"{n}->in.w", f"arr[{i} & 3]",
                         "g1", "i0", "i1", f"la[{i} & 1]", "ln.v", "ln.a[1]")  # fmt: skip

    def pointer(self, inner: bool, depth: int = 2) -> str:
        if depth <= 0:
            return self.pick("&g0", "q0", "q1", "gp", "arr", "&i0", "la", *(["q"] if inner else []))
        n, i = self.node(inner, depth - 1), self.number(inner, 0)
        return self.pick(f"{n}->p", f"(&{n}->v)", f"(&{n}->a[{i} & 1])", f"{n}->in.r",
                         f"(arr + ({i} & 3))", f"table[{i} & 1]", self.home(inner, depth - 1),
                         "((int *)u)", self.pointer(inner, 0))  # fmt: skip

    def home(self, inner: bool, depth: int = 2) -> str:
        """Return an lvalue of type int *."""
        n, i = self.node(inner, depth - 1), self.number(inner, 0)
        return self.pick("q0", "q1", "gp", f"{n}->p", f"{n}->in.r", f"table[{i} & 1]", "(*pp)",
                         "ln.p", *(["(*qq)"] if inner else []))  # fmt: skip

    def node(self, inner: bool, depth: int = 2) -> str:
        flat = self.pick(
            "(&s0)", "n0", "n1", "gn", "(&ln)", "ns", *(["n", "(&by)"] if inner else [])
        )
        if depth <= 0:
            return flat
        i = self.number(inner, 0)
        return self.pick(
            f"{self.node(inner, depth - 1)}->next", f"mk({i})", f"(&ns[{i} & 1])", flat
        )

    def node_home(self, inner: bool) -> str:
        return self.pick("n0", "n1", "gn", f"{self.node(inner, 1)}->next", "ln.next")

    def statement(self, calls: int, depth: int, inner: bool) -> str:
        number, n = self.number(inner), self.node(inner)
        options = [
            f"{self.cell(inner)} = {number};",
            f"{self.cell(inner)} = {number};",
            f"{self.home(inner)} = {self.pointer(inner)};",
            f"{self.home(inner)} = {self.pointer(inner)};",
            f"{self.node_home(inner)} = {n};",
            f"pp = &{self.home(inner)};",
            f"*{n} = *{self.node(inner)};",
            f"memcpy({n}, {self.node(inner)}, sizeof(struct N));",
            f"u = (unsigned long){self.pointer(inner)};",
            f"bytes((char *)&{self.home(inner)}, (char *)&{self.home(inner)}, 8);",
            "q1 = arr; q1++; *q1 = 3;",
            f"fp = {self.pick('f0', 'f1', 'f2')};",
        ]
        arguments = (
            f"({n}, {self.pointer(inner)}, &{self.home(inner)}, *{self.node(inner)}, {number});"
        )
        for callee in range(calls, 3):
            options += [f"f{callee}{arguments}"] * 2
        if not inner:
            options += [f"fp{arguments}", f"fs[{self.number(False, 0)} & 1]{arguments}"]
        if depth:
            body = self.block(2, calls, depth - 1, inner)
            options += [
                f"if ({number}) {{ {body} }}",
                f"if ({number}) {{ {body} }} else {{ {self.block(1, calls, depth - 1, inner)} }}",
                f"for (int i{depth}x = 0; i{depth}x < 2; i{depth}x++) {{ {body} }}",
            ] * 2
        if inner:
            options.append(f"if ({number}) return;")
        return self.random.choice(options)
