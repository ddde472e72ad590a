"""Does a statement meet the changes of the names that it uses, and no others?"""

from __future__ import annotations

import pytest

from tests.explain.meetings import change_texts, compared, marked, removed_through, through
from whence.changes.syntax import ParsedSource
from whence.explain.meeting import Meeting, python_declarations
from whence.explain.meeting.lexemes import lexemes

USE = "int f(int n) {\n  return %s; /*HERE*/\n}\n"


def check(before: str, after: str, use: str, meets: bool = True) -> None:
    """Check whether a statement with `use` meets the change of a declaration before it."""
    good, bad = (f"{text}\n\n\n{USE % use}" for text in (before, after))
    found = through(good, bad)
    assert bool(found) == meets, found


@pytest.mark.parametrize(
    ("before", "after", "use"),
    [
        ("int limit;", "char limit;", "limit + n"),
        ("int limit = 3;", "int limit = 4;", "limit + n"),
        ("static int t[] = {\n 1,\n 2,\n};", "static int t[] = {\n 1,\n 3,\n};", "t[n]"),
        ("static int t[] = {\n 1,\n 2,\n};", "static int t[] = {\n 1,\n};", "t[n]"),
        ("#define MAX 1", "#define MAX 2", "MAX"),
        ("#define TWICE(x) (2 * (x))", "#define TWICE(x) 2 * x", "TWICE(n)"),
        ("#define A 1\n#define B (A)\n#define C B", "#define A 2\n#define B (A)\n#define C B", "C"),
        ("#define A 1\nint t[] = {A};", "#define A 2\nint t[] = {A};", "t[n]"),
        ("typedef int T;\nT x;", "typedef char T;\nT x;", "x"),
        ("typedef int T;\nstruct s { T x; };", "typedef char T;\nstruct s { T x; };", "g()->x"),
        ("typedef int T;\nT g(void);", "typedef char T;\nT g(void);", "g()"),
        ("struct s {\n  int x;\n};", "struct s {\n  char x;\n};", "g()->x"),
        ("struct s {\n  int x : 3;\n};", "struct s {\n  int x : 2;\n};", "g()->x"),
        ("struct s {\n  int x;\n};", "struct s {\n  int x;\n  int y;\n};", "sizeof(struct s)"),
        ("struct s {\n  int x;\n};", "struct s {\n  int y;\n  int x;\n};", "((struct s *)g())->x"),
        ("struct u { int x; };\nstruct s { struct u a; };",
         "struct u { int x, y; };\nstruct s { struct u a; };", "sizeof(struct s)"),
        ("typedef struct {\n  int x;\n} T;", "typedef struct {\n  long x;\n} T;", "sizeof(T)"),
        ("enum e { A, B, C };", "enum e { A, X, B, C };", "C"),
        ("enum e {\n  A,\n  B,\n  C\n};", "enum e {\n  A,\n  X,\n  B,\n  C\n};", "C"),
        ("enum e { A = 1, B };", "enum e { A = 2, B };", "B"),
        ("int g(int);", "int g(long);", "g(n)"),
        ("int g(int x) { return x; }", "int g(char x) { return x; }", "g(n)"),
        ("int g(void);", "__attribute__((pure)) int g(void);", "g()"),
        ("#ifdef A\n#define X 1\n#else\n#define X 2\n#endif",
         "#ifdef A\n#define X 2\n#else\n#define X 1\n#endif", "X"),
        ("#ifdef A\n#define X 1\n#else\n#define X 2\n#endif",
         "#ifndef A\n#define X 1\n#else\n#define X 2\n#endif", "X"),
    ],
)  # fmt: skip
def test_a_statement_meets_a_changed_declaration_of_what_it_uses(
    before: str, after: str, use: str
) -> None:
    check(before, after, use)
    check(before, after, "n + 1", meets=False)


@pytest.mark.parametrize(
    ("before", "after", "use"),
    [
        ("int g(int x) { return x; }", "int g(int x) { return 2 * x; }", "g(n)"),
        ("int g(int x) {\n  return x;\n}", "int g(int x) {\n  return 2 * x;\n}", "g(n)"),
        ("int x;\nint y;", "int y;\nint x;", "x"),
        ("int x; // one", "int x; // two", "x"),
        ("int t[] = {1, 2};", "int t[] = {\n  1,\n  2};", "t[n]"),
        ("enum e { A, B };", "enum e { A, B, C };", "B"),
        ("struct s { int x; };", "struct s { int x; int y; };", "g()->x"),
        ("struct s { int n; };", "struct s { char n; };", "n"),
        ("int n;", "char n;", "n"),  # the parameter hides it
        ("int x;", "char x;", "g()->x"),
        ("struct s { int x; };\nstruct t;", "struct s { int x; };\nstruct t { int x; };", "g()->x"),
        ("int x;", "char x;", '"x"'),
    ],
)
def test_a_statement_does_not_meet_a_change_without_effect_on_it(
    before: str, after: str, use: str
) -> None:
    check(before, after, use, meets=False)


@pytest.mark.parametrize("labels", [3, 300])
def test_a_statement_meets_the_changes_of_its_case_labels(labels: int) -> None:
    others = "".join(f"  case {i}:\n    g({i});\n" for i in range(labels))
    good = f"#define X 999\nint f(int n) {{\n  switch (n) {{\n{others}  case X: {{\n"
    good += "    g(n); /*HERE*/\n  }\n  }\n}\n"
    assert through(good, good.replace("999", "998")) == {"#define X 998"}


def test_a_switch_meets_its_labels_if_they_are_not_too_many() -> None:
    good = "#define X 9\nint f(int n) {\n  switch (n) { /*HERE*/\n  case X:\n    g(n);\n  }\n}\n"
    assert through(good, good.replace("9", "8")) == {"#define X 8"}


def test_a_macro_that_is_redefined_after_its_use_is_not_met() -> None:
    good = "#define X 1\n" + USE % "X" + "#undef X\n#define X 2\n"
    assert through(good, good.replace("X 2", "X 3")) == set()


def test_a_declaration_is_compared_with_the_line_in_its_own_version() -> None:
    good = USE % "X" + "#define X 2\n"
    before = "".join(f"int a{i};\n" for i in range(30))
    assert through(good, before + good.replace("X 2", "X 3")) == set()


def test_a_pointer_to_a_struct_does_not_meet_another_field_in_it() -> None:
    good = "struct s { int x; };\nint f(void) {\n  struct s *p = g(); /*HERE*/\n}\n"
    bad = good.replace("int x;", "int y; int x;")
    assert through(good, bad) == set()
    assert through(good.replace("*p = g()", "p"), bad.replace("*p = g()", "p")) != set()


def test_a_comment_on_a_changed_declaration_is_not_met() -> None:
    good = "int t[] = { // one\n  1,\n  2,\n  3,\n};\n" + USE % "t[n]"
    assert through(good, good.replace("one", "two").replace("3,", "4,")) == {"4,"}


def test_a_return_meets_the_type_that_its_function_returns() -> None:
    good = "int\nf(int n) {\n  return n; /*HERE*/\n}\n"
    assert through(good, good.replace("int\nf", "char\nf")) == {"char"}


def test_uses_of_a_local_variable_meet_its_type_but_not_its_first_value() -> None:
    good = "int f(int n) {\n  int x = 1;\n  x = n; /*HERE*/\n  return x;\n}\n"
    assert through(good, good.replace("int x", "char x")) == {"char x = 1;"}
    assert through(good, good.replace("x = 1", "x = 2")) == set()


def test_uses_of_a_local_static_variable_meet_its_value() -> None:
    good = "int f(int n) {\n  static int x = 1;\n  x += n; /*HERE*/\n  return x;\n}\n"
    assert through(good, good.replace("x = 1", "x = 2")) == {"static int x = 2;"}


def test_uses_of_a_parameter_meet_its_type() -> None:
    good = "int f(int m,\n      int n) {\n  return g(n); /*HERE*/\n}\n"
    assert through(good, good.replace("int n", "char n")) == {"char n) {"}


def test_a_local_variable_of_one_block_is_not_that_of_another() -> None:
    block = "  {\n    int x;\n    x = n;%s\n    g(x);\n  }\n"
    good = "int f(int n) {\n" + block % "" + block % " /*HERE*/" + "}\n"
    assert through(good, good.replace("int x", "char x", 1)) == set()
    first, second = good.rsplit("int x", 1)
    assert through(good, f"{first}char x{second}") == {"char x;"}


def test_a_local_variable_of_one_function_is_not_that_of_another() -> None:
    function = "int f(int n) {\n  int x;\n  x = n; /*HERE*/\n  return x;\n}\n"
    other = function.replace("f(", "g(").replace("HERE", "")
    assert through(other + function, other.replace("int x", "char x") + function) == set()


def test_a_table_of_another_file_is_met_through_its_declaration() -> None:
    use = '#include "t.h"\n' + USE % "t[n]"
    files = {"a.c": use, "t.h": "extern int t[];\n", "t.c": "int t[] = {1};\n"}
    assert through(files, {**files, "t.c": "int t[] = {2};\n"}) == {"int t[] = {2};"}
    assert through(files | {"t.c": "static int t[] = {1};\n"},
                   files | {"t.c": "static int t[] = {2};\n"}) == set()  # fmt: skip


def test_an_initialiser_in_a_table_of_another_file_is_met() -> None:
    files = {
        "a.c": "extern int t[];\n" + USE % "t[n]",
        "t.c": '#include "t.h"\nint t[] = {MAX};\n',
        "t.h": "#define MAX 1\n",
    }
    assert through(files, {**files, "t.h": "#define MAX 2\n"}) == {"#define MAX 2"}


def test_only_headers_that_a_file_includes_are_met() -> None:
    files = {
        "a.c": '#include "include/b.h"\n' + USE % "X",
        "include/b.h": '#include "c.h"\n',
        "include/c.h": "#define X 1\n",
        "other/c.h": "#define X 1\n",
    }
    assert through(files, {**files, "include/c.h": "#define X 2\n"}) == {"#define X 2"}
    assert through(files, {**files, "other/c.h": "#define X 2\n"}) == set()


def test_a_function_in_a_header_sees_earlier_includes() -> None:
    files = {
        "a.c": '#include "x.h"\n#include "f.h"\n',
        "x.h": "#define X 1\n",
        "f.h": "static inline " + USE % "X",
    }
    assert through(files, {**files, "x.h": "#define X 2\n"}) == {"#define X 2"}


def test_a_changed_include_is_met_by_uses_of_its_declarations() -> None:
    files = {
        "a.c": '#include "one.h"\n' + USE % "X + Y",
        "one.h": "#define X 1\n#define Y 1\n",
        "two.h": "#define X 2\n#define Y 1\n",
    }
    bad = {**files, "a.c": files["a.c"].replace("one.h", "two.h")}
    assert through(files, bad) == {'#include "two.h"'}
    same = {name: text.replace("X + Y", "Y") for name, text in bad.items()}
    assert through({**files, "a.c": files["a.c"].replace("X + Y", "Y")}, same) == set()


def test_a_preprocessor_condition_is_met_by_the_statements_under_it() -> None:
    good = "int f(int n) {\n#if N > 1\n  n++; /*HERE*/\n#endif\n  return n;\n}\n"
    assert through(good, good.replace("N > 1", "N > 0")) == {"#if N > 0"}
    assert through("#define N 2\n" + good, "#define N 3\n" + good) == {"#define N 3"}
    assert through(good, good.replace("#if N > 1\n", "").replace("#endif\n", "")) == {
        "-#if N > 1",
        "-#endif",
    }
    assert through(good, good.replace("#endif", "#endif // N")) == set()


def test_a_preprocessor_condition_that_was_extended_is_met() -> None:
    good = "int f(int n) {\n#if N\n  n++;\n#endif\n  a();\n  b(); /*HERE*/\n  c();\n}\n"
    bad = good.replace("#endif\n", "").replace("  c();\n", "  c();\n#endif\n")
    assert through(good, bad) == {"#endif"}
    assert through(bad, good) == {"-#endif"}


def test_a_statement_of_the_good_version_meets_a_macro_that_became_empty() -> None:
    good = "#define CHECK(x) if (!(x)) die()\nint f(int n) {\n  CHECK(n); /*HERE*/\n}\n"
    bad = good.replace(" if (!(x)) die()", "")
    assert removed_through(good, bad) == {"#define CHECK(x)"}


def test_a_change_declares_the_names_whose_meaning_it_alters() -> None:
    good = "int x = 1, y;\nint f(int a) {\n  return a;\n}\nenum { A, B };\n"
    bad = "int x = 2, y;\nint f(long a) {\n  return a + 1;\n}\nenum { C, A, B };\n"
    with compared(good, bad) as changes:
        declares = [set(Meeting(changes).declares(c.id)) for c in changes.changes]
    assert declares == [{"x"}, {"f", "a"}, set(), {"A", "B", "C"}]


@pytest.mark.parametrize(
    ("before", "after", "use"),
    [
        ("int g(int x, int y = 1);", "int g(int x, int y = 2);", "g(n)"),
        ("struct s {\n  int x = 1;\n};", "struct s {\n  int x = 2;\n};", "s().x"),
        ("class s {\n  int g(int);\n};", "class s {\n  int g(long);\n};", "s().g(n)"),
        ("using T = int;\nT g();", "using T = char;\nT g();", "g()"),
        ("namespace a {\nint x = 1;\n}", "namespace a {\nint x = 2;\n}", "a::x"),
        ("template <class T>\nT g(T);", "template <class T>\nint g(T);", "g(n)"),
        ("int s::x = 1;", "int s::x = 2;", "s::x"),
    ],
)
def test_a_statement_meets_declarations_that_only_cpp_has(
    before: str, after: str, use: str
) -> None:
    good, bad = (f"{text}\n\n\n{USE % use}" for text in (before, after))
    assert through(good, bad, "a.cpp")
    assert not through(good.replace(use, "n"), bad.replace(use, "n"), "a.cpp")


@pytest.mark.parametrize(
    ("before", "after", "use"),
    [
        ("LIMIT = 1", "LIMIT = 2", "LIMIT + n"),
        ("A = 1\nLIMIT = A", "A = 2\nLIMIT = A", "LIMIT + n"),
        ("class C:\n    limit = 1", "class C:\n    limit = 2", "n.limit"),
        ("class C(A):\n    pass", "class C(B):\n    pass", "C(n)"),
        ("def g(x, y=1):\n    return x", "def g(x, y=2):\n    return x", "g(n)"),
        ("@cache\ndef g(x):\n    return x", "def g(x):\n    return x", "g(n)"),
        ("from a import g", "from b import g", "g(n)"),
        ("import a as g", "import b as g", "g.run(n)"),
        ("LIMIT = 1", "LIMIT = 2", 'f"{LIMIT}"'),
    ],
)
def test_a_python_statement_meets_the_declarations_of_its_module(
    before: str, after: str, use: str
) -> None:
    good, bad = (f"{text}\n\n\ndef f(n):\n    return {use}  # HERE\n" for text in (before, after))
    assert through(good, bad, "a.py")
    assert not through(good.replace(use, "n"), bad.replace(use, "n"), "a.py")


def test_python_meets_a_constant_of_a_module_that_it_imports() -> None:
    files = {
        "p/a.py": "from .b import LIMIT\n\ndef f(n):\n    return LIMIT + n  # HERE\n",
        "p/b.py": "LIMIT = 1\n",
        "p/c.py": "LIMIT = 1\n",
    }
    assert through(files, {**files, "p/b.py": "LIMIT = 2\n"}) == {"LIMIT = 2"}
    assert through(files, {**files, "p/c.py": "LIMIT = 2\n"}) == set()


def test_python_meets_the_default_of_a_parameter() -> None:
    good = "def f(\n    n,\n    m=1,\n):\n    return m  # HERE\n"
    assert through(good, good.replace("m=1", "m=2"), "a.py") == {"m=2,"}


def test_the_text_of_a_long_import_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    def counted(language: str, text: bytes) -> tuple[bytes, ...]:
        read.append(text)
        return lexemes(language, text)

    monkeypatch.setattr(python_declarations, "lexemes", counted)
    names = [f"name{number}" for number in range(300)]
    source = ParsedSource("python", f"from other import {', '.join(names)}\n".encode())
    found = [*python_declarations.read_python(source)]
    assert [declaration.name for declaration in found] == names
    assert len(read) == 1


def test_python_does_not_read_files_that_no_run_loaded() -> None:
    """A constant of an imported module counts only if a run loaded the module."""
    use = "from %s import LIMIT\n\n\ndef f():\n    return LIMIT  #HERE\n"
    good = {"a.py": use % "b", "b.py": "LIMIT = 1\n", "unused.py": "LIMIT = 1\n"}
    bad = {**good, "b.py": "LIMIT = 2\n", "unused.py": "LIMIT = 3\n"}
    with compared(good, bad) as changes:
        meeting = Meeting(changes)
        meeting.limit_to_loaded(["a.py"], ["a.py", "b.py"])
        found = meeting.through("a.py", 5)
        assert change_texts(changes, found) == {"LIMIT = 2"}
        assert meeting._bad.file("b.py") is not None
        assert "unused.py" not in meeting._bad._files


def test_the_line_of_a_change_is_the_one_that_declares_the_name() -> None:
    table = "int a;\nstruct s {\n  // bounds\n  %s low;\n  %s limit;\n  int high;\n};\n"
    use = USE % "g()->limit"
    with compared(table % ("int", "int") + use, table % ("char", "char") + use) as changes:
        meeting = Meeting(changes)
        file, line = marked(changes, of_good=False)
        [met] = meeting.through(file, line)
        assert meeting.line_of(met, file, line) == 5
        assert meeting.line_of(met, file, 1) in changes.changes[met].new.lines
