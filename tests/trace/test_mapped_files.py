"""Do mapped files have the rows of the files, and cost no open file?"""

from __future__ import annotations

import os
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whence.program.mapped_files import _Map, map_file, release_pages

PAIRS = np.dtype([("a", np.uint8), ("b", np.uint16)])


@given(
    content=st.binary(max_size=50), kind=st.sampled_from([np.dtype("u1"), np.dtype("u4"), PAIRS])
)
def test_a_mapped_file_has_the_rows_of_the_file(
    content: bytes, kind: np.dtype[np.void], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("map") / "rows"
    path.write_bytes(content)
    rows = map_file(path, kind)
    assert rows.tobytes() == content[: len(content) // kind.itemsize * kind.itemsize]
    release_pages(rows)
    assert rows.tobytes() == content[: len(content) // kind.itemsize * kind.itemsize]
    assert not len(rows) or not rows.flags.writeable


def test_a_mapped_file_is_not_open_and_is_seen_as_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"12345678")
    before = os.listdir("/dev/fd")
    rows = map_file(path)
    assert len(os.listdir("/dev/fd")) == len(before)
    with path.open("r+b") as file:  # a section that is written later
        file.write(b"AB")
    assert rows.tobytes() == b"AB345678"


def test_a_map_lives_as_long_as_an_array_that_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_bytes(b"12345678")
    part = map_file(path, np.dtype("u2"))[1:2]
    owner: object = part
    while not isinstance(owner, _Map):
        assert isinstance(owner, np.ndarray)
        owner = owner.base
    gone = weakref.ref(owner)
    del owner
    assert part.tobytes() == b"34"
    assert gone() is not None
    del part
    assert gone() is None


def test_what_cannot_be_mapped_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no-such"):
        map_file(tmp_path / "no-such")
