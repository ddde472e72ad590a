"""Which functions, statements, comments and names are found in C, C++ and Python sources?"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.changes.trees import lines
from whence.changes import syntax
from whence.changes.changeset import compare_trees
from whence.changes.syntax import ParsedSource, depth_changes, grammar_of, tokens
from whence.changes.tree import read_tree

PYTHON = '''\
import os, sys as system
from a.b import c
X = 1
class A:
    y = 2
    def f(self, p, *q, k: int = 1, **r):
        """Doc
        more"""
        def g(z):
            return z + p
        # comment
        n, m = q
        for i, j in r:
            self.attr = g(
                i,
                j)
        return g
    x = 3

if X:
    pass
elif (X and
      y):
    pass
async def co(a=1):
    return a
'''
C = """\
#define MAX 3
#define TWICE(a) ((a) * 2)
typedef struct node { int val; struct node *next; } node_t;
enum color { RED, GREEN };
extern int proto(int arg);
static INLINE int
sum(const int *a, int n)
{
  int s = 0, *p = &s;  /* here */
  // comment
  /* long
     comment */
  if (s &&
      n) {
    s += a[i];
  }
  return s +
    MAX;
}
int (*fp(int x))(int) { return 0; }
API_EXPORT(int) api(void) { return 1; }
int old(a, b) int a; int b; { return a; }
"""
CPP = """\
namespace ns {
class A {
  A() : x(1) {}
  ~A() {}
  int f(int a) const { return a; }
  int x;
};
struct S { int g() { return 1; } };
int A::out(int b) { return b; }
int& ref(const A& one, A&& two) { static int r; return r; }
template <class T> T tmpl(T t) { return t; }
bool operator==(const A& a, const A& b) { return true; }
}
"""
SOURCES = {
    "python": ParsedSource("python", PYTHON.encode()),
    "c": ParsedSource("c", C.encode()),
    "cpp": ParsedSource("cpp", CPP.encode()),
}


def functions(language: str) -> dict[str, tuple[int, int]]:
    return {f.name: (f.first, f.last) for f in SOURCES[language].functions}


def test_functions_of_python_nest() -> None:
    assert functions("python") == {
        "A": (4, 18),
        "A.f": (6, 17),
        "A.f.g": (9, 10),
        "co": (25, 26),
    }
    assert [f.name for f in SOURCES["python"].functions if f.is_class] == ["A"]


def test_functions_of_c_are_found_behind_macros_and_declarators() -> None:
    assert functions("c") == {"sum": (6, 19), "fp": (20, 20), "api": (21, 21), "old": (22, 22)}


def test_functions_of_cpp_have_their_class() -> None:
    assert list(functions("cpp")) == [
        "A.A",
        "A.~A",
        "A.f",
        "S.g",
        "A::out",
        "ref",
        "tmpl",
        "operator==",
    ]


@pytest.mark.parametrize(
    ("line", "name"),
    [(3, None), (5, "A"), (6, "A.f"), (10, "A.f.g"), (11, "A.f"), (18, "A"), (20, None)],
)
def test_function_at_is_the_innermost(line: int, name: str | None) -> None:
    found = SOURCES["python"].function_at(line)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("language", "expected"), [("python", {7, 8, 11, 19}), ("c", {10, 11, 12}), ("cpp", set())]
)
def test_a_comment_line_has_only_a_comment(language: str, expected: set[int]) -> None:
    text = {"python": PYTHON, "c": C, "cpp": CPP}[language].encode().split(b"\n")[:-1]
    source = SOURCES[language]
    assert {n for n, line in enumerate(text, 1) if source.is_comment(n, line)} == expected


@pytest.mark.parametrize(
    ("language", "first", "last", "expected"),
    [
        ("python", 3, 3, (3, 3)),
        ("python", 5, 5, (5, 5)),  # the first line of a body is not part of the head
        ("python", 6, 6, (6, 6)),
        ("python", 13, 13, (13, 13)),
        ("python", 14, 14, (14, 16)),
        ("python", 15, 15, (14, 16)),
        ("python", 16, 16, (14, 16)),
        ("python", 22, 22, (22, 23)),
        ("python", 23, 23, (22, 23)),
        ("python", 12, 14, (12, 14)),  # parts of several statements are returned unchanged
        ("c", 1, 1, (1, 1)),
        ("c", 6, 6, (6, 7)),
        ("c", 7, 7, (6, 7)),
        ("c", 9, 9, (9, 9)),
        ("c", 13, 13, (13, 14)),
        ("c", 14, 14, (13, 14)),
        ("c", 15, 15, (15, 15)),
        ("c", 17, 17, (17, 18)),
        ("c", 18, 18, (17, 18)),
    ],
)
def test_statement_lines_are_those_of_the_whole_statement_or_head(
    language: str, first: int, last: int, expected: tuple[int, int]
) -> None:
    found = SOURCES[language].statement_lines(first, last)
    assert (found.start, found.stop - 1) == expected


def test_statements_start_where_they_begin_not_on_their_later_lines() -> None:
    starts = SOURCES["python"].statement_starts(9, 17)
    assert starts == {9, 10, 11, 12, 13, 14, 17}


def definitions(language: str) -> set[tuple[str, str | None]]:
    source = SOURCES[language]
    return {(name.text, name.scope) for name in source.definitions(1, source.last_line)}


def test_definitions_of_python_are_local_to_their_function() -> None:
    local = {("self", "A.f"), ("p", "A.f"), ("q", "A.f"), ("k", "A.f"), ("r", "A.f")}
    local |= {("n", "A.f"), ("m", "A.f"), ("i", "A.f"), ("j", "A.f"), ("z", "A.f.g"), ("a", "co")}
    seen_everywhere = {"os", "system", "c", "X", "A", "y", "f", "g", "x", "attr", "co"}
    assert definitions("python") == local | {(name, None) for name in seen_everywhere}


def test_definitions_of_c_are_local_to_their_function() -> None:
    local = {("a", "sum"), ("n", "sum"), ("s", "sum"), ("p", "sum"), ("x", "fp")}
    local |= {("a", "old"), ("b", "old")}
    names = "MAX TWICE node node_t val next color RED GREEN proto sum fp api old"
    assert definitions("c") == local | {(name, None) for name in names.split()}


def test_a_parameter_in_a_declaration_without_body_defines_nothing() -> None:
    assert "arg" not in {name for name, _ in definitions("c")}


def test_references_are_parameters_too() -> None:
    assert {("one", "ref"), ("two", "ref"), ("r", "ref")} <= definitions("cpp")


def test_names_are_all_identifiers_with_the_function_around_them() -> None:
    source = SOURCES["python"]
    assert [(n.text, n.line, n.scope) for n in source.names(10, 10)] == [
        ("z", 10, "A.f.g"),
        ("p", 10, "A.f.g"),
    ]
    assert {n.text for n in SOURCES["c"].names(17, 18)} == {"s", "MAX"}


def test_parameters_at_yields_the_functions_whose_parameters_are_on_the_lines() -> None:
    assert list(SOURCES["c"].parameters_at(7, 7)) == ["sum"]
    assert list(SOURCES["python"].parameters_at(10, 10)) == []


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.c", "c"),
        ("B.H", "c"),
        ("x.hpp", "cpp"),
        ("m.pyi", "python"),
        ("a.txt", None),
        ("c", None),
    ],
)
def test_the_suffix_decides_the_language(path: str, language: str | None) -> None:
    assert grammar_of(path) == language


def test_tokens_are_words_numbers_and_punctuation() -> None:
    assert tokens(b"x1 += 3.5f(a)") == [b"x1", b"+", b"=", b"3.5f", b"(", b"a", b")"]


def test_depths_count_open_brackets_before_each_unit() -> None:
    assert depth_changes([b"f(a, [", b"]", b")"]) == [0, 2, 1, 0]


@settings(max_examples=150, deadline=None)
@given(parts=st.lists(lines, max_size=15), language=st.sampled_from(("c", "cpp", "python")))
def test_results_for_any_text_are_within_its_lines(parts: list[bytes], language: str) -> None:
    text = b"".join(parts)
    source = ParsedSource(language, text)
    last = source.last_line
    for line, content in enumerate(text.split(b"\n"), 1):
        around = source.statement_lines(line, line)
        assert line in around
        assert 1 <= around.start < around.stop <= last + 1
        source.is_comment(line, content)
        function = source.function_at(line)
        assert function is None or function.first <= line <= function.last
    for name in (*source.definitions(1, last), *source.names(1, last)):
        assert 1 <= name.line <= last
    assert all(1 <= line <= last for line in source.statement_starts(1, last))


def test_not_all_trees_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree that was dropped is parsed again: questions have the same answers."""
    monkeypatch.setattr(syntax, "_kept_trees", syntax._KeptTrees())
    monkeypatch.setattr(syntax, "_MAX_TREES", 1 << 20)
    content = b"".join(b"def f%d(x):\n    return [x]\n\n\n" % n for n in range(2_000))
    sources = [ParsedSource("python", content) for _ in range(1 + (2 << 20) // len(content))]
    kept = [source in syntax._kept_trees._roots for source in sources]
    assert kept[0]
    assert kept[-4:] == [True] * 4
    assert 0.4 < sum(kept) / len(kept) < 0.6
    assert [source.statement_starts(5, 7) for source in sources] == [{5, 6}] * len(sources)


def test_the_trees_of_two_huge_versions_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of some megabytes is compared with its old version, in turns."""
    monkeypatch.setattr(syntax, "_kept_trees", syntax._KeptTrees())
    monkeypatch.setattr(syntax, "_MAX_TREES", 1)
    old, new = (ParsedSource("c", b"int f(void) { return %d; }" % n) for n in (1, 2))
    roots = [old.root, new.root]
    monkeypatch.setattr(ParsedSource, "parse", None)
    assert [old.root, new.root, old.root] == [*roots, roots[0]]


def test_what_was_prepared_needs_no_second_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    """The trees of many files do not fit into memory; what a search asks is answered before."""
    parsed = 0
    parse = ParsedSource.parse

    def counted(source: ParsedSource) -> object:
        nonlocal parsed
        parsed += 1
        return parse(source)

    def asked(source: ParsedSource) -> object:
        return (
            set(source.definitions(1, source.last_line)),
            set(source.names(5, 7)),
            source.parameters_at(5, 7),
            source.statement_lines(5, 7),
            source.is_declaration(5, PYTHON.encode().split(b"\n")[4]),
        )

    expected = asked(ParsedSource("python", PYTHON.encode()))
    monkeypatch.setattr(syntax, "_MAX_TREES", 0)
    monkeypatch.setattr(syntax, "_IN_USE", 1)
    monkeypatch.setattr(syntax, "_kept_trees", syntax._KeptTrees())
    monkeypatch.setattr(ParsedSource, "parse", counted)
    source = ParsedSource("python", PYTHON.encode())
    source.prepare([range(5, 8)])
    ParsedSource("python", b"another = 1\n")  # takes the place of the tree
    before = parsed
    assert asked(source) == expected
    assert parsed == before


def test_a_file_with_a_very_long_line_is_compared_by_lines(tmp_path: Path) -> None:
    """What is asked about a line would be asked about most of the file."""
    long = "int t[] = {" + "1," * 200_000 + "};"
    for version, number in (("good", 1), ("bad", 2)):
        (tmp_path / version).mkdir()
        text = f"int f(void) {{\n    return {number};\n}}\n{long}\n"
        (tmp_path / version / "a.c").write_text(text)
        (tmp_path / version / "b.c").write_text(text.replace(long, ""))
    changes = compare_trees(read_tree(tmp_path / "good"), read_tree(tmp_path / "bad"))
    assert [(change.file, change.function) for change in changes.changes] == [
        ("a.c", None), ("b.c", "f"),
    ]  # fmt: skip
    assert changes.unparsed == ["a.c"]


OLD_C = b"""\
typedef int number;
static number
typed (a, b)
     number a;
     char *b;
{
  if (a)
    return 1;
  return 2;
}

half(n) { return n / 2; }

char *
pointed(text)
char *text;
{
    return text;
}

DEFUN (hidden)
{
  return 3;
}

extern int far (int a,
                int b);
typedef struct
{
  int x;
} point;
int table[] =
{
  1, 2
};

int plain (int n)
{
  return n;
}
"""


@pytest.mark.parametrize(
    ("line", "name"),
    [(3, "typed"), (8, "typed"), (12, "half"), (18, "pointed"), (23, "hidden"), (28, None),
     (30, None), (34, None), (39, "plain")],
)  # fmt: skip
def test_functions_of_old_c_have_their_names(line: int, name: str | None) -> None:
    found = ParsedSource("c", OLD_C).function_at(line)
    assert (found.name if found else None) == name
