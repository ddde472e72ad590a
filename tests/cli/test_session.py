"""Does a session keep the user's marks, also after errors and crashes?"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whence.errors import UserError
from whence.model import CauseTree, Mark
from whence.service.tree_session import SavedTree, TreeSession

from .fake_tree import FakeTree

KEYS = st.text(max_size=5)  # arbitrary text, with lone surrogates and quotes
MARKS = st.sampled_from([None, *Mark])
STEPS = st.one_of(
    st.tuples(st.just("mark"), KEYS, MARKS),
    st.tuples(st.just("expand"), KEYS, st.booleans()),
    st.tuples(st.just("compute"), KEYS, st.none()),
    st.tuples(st.just("load"), KEYS, st.none()),
)


examples = settings(max_examples=40, deadline=None)


@examples
@given(steps=st.lists(STEPS, max_size=12))
def test_the_last_marks_are_loaded(
    steps: list[tuple[str, str, Mark | bool | None]],
) -> None:
    marks: dict[str, Mark] = {}
    expanded: dict[str, bool] = {}
    computed: dict[str, None] = {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "why.json"
        session = TreeSession.load(path, "run")
        for what, key, value in steps:
            if what == "load":
                session = TreeSession.load(path, "run")
            elif what == "compute":
                session.note_computed(key)
                computed.setdefault(key)
            elif isinstance(value, bool):
                session.expand(key, value)
                expanded[key] = value
            else:
                session.mark(key, value)
                marks[key] = value  # type: ignore[assignment]  # None is removed below
        session.save()
        found = TreeSession.load(path, "run")
    assert not found.is_new
    assert found.marks == {key: mark for key, mark in marks.items() if mark is not None}
    assert found.computed == list(computed)
    assert found.expanded == {key for key, is_expanded in expanded.items() if is_expanded}


def test_a_truncated_file_is_kept_aside_and_a_new_session_starts(tmp_path: Path) -> None:
    path = tmp_path / "why.json"
    session = TreeSession(path, "run")
    session.expand("/é", True)
    session.mark("/a", Mark.ROOT)
    whole = path.read_bytes()
    for end in range(len(whole) - 2):  # the last newline does not matter
        path.write_bytes(whole[:end])
        found = TreeSession.load(path, "run")
        assert (found.is_new, found.marks) == (True, {}), whole[:end]
        assert found.kept == tmp_path / "why.old.json"
        assert found.kept.read_bytes() == whole[:end]
        assert not path.exists()


@examples
@given(garbage=st.binary(max_size=40))
def test_no_content_of_the_file_is_a_crash(garbage: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "why.json"
        path.write_bytes(garbage)
        assert TreeSession.load(path, "run").is_new


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@examples
@given(
    document=st.fixed_dictionaries(
        dict.fromkeys(["marks", "expanded", "selected", "computed"], JSON)
    )
)
def test_no_document_is_a_crash(document: dict[str, object]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "why.json"
        path.write_text(json.dumps({"whence": 1, "run": "run", **document}))
        found = TreeSession.load(path, "run")
        found.save()  # what was loaded can be saved


def test_the_session_of_another_run_is_kept_aside(tmp_path: Path) -> None:
    path = tmp_path / "why.json"
    TreeSession(path, "yesterday").mark("/a", Mark.BENIGN)
    found = TreeSession.load(path, "today")
    assert (found.is_new, found.marks) == (True, {})
    found.mark("/b", Mark.ROOT)
    assert found.kept is not None
    assert TreeSession.load(found.kept, "yesterday").marks == {"/a": Mark.BENIGN}
    assert TreeSession.load(path, "today").marks == {"/b": Mark.ROOT}


def test_a_missing_file_is_a_new_session(tmp_path: Path) -> None:
    found = TreeSession.load(tmp_path / "none.json", "run")
    assert (found.is_new, found.kept) == (True, None)


def test_a_failed_write_is_reported_and_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = TreeSession(tmp_path / "why.json", "run")
    session.mark("/a", Mark.ROOT)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UserError, match=r"why.json cannot be written: No space left"):
        session.mark("/b", Mark.ROOT)
    assert [path.name for path in tmp_path.iterdir()] == ["why.json"]
    assert TreeSession.load(tmp_path / "why.json", "run").marks == {"/a": Mark.ROOT}


# -- the saved tree ---------------------------------------------------------------------------


def test_a_saved_tree_is_a_cause_tree(tmp_path: Path) -> None:
    tree: CauseTree = SavedTree(FakeTree(), TreeSession(tmp_path / "why.json", "run"))
    assert tree.children(0) == (1, 2)
    assert tree.cause(1).predicate.text == "class == RIGHT"
    assert tree.source("src/shape.c")


def test_marks_are_restored_when_their_causes_are_computed(tmp_path: Path) -> None:
    path = tmp_path / "why.json"
    tree = SavedTree(FakeTree(), TreeSession.load(path, "run"))
    _, last = tree.children(0)
    kind = tree.children(0)[0]
    squares, _ = tree.children(kind)
    tree.mark(squares, Mark.ROOT)
    tree.mark(last, Mark.BENIGN)

    fake = FakeTree()
    tree = SavedTree(fake, TreeSession.load(path, "run"))
    assert tree.marks == {}
    tree.children(0)
    assert tree.marks == {last: Mark.BENIGN}
    tree.children(kind)
    assert tree.marks == {last: Mark.BENIGN, fake.number("a * a != b * b + c * c"): Mark.ROOT}


def test_nothing_is_computed_below_a_benign_cause(tmp_path: Path) -> None:
    fake = FakeTree()
    tree = SavedTree(fake, TreeSession(tmp_path / "why.json", "run"))
    kind, _ = tree.children(0)
    squares, _ = tree.children(kind)
    tree.mark(kind, Mark.BENIGN)
    assert tree.children(kind) == ()
    assert tree.children(squares) == ()
    assert fake.asked == [0, kind]
    tree.mark(kind, None)
    assert tree.children(squares) != ()
