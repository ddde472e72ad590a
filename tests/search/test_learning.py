"""What does a search read from the sources, and learn from compilers, about changes?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from whence.changes.changeset import ChangeSet, compare_trees
from whence.changes.tree import read_tree
from whence.model import ChangeId, Complaint, Outcome, Run
from whence.search.dependencies import Knowledge, read_dependencies, read_words
from whence.search.variant_places import VariantPlaces


def changes_between(folder: Path, good: dict[str, str], bad: dict[str, str]) -> ChangeSet:
    for tree, files in (("good", good), ("bad", bad)):
        for name, text in files.items():
            path = folder / tree / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    return compare_trees(read_tree(folder / "good"), read_tree(folder / "bad"))


def knowledge_of(changes: ChangeSet) -> Knowledge:
    return Knowledge(
        read_words(changes.changes), read_dependencies(changes), VariantPlaces(changes.changes)
    )


def that_adds(changes: ChangeSet, text: str) -> ChangeId:
    (found,) = [c.id for c in changes.changes if text in c.added.decode()]
    return found


def broken(file: str, line: int, *names: str) -> Run:
    return Run(Outcome.BROKEN, complaints=(Complaint(file, line, names, "error"),))


def test_a_condition_that_is_opened_requires_the_change_that_closes_it(tmp_path: Path) -> None:
    body = "int f(int a)\n{\n    a++;\n    a--;\n%s    a += 2;\n    a += 3;\n%s    return a%s;\n}\n"
    good = {"f.c": body % ("", "", "")}
    bad = {"f.c": body % ("    if (a) {\n", "    }\n", " + 0")}
    changes = changes_between(tmp_path, good, bad)
    knowledge = knowledge_of(changes)
    opened = that_adds(changes, "if (a) {")
    closed = {c.id for c in changes.changes if "}" in c.added.decode()}
    assert knowledge.closure({opened}) == {opened} | closed
    assert knowledge.closure(closed) == {opened} | closed


def test_a_name_that_a_header_declares_and_a_source_defines_requires_both(tmp_path: Path) -> None:
    use = '#include "n.h"\nint user(void)\n{\n    int k = 0;\n    return %s + k;\n}\n'
    files = {"n.h": "extern int %s;\n", "n.c": "int %s;\n", "user.c": use}
    good = {name: text % "count" for name, text in files.items()}
    bad = {name: text % "calls" for name, text in files.items()}
    changes = changes_between(tmp_path, good, bad)
    everything = frozenset(c.id for c in changes.changes)
    assert len(everything) == 3
    assert knowledge_of(changes).closure({that_adds(changes, "return calls")}) == everything


def test_a_complaint_about_a_field_ties_the_structure_that_it_names(tmp_path: Path) -> None:
    header = "struct %(m)s_box {\n    int first;\n    int %(f)s;\n    int last;\n};\n"
    source = '#include "%(m)s.h"\nint %(m)s(struct %(m)s_box *b)\n{\n    return b->%(f)s;\n}\n'
    good, bad = (
        {f"{m}.{end}": text % {"m": m, "f": f} for m in "ab" for end, text in parts}
        for f, parts in (
            ("len", (("h", header), ("c", source))),
            ("length", (("h", header), ("c", source))),
        )
    )
    changes = changes_between(tmp_path, good, bad)
    knowledge = knowledge_of(changes)
    use, *_ = [c.id for c in changes.changes if c.file == "a.c"]
    own, other = (
        frozenset(c.id for c in changes.changes if c.file in files)
        for files in (("a.h", "a.c"), ("a.c", "b.h"))
    )
    assert knowledge.closure({use}) == {use}  # two structures have such a field
    knowledge.learn(frozenset({use}), broken("a.c", 4, "len", "a_box"))
    assert own <= knowledge.closure({use})
    assert knowledge.is_known_to_break(frozenset({use}))
    assert knowledge.is_known_to_break(other)
    assert not knowledge.is_known_to_break(own)


def test_a_complaint_without_a_name_ties_the_line_to_its_declaration(tmp_path: Path) -> None:
    text = "int f(int a)\n{\n    int last%s = %s;\n    a++;\n    a--;\n    return last%s + a;\n}\n"
    changes = changes_between(
        tmp_path, {"f.c": text % ("", "0", "")}, {"f.c": text % ("[1]", "{0}", "[0]")}
    )
    knowledge = knowledge_of(changes)
    declared, used = that_adds(changes, "int last"), that_adds(changes, "return last")
    knowledge.learn(frozenset({used}), broken("f.c", 6))
    assert knowledge.closure({used}) == {declared, used}


def test_a_complaint_about_types_ties_the_line_to_the_variable(tmp_path: Path) -> None:
    """The types are named, and other functions use them, too."""
    text = (
        "int %(f)s(%(t)s *at)\n{\n    check(at);\n    check(at + 1);\n    check(at + 2);\n"
        "    return %(u)s;\n}\n"
    )
    good, bad = (
        {"f.c": "".join(text % {"f": f, "t": t, "u": u} for f in ("f", "g"))}
        for t, u in (("int", "low(at[1])"), ("char", "low(at + 4)"))
    )
    changes = changes_between(tmp_path, good, bad)
    knowledge = Knowledge(
        read_words(changes.changes),
        replace(read_dependencies(changes), requires={}),
        VariantPlaces(changes.changes),
    )
    declared, used, *_ = sorted(c.id for c in changes.changes)
    knowledge.learn(frozenset({declared}), broken("f.c", 6, "int", "char", "low", "at"))
    assert knowledge.closure({declared}) == {declared, used}


_HALF = """static int %(f)s(int %(p)sa)
{
    int %(v)s = %(p)sa;
    if (%(v)s > 9) {
        %(v)s /= 2;
%(r)s    }
    else {
        %(v)s -= 1;
%(s)s    }
%(t)s}
"""


def test_a_renamed_function_that_lacks_a_return_is_reverted_as_a_whole(tmp_path: Path) -> None:
    """The compiler says only where the function ends."""
    before = {"f": "half", "p": "", "v": "kept", "s": "        return kept;\n"}
    after = {"f": "half_of", "p": "*", "v": "left", "s": "", "r": "", "t": "    return left;\n"}
    good = _HALF % (before | {"r": "        return kept;\n", "t": ""})
    changes = changes_between(tmp_path, {"f.c": good}, {"f.c": _HALF % after})
    knowledge = knowledge_of(changes)
    removed = [c.id for c in changes.changes if b"return kept" in c.removed and not c.added]
    last = that_adds(changes, "return left")
    assert removed
    assert not knowledge.closure({last}) >= {*removed}
    reverted = knowledge.closure({last})
    lines = changes.nodes(reverted)["f.c"].content.decode().splitlines()
    knowledge.learn(reverted, broken("f.c", len(lines)))
    assert knowledge.closure({last}) >= {*removed}


def test_a_complaint_about_a_local_name_ties_nothing_in_other_functions(tmp_path: Path) -> None:
    text = (
        "int %(f)s(int a)\n{\n    int %(v)s = a;\n    a++;\n    a--;\n    a += 2;\n"
        "    return %(v)s;\n}\n"
    )
    good, bad = (
        {"f.c": "".join(text % {"f": f, "v": v} for f in ("f", "g"))} for v in ("sum", "total")
    )
    changes = changes_between(tmp_path, good, bad)
    knowledge = Knowledge(
        read_words(changes.changes),
        type(read_dependencies(changes))(),
        VariantPlaces(changes.changes),
    )
    in_f = frozenset(c.id for c in changes.changes if c.function == "f")
    first = min(in_f)
    knowledge.learn(frozenset({first}), broken("f.c", 7, "total"))
    assert knowledge.closure({first}) == in_f


def test_the_place_of_a_line_counts_the_lines_of_reverted_changes(tmp_path: Path) -> None:
    good = {"f.c": "int f(void)\n{\n    g();\n    h();\n    i();\n    return 1;\n}\n"}
    bad = {"f.c": "int f(void)\n{\n    i();\n    return 2;\n}\n"}
    changes = changes_between(tmp_path, good, bad)
    removed, edited = changes.changes
    places = VariantPlaces(changes.changes)
    for line, reverted, owner in (
        (4, frozenset[ChangeId](), edited),
        (3, frozenset[ChangeId](), None),
        (3, frozenset({removed.id}), removed),
        (6, frozenset({removed.id}), edited),
    ):
        place = places.at(reverted, "f.c", line)
        assert place is not None
        assert place.owner == owner, (line, reverted)
        assert place.function == {removed.id, edited.id}
    assert places.at(frozenset(), "other.c", 1) is None


_OPTIONS = """struct options {
    int depth;
%s    const char *name;
};
typedef struct options Options;
%s = {
    %s3,
%s    "utf-8"%s
};
"""


def test_a_field_requires_the_value_that_is_listed_for_it(tmp_path: Path) -> None:
    good = _OPTIONS % ("    char is_wide;\n", "struct options defaults", "", "    1,\n", "")
    bad = _OPTIONS % ("", "struct options defaults", "", "", "")
    changes = changes_between(tmp_path, {"o.c": good}, {"o.c": bad})
    knowledge = knowledge_of(changes)
    field, value = (c.id for c in changes.changes)
    assert knowledge.closure({field}) == {field, value}
    assert knowledge.closure({value}) == {field, value}


def test_a_field_requires_the_values_in_every_row_of_a_table(tmp_path: Path) -> None:
    good = _OPTIONS % ("    char is_wide;\n", "static Options table[]", "{", "    1,\n", "}")
    bad = _OPTIONS % ("", "static Options table[]", "{", "", "}")
    changes = changes_between(tmp_path, {"o.c": good}, {"o.c": bad})
    field, value = (c.id for c in changes.changes)
    assert knowledge_of(changes).closure({field}) == {field, value}


def test_a_whole_row_and_a_named_value_require_no_field(tmp_path: Path) -> None:
    table = "struct pair {\n    int a, c;\n%s};\nstruct pair rows[] = {\n    {1},\n%s};\n"
    named = "struct pair one = {\n    .a = 1,\n%s};\n"
    good = table % ("", "") + named % ""
    bad = table % ("    int b;\n", "    {3, 4},\n") + named % "    .c = 2,\n"
    changes = changes_between(tmp_path, {"t.c": good}, {"t.c": bad})
    knowledge = knowledge_of(changes)
    assert len(changes.changes) == 3
    for change in changes.changes:
        assert knowledge.closure({change.id}) == {change.id}
