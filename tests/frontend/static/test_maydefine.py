"""Potential dependence: claims about small programs."""

from __future__ import annotations

from tests.frontend.static.programs import Program
from whence.frontend.c.maydefine import MayDefine


def test_a_branch_that_skips_an_assignment() -> None:
    """The example of the thesis (figure 6.3) and of CaFL (figure 6)."""
    p = Program("""
        int main(int argc, char **argv) {
            int c = 1, d = 0;
            if (argc > 1)
                if (argc != 2)
                    c = 2;
            if (argc > 7)
                d = 4;
            return c;
        }
    """)
    assert p.deciding("return c", "c") == {"if (argc > 1)", "if (argc != 2)"}


def test_a_branch_that_skips_a_call_that_assigns() -> None:
    p = Program("""
        static int state, other;
        static void deep(int *p) { *p = 1; }
        static void set(void) { deep(&state); }
        static void leave(void) { other = 1; }
        int main(int argc, char **argv) {
            if (argc > 1) set();
            if (argc > 2) leave();
            return state;
        }
    """)
    assert p.deciding("return state", "state") == {"if (argc > 1) set();"}


def test_branches_of_other_functions_count_for_globals_only() -> None:
    p = Program("""
        static int count;
        static void tick(int n) {
            int mine = 0;
            if (n > 1) { count++; mine = 1; }
        }
        int main(int argc, char **argv) {
            int mine = 2;
            tick(argc);
            return mine +
                count;
        }
    """)
    assert p.deciding("count;", "count") == {"if (n > 1) { count++; mine = 1; }"}
    assert p.deciding("return mine +", "mine") == set()


def test_an_early_return_skips_what_comes_after() -> None:
    p = Program("""
        static int x;
        static void set(int n) {
            if (n > 1)
                return;
            x = 1;
        }
        int main(int argc, char **argv) {
            set(argc);
            return x;
        }
    """)
    assert p.deciding("return x;", "x") == {"if (n > 1)"}


def test_a_loop_that_might_have_run_again() -> None:
    p = Program("""
        int main(int argc, char **argv) {
            int sum = 0;
            while (argc-- > 1)
                sum += argc;
            return sum;
        }
    """)
    assert p.deciding("return sum", "sum") == {"while (argc-- > 1)"}


def test_other_elements_of_an_array_count_other_fields_do_not() -> None:
    p = Program("""
        static struct { int a[4]; int n; } s;
        int main(int argc, char **argv) {
            if (argc > 1) s.a[argc] = 1;
            if (argc > 2) s.n = 1;
            return s.a[2];
        }
    """)
    assert p.deciding("return s.a[2]", "s") == {"if (argc > 1) s.a[argc] = 1;"}


def test_loads_that_the_same_edges_may_define_share_a_class() -> None:
    p = Program("""
        static int x;
        int main(int argc, char **argv) {
            if (argc > 1) x = 1;
            if (x) return 2;
            return x;
        }
    """)
    may_define = MayDefine(p.modules)
    class_of, classes, edges = may_define.table()
    loads = [
        (m, function.name, op)
        for text in ("if (x)", "return x")
        for m, function, op in p.ops(text)
        if op.opcode == "load" and "x" in {p.name(c) for c in p.aliases.may_read(m, "main", op)}
    ]
    assert len(loads) == 2
    (number,) = {class_of[m, name, op.line] for m, name, op in loads}
    for m, name, op in loads:
        assert [edges[edge] for edge in classes[number]] == may_define.edges_defining(m, name, op)
