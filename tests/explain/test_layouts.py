"""Is a failure explained that the build to be recorded does not show by itself?"""

from __future__ import annotations

from pathlib import Path

from tests.explain.explaining import explain

# What happens to be on the stack depends on the compiler.  Here the build says what it is.
LITTER = """
     static void litter(int value) {
         volatile int junk[64];
         for (int i = 0; i < 64; i++)
             junk[i] = value;
     }
"""
UNSET = f"""
     #include <stdio.h>
{LITTER}
     static int count(int n) {{
    -    int extra = 0;  // [fault]
    +    int extra;  // [fault]
         if (n > 3)
             extra = 1;
         return n + extra;
     }}
     int main(void) {{
         litter(LUCK);
         return count(2) != 2;
     }}
"""
PLAIN_ONLY = """
     int main(void) {
    -    int factor = 0;  // [fault]
    +    int factor = 1;  // [fault]
         return factor * LUCK;
     }
"""
BUILD = "case $CC in *whence-cc) L=0;; *) L=9;; esac; $CC -g -w -DLUCK=$L -o program program.c"


def test_a_layout_is_found_in_which_the_recorded_build_fails(tmp_path: Path) -> None:
    answer = explain(tmp_path, UNSET, build=BUILD, harmless=False)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"fault"}
    assert answer.link("fault").failing["extra"] == str(-0x55555556)  # the pattern 0xAAAAAAAA
    assert any("layout filled" in note for note in answer.result.notes)


def test_without_such_a_layout_the_result_says_that_only_the_plain_build_fails(
    tmp_path: Path,
) -> None:
    answer = explain(tmp_path, PLAIN_ONLY, build=BUILD, harmless=False)
    assert answer.result.status == "isolated"
    assert answer.root == {"fault"}
    assert answer.result.reason is not None
    assert "passes although its plain build fails" in answer.result.reason
