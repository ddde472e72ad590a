"""Is the object found that a user names?"""

from __future__ import annotations

import pytest

from tests.frontend.names.conftest import Compile
from whence.errors import UserError
from whence.frontend.c import ir
from whence.frontend.c.names import CNames
from whence.frontend.c.variables import PathStep, VariablePath, parse_path

SCOPES = """\
int shared = 1;
int f(int x) {
  static int kept;
  int y = x;
  if (x) {
    int y = 2;
    kept = y;
    for (int i = 0; i < y; i++)
      x += i;
    x++;
  }
  y++;
  return y;
}
int g(int x) { return x; }
"""


@pytest.fixture(scope="module")
def scopes(compile_names: Compile) -> CNames:
    return compile_names("scopes.c", SCOPES)


def visible(names: CNames, line: int) -> list[str]:
    return [each.name for each in names.variables_at("f", line)]


def test_the_innermost_variable_comes_first(scopes: CNames) -> None:
    assert visible(scopes, 9) == ["i", "y", "x", "kept", "y", "shared"]


def test_a_variable_is_not_visible_before_or_after_its_block(scopes: CNames) -> None:
    assert visible(scopes, 3) == ["x", "kept", "shared"]
    assert visible(scopes, 7) == ["y", "x", "kept", "y", "shared"]
    assert visible(scopes, 12) == ["x", "kept", "y", "shared"]


def test_a_variable_has_the_register_or_global_that_it_lives_at(scopes: CNames) -> None:
    at = {each.name: each.address for each in scopes.variables_at("f", 4)}
    assert at["shared"] == ir.Global("shared")
    assert at["kept"] == ir.Global("f.kept")
    assert isinstance(at["x"], ir.Local)
    assert "kept" not in {each.name for each in scopes.variables_at("g")}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("x", VariablePath("x", ())),
        (
            "s.b[2].c",
            VariablePath("s", (PathStep(".", "b"), PathStep("[", index=2), PathStep(".", "c"))),
        ),
        ("opt->name[0x3]", VariablePath("opt", (PathStep("->", "name"), PathStep("[", index=3)))),
        ("*p->q", VariablePath("p", (PathStep("->", "q"), PathStep("*")))),
        ("(*pp)->q", VariablePath("pp", (PathStep("*"), PathStep("->", "q")))),
        ("ns::x", VariablePath("ns::x", ())),
        (" a [ 1 ] ", VariablePath("a", (PathStep("[", index=1),))),
    ],
)
def test_a_path_is_parsed(text: str, path: VariablePath) -> None:
    assert parse_path(text) == path


@pytest.mark.parametrize("text", ["", "3", "x[", "x[n]", "x.", "x->3", "(x", "x)", "x y", "x + 1"])
def test_text_that_is_not_a_path_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="names no variable"):
        parse_path(text)


@pytest.mark.parametrize(
    ("text", "hops", "kind"),
    [
        ("n", (0,), "int"),
        ("opt->name[3]", (0, 3), "char"),
        ("opt->grid[1][2]", (0, 64 + 16 + 8), "int"),
        ("opt->nodes[1]->next->key", (0, 32, 8, 0), "int"),
        ("table[2].at.y", (100,), "int"),
        ("s.left", (28,), "int"),
        ("s.u.bytes[1]", (25,), "char"),
        ("*p", (0, 0), "int"),
        ("p[-1]", (0, -4), "int"),
        ("**pp", (0, 0, 0), "int"),
        ("(*heads)->next", (0, 0, 8), "struct node *"),
        ("list.key", (0, 0), "int"),
        ("opt->call", (0, 56), "int (*)(int, char *)"),
        ("opt->more[5]", (0, 132), "int"),
    ],
)
def test_a_path_leads_to_an_object(
    c_names: CNames, text: str, hops: tuple[int, ...], kind: str
) -> None:
    n = next(each for each in c_names.variables_at("row_0") if each.name == "n")
    _, place = c_names.resolve("row_0", n.first, text)
    assert (place.hops, str(place.type)) == (hops, kind)


def test_a_bit_field_has_its_bits(c_names: CNames) -> None:
    found = next(each for each in c_names.variables_at("row_0") if each.name == "s")
    _, place = c_names.path(found.type, "s.g")
    assert (place.hops, place.bits) == ((32,), (3, 5))


def test_references_are_followed(cpp_names: CNames) -> None:
    found = next(each for each in cpp_names.variables_at("row_0") if each.name == "o")
    _, place = cpp_names.path(found.type, "o.inherited")
    assert (place.hops, str(place.type)) == ((0, 8), "int")


def test_a_member_can_be_named_without_this(cpp_names: CNames) -> None:
    function = "_ZNK5Owner5plainEv"
    line = cpp_names.variables_at(function)[0].last
    variable, place = cpp_names.resolve(function, line, "items[1]")
    assert variable.name == "this"
    assert place.hops == (0, 28)


def test_an_unknown_variable_is_reported_with_the_known_ones(scopes: CNames) -> None:
    with pytest.raises(UserError, match=r"no variable 'z' at line 4(.|\n)*are: x, kept, y\."):
        scopes.resolve("f", 4, "z")


def test_a_path_that_leads_nowhere_is_explained(c_names: CNames) -> None:
    found = next(each for each in c_names.variables_at("row_0") if each.name == "s")
    with pytest.raises(UserError, match=r"node has no member nothing(.|\n)*members are: key, next"):
        c_names.path(found.type, "s.nothing")
    with pytest.raises(UserError, match="int has no elements"):
        c_names.path(found.type, "s.key[1]")
