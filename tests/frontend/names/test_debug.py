"""Is debug information read correctly?"""

from __future__ import annotations

import pytest

from whence.frontend.c.debug import Debug, locations, spell
from whence.frontend.c.metadata import MetadataNode, Ref, parse_metadata
from whence.frontend.c.names import CNames


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("!{!1, null, i32 5, !\"s\"}", MetadataNode("", {}, (Ref(1), None, 5, "s"))),
        ("!{}", MetadataNode("", {})),
        ('distinct !DIFoo(name: "a, (b)", line: 3)',
         MetadataNode("DIFoo", {"name": "a, (b)", "line": 3})),
        ("!DIFoo(flags: A | B, scope: !7)",
         MetadataNode("DIFoo", {"flags": "A|B", "scope": Ref(7)})),
        ("!DIFoo(value: -1, isUnsigned: true)",
         MetadataNode("DIFoo", {"value": -1, "isUnsigned": 1})),
        ("!DIFoo(extraData: i64 224)", MetadataNode("DIFoo", {"extraData": 224})),
        ('!DIFoo(name: "caf\\C3\\A9 \\22\\5C")', MetadataNode("DIFoo", {"name": 'café "\\'})),
        ("!DIFoo(elements: !{!2}, line: 1)",
         MetadataNode("DIFoo", {"elements": MetadataNode("", {}, (Ref(2),)), "line": 1})),
        ("!DIFoo(expr: !DIExpression(DW_OP_plus_uconst, 8), line: 2)",
         MetadataNode("DIFoo", {
             "expr": MetadataNode("DIExpression", {}, ("DW_OP_plus_uconst", 8)), "line": 2})),
        ("!DIFoo(value: ptr getelementptr (i8, ptr @x, i64 1), line: 2)",
         MetadataNode("DIFoo", {"value": ")", "line": 2})),
    ],
)  # fmt: skip
def test_a_node_is_parsed(text: str, node: MetadataNode) -> None:
    assert parse_metadata(text) == node


PLACES = {
    0: '!DIFile(filename: "a.c", directory: "/src")',
    1: '!DIFile(filename: "/usr/include/b.h", directory: "/src")',
    2: '!DIFile(filename: "src/c.c", directory: "")',
    3: 'distinct !DISubprogram(name: "f", scope: !0, file: !0, line: 3, scopeLine: 4)',
    4: "distinct !DILexicalBlock(scope: !3, file: !1, line: 5, column: 2)",
    5: "distinct !DILexicalBlock(scope: !4, file: !2, line: 6)",
    6: "!DILocation(line: 7, column: 9, scope: !3)",
    7: "!DILocation(line: 8, scope: !4)",
    8: "distinct !DILocation(line: 9, column: 1, scope: !5, inlinedAt: !6)",
}


def test_a_location_has_the_file_of_its_scope() -> None:
    debug = Debug(PLACES)
    found = [debug.location(number) for number in (6, 7, 8)]
    assert [(each.file, each.line, each.column, each.function) for each in found if each] == [
        ("/src/a.c", 7, 9, "f"),
        ("/usr/include/b.h", 8, 0, "f"),
        ("src/c.c", 9, 1, "f"),
    ]
    assert debug.location(3) is None
    assert debug.scope_lines(3) == ("/src/a.c", 4)


def test_locations_agrees_with_location(c_names: CNames) -> None:
    metadata, debug = c_names.module.metadata, c_names.debug
    table = locations(metadata)
    assert len(table.line) == max(metadata) + 1
    for number in metadata:
        one = debug.location(number)
        file = table.files[table.file[number]] if table.file[number] >= 0 else ""
        all_of_it = (file, table.line[number], table.column[number])
        assert all_of_it == ((one.file, one.line, one.column) if one else ("", 0, 0))


def test_no_metadata_has_no_locations() -> None:
    assert locations({}).files == []


@pytest.mark.parametrize(
    ("variable", "spelled", "size"),
    [
        ("opt", "struct options *opt", 8),
        ("heads", "node **heads", 8),
        ("anything", "void *anything", 8),
        ("s", "node s", 40),
        ("flags", "unsigned int flags", 4),
        ("text", "const char *text", 8),
        ("a", "int a[3][4]", 48),
        ("table", "node table[10]", 400),
    ],
)
def test_a_type_is_spelled_as_in_c(c_names: CNames, variable: str, spelled: str, size: int) -> None:
    found = next(each for each in c_names.variables_at("row_0") if each.name == variable)
    assert found.type is not None
    assert spell(found.type, variable) == spelled
    assert found.type.size == size


def test_members_have_their_offsets(c_names: CNames) -> None:
    found = next(each.type for each in c_names.variables_at("row_0") if each.name == "opt")
    options = found.base if found else None
    assert options is not None
    listed = {each.name: (each.offset, str(each.type)) for each in options.members}
    assert listed == {
        "name": (0, "char [16]"),
        "count": (16, "int"),
        "nodes": (24, "node *[4]"),
        "call": (56, "int (*)(int, char *)"),
        "grid": (64, "int [3][4]"),
        "more": (112, "int []"),
    }
