"""Are the records of an input found, and put in another order?"""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.augment.test_augment import augmented, check_exposed
from whence.augment.records import other_records, split_at

# Records of a mark, a length, a time and a sum: no byte can be changed alone.
CLOCKS = """
#include <stdio.h>
static unsigned char in[256];
int main(void) {
    int size = fread(in, 1, sizeof in, stdin), at = 0, last = -1;
    while (at < size) {
        if (in[at] != '#')
            return puts("no mark"), 1;
        int length = in[at + 1], sum = 0;
        for (int k = 0; k <= length; k++)
            sum += in[at + 1 + k] * (k + 3);
        if ((sum & 255) != in[at + 2 + length])
            return puts("wrong sum"), 1;
        if (in[at + 2] < last)
            return puts("back"), 1;
        last = in[at + 2];
        at += 3 + length;
    }
    puts("done");
    return 0;
}
"""
TEST = r"printf '#\2\5a\377#\2\6b\10' | ./p"


def test_a_record_is_copied_whole(tmp_path: Path) -> None:
    (one,) = augmented(
        tmp_path, "in[at + 2] < last", "in[at + 2] <= last", TEST, source=CLOCKS, seconds=20
    ).changes
    check_exposed(tmp_path, one)


def test_records_are_cut_where_they_begin_or_a_few_bytes_before() -> None:
    found = {tuple(split_at(b"head#a#bc#d", (4, 6, 9), Random(seed))) for seed in range(50)}
    assert (b"head", b"#a", b"#bc", b"#d") in found
    assert (b"hea", b"d#", b"a#b", b"c#d") in found
    assert len(found) == 4


def test_blocks_are_repeated_copied_moved_and_left_out() -> None:
    pick = Random(1)
    found = {b"".join(other_records([b"1", b"2", b"3"], pick)) for _ in range(2000)}
    assert {b"1123", b"23", b"1223", b"123123", b"312", b"1231"} <= found
    assert all(set(text) <= set(b"123") for text in found)
