"""Which memory may instructions access?  Claims about small programs."""

from __future__ import annotations

from tests.frontend.static.programs import Program
from whence.frontend.c.ir import IntType

PRELUDE = """
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"""


def program(*sources: str) -> Program:
    return Program(*(PRELUDE + source for source in sources))


def test_a_store_through_a_pointer_set_by_a_called_function() -> None:
    p = program("""
        int x, y;
        int *choose(void) { return &x; }
        int main(void) { int *p = choose(); *p = 1; return y; }
    """)
    # All on one line: p and y are read there too, but only p and x are written.
    assert p.written("*p = 1") == {"p", "x"}


def test_a_pointer_passed_to_another_module() -> None:
    p = program(
        """
        void set(int *where);
        int main(void) {
            int x = 0, y = 0;
            set(&x);
            return x + y;
        }
        """,
        """
        void set(int *where) {
            *where = 1;
        }
        """,
    )
    assert p.written("*where = 1") == {"x"}
    assert p.deciding("return x + y", "y") == set()


def test_internal_names_of_different_modules_are_different() -> None:
    p = program(
        "static int x; int *mine(void) { return &x; } int main(void) { *mine() = 1; return 0; }",
        "static int x; int *other(void) { return &x; }",
    )
    cells = [
        cell
        for m, function, op in p.ops("*mine() = 1")
        for cell in p.aliases.may_write(m, function.name, op)
        if p.name(cell) == "x"
    ]
    assert {p.aliases.objects[cell.object].module for cell in cells} == {0}


def test_fields_are_kept_apart() -> None:
    p = program("""
        struct S { int n; int *p; int *q; } s;
        int x, y;
        int main(void) {
            s.p = &x;
            s.q = &y;
            *s.p = 1;
            struct S *t = &s;
            *t->q = 2;
            return 0;
        }
    """)
    assert p.written("*s.p = 1") == {"x"}
    assert p.written("*t->q = 2") == {"y"}


def test_a_table_in_a_struct_leaves_the_other_fields_alone() -> None:
    p = program("""
        struct S { int *first; int *table[8]; int *last; } s;
        int x, y, z;
        int main(int argc, char **argv) {
            s.first = &x; s.last = &z;
            s.table[argc] = &y;
            *s.table[argc + 1] = 1;
            *s.last = 2;
            return 0;
        }
    """)
    assert p.written("*s.table[argc + 1] = 1") == {"y"}
    assert p.written("*s.last = 2") == {"z"}


def test_a_list_of_structs_in_an_array_walked_by_pointer() -> None:
    p = program("""
        struct E { int k; int *v; } e[4];
        int x, y;
        void fill(struct E *at) { for (int i = 0; i < 4; i++) at[i].v = &x; }
        int main(void) {
            fill(e);
            for (struct E *q = e; q < e + 4; q++)
                *q->v = 1;
            return y;
        }
    """)
    assert p.written("*q->v = 1") == {"x"}


def test_a_struct_copied_as_a_whole_takes_its_pointers_along() -> None:
    p = program("""
        struct S { int n; int *p; };
        int x, y;
        void set(struct S s) { *s.p = 1; }
        int main(void) {
            struct S a = { 1, &x }, b, *h = malloc(sizeof *h);
            b = a;
            memcpy(h, &b, sizeof b);
            set(*h);
            return y;
        }
    """)
    assert p.written("*s.p = 1") == {"x"}


def test_a_struct_copied_into_the_middle_of_another() -> None:
    p = program("""
        struct S { int n; int *p; };
        struct T { int *first; struct S inner; } t;
        int x, y;
        int main(void) {
            struct S s = { 1, &x };
            t.first = &y;
            memcpy(&t.inner, &s, sizeof s);
            *t.inner.p = 1;
            *t.first = 2;
            return 0;
        }
    """)
    assert p.written("*t.inner.p = 1") == {"x"}
    assert p.written("*t.first = 2") == {"y"}


def test_pointers_copied_byte_by_byte() -> None:
    p = program("""
        int x, y;
        void copy(char *to, char *from, int n) { while (n--) *to++ = *from++; }
        int main(void) {
            int *p = &x, *q = &y;
            copy((char *)&q, (char *)&p, sizeof p);
            *q = 1;
            return 0;
        }
    """)
    assert p.written("*q = 1") == {"x", "y"}


def test_a_pointer_that_was_a_number_in_between() -> None:
    p = program("""
        int x, y;
        int main(void) {
            unsigned long u = (unsigned long)&x;
            u &= ~1ul;
            *(int *)u = 1;
            return y;
        }
    """)
    assert p.written("*(int *)u = 1") == {"x"}


def test_unnamed_arguments() -> None:
    p = program("""
        int x, y, z;
        void set(int n, ...) {
            va_list ap;
            va_start(ap, n);
            int *p = va_arg(ap, int *);
            *p = 1;
            va_end(ap);
        }
        int main(void) { set(1, &x); set(2, &y); return z; }
    """)
    assert p.written("*p = 1") == {"x", "y"}


def test_an_inline_function_of_several_modules_is_called_in_each() -> None:
    inline = "__attribute__((weak)) void set(int *p) { *p = 1; }"
    p = program(inline + "int x; int main(void) { set(&x); return 0; }", inline)
    assert {
        (m, p.name(cell))
        for m, function, op in p.ops("*p = 1")
        for cell in p.aliases.may_write(m, function.name, op)
        if op.opcode == "store" and op.operands[0].type == IntType(32)
    } == {(0, "x"), (1, "x")}


def test_calls_through_a_table_of_functions() -> None:
    p = program("""
        static void one(int *p) { *p = 1; }
        static void two(int *p) { *p = 2; }
        static void three(int *p) { *p = 3; }
        static void (*const table[])(int *) = { one, two };
        void (*unused)(int *) = three;
        int main(int argc, char **argv) { int x; table[argc](&x); return x; }
    """)
    assert p.called("table[argc](&x)") == {"one", "two"}
    assert p.written("*p = 1") == {"x"}
    assert "x" not in p.written("*p = 3")


def test_a_comparison_called_by_qsort_reads_the_array() -> None:
    p = program("""
        int a[3], b[3];
        static int compare(const void *p, const void *q) {
            return *(const int *)p - *(const int *)q;
        }
        int main(void) { qsort(a, 3, sizeof *a, compare); return b[0]; }
    """)
    assert p.called("qsort(a") == {"compare"}
    assert p.written("qsort(a") >= {"a"}
    assert "a" in p.read("return *(const int *)p")
    assert "b" not in p.read("return *(const int *)p")


def test_an_unknown_function_may_change_and_keep_its_arguments() -> None:
    p = program("""
        void keep(int **);
        int *give(void);
        int x, y, *px = &x;
        int main(void) {
            keep(&px);
            *give() = 1;
            return y;
        }
    """)
    assert p.written("keep(&px)") >= {"x", "px"}
    assert p.written("*give() = 1") >= {"x"}
    assert "y" not in p.written("keep(&px)") | p.written("*give() = 1")


def test_library_functions_that_keep_nothing() -> None:
    p = program("""
        char text[10], other[10];
        int main(void) {
            int n;
            sscanf(text, "%d", &n);
            snprintf(text, 10, "%d", n);
            char *end;
            long v = strtol(text, &end, 10);
            *end = 'x';
            return strcmp(text, other) + v;
        }
    """)
    assert p.written("sscanf(text") == {"n"}
    assert p.written("snprintf(text") == {"text"}
    assert p.written("*end = 'x'") == {"text"}


def test_each_call_of_a_function_that_only_allocates_makes_its_own_object() -> None:
    p = program("""
        void *xmalloc(size_t n) { void *p = malloc(n); if (!p) abort(); return p; }
        int *first(void) { return xmalloc(4); }
        void second(void) { int *b = xmalloc(4); *b = 2; }
        int main(void) { int *a = first(); second(); *a = 1; return 0; }
    """)
    assert p.written("*b = 2") == {"heap second", "b"}
    assert p.written("*a = 1") == {"heap main", "a"}, "first() passes on what xmalloc gives it"


def test_a_function_that_fills_what_it_allocates_is_seen_to_write_it() -> None:
    p = program("""
        int x, y;
        struct N { int v; int *p; };
        struct N *make(void) { struct N *n = malloc(sizeof *n); n->p = &x; return n; }
        int main(void) { struct N *n = make(); *n->p = 1; return y; }
    """)
    assert p.written("n->p = &x") >= {"heap make"}
    assert p.written("*n->p = 1") == {"x", "n"}


def test_the_offset_in_a_local_struct_is_known() -> None:
    p = program("""
        struct S { int a; int b[4]; int c; };
        int main(int argc, char **argv) {
            struct S s;
            s.c = 1;
            s.b[argc] = 2;
            return s.a;
        }
    """)

    def cells(text: str) -> set[tuple[int | None, int]]:
        return {
            (cell.offset, cell.size)
            for m, function, op in p.ops(text)
            for cell in p.aliases.may_write(m, function.name, op)
        }

    assert cells("s.c = 1") == {(20, 4)}
    assert cells("s.b[argc] = 2") == {(4, 16)}
