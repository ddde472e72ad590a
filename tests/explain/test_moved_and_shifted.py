"""Are sorted pointers, shifted reads, and a destroyed return address explained?

The fault changes none of the values that the failure shows: it changes which element, which part of
the input, or which memory the code works on.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import explain

# The comparator is turned; the array holds pointers, so only what they point to differs.
SORTED = """
     #include <stdio.h>
     #include <stdlib.h>
     struct job { int number; int weight; };
     static struct job jobs[4] = {{10, 3}, {11, 9}, {12, 1}, {13, 5}};
     static int compared(const void *one, const void *other) {
         const struct job *first = *(struct job *const *)one;
         const struct job *second = *(struct job *const *)other;
    -    return first->weight < second->weight ? -1 : 1;  // [order]
    +    return second->weight > first->weight ? 1 : -1;  // [order]
     }
     int main(void) {
         struct job *sorted[4];
         for (int i = 0; i < 4; i++)
             sorted[i] = &jobs[i];
         qsort(sorted, 4, sizeof *sorted, compared);
         return sorted[0]->number != 12;
     }
"""
# A nested reader takes the rest of the input, because the depth was not lowered before.
SHIFTED = """
     #include <stdio.h>
     #include <string.h>
     static int depth;
     static void skip(void) {
         char line[40];
         while (fgets(line, sizeof line, stdin) && strcmp(line, "end\\n") != 0)
             ;
     }
     static void command(const char *line) {
         if (strcmp(line, "begin\\n") == 0)
             depth++;
         else if (strcmp(line, "end\\n") == 0)
    -        depth--;  // [lowered]
    +        ;  // [lowered]
         else if (strcmp(line, "bad\\n") == 0 && depth > 0)
             skip();
     }
     int main(void) {
         char line[40];
         int count = 0;
         while (fgets(line, sizeof line, stdin)) {
             command(line);
             count += line[0] == 'x';
         }
         return count != 3;
     }
"""
# A reader takes a fixed number of bytes of each record; the number is too large.
LARGER = """
     #include <stdio.h>
     static int size(int kind) {
    -    return kind == 'a' ? 1 : 2;  // [size]
    +    return kind == 'a' || kind == 'b' ? 1 : 2;  // [size]
     }
     int main(void) {
         char bytes[8];
         int kind = 0, found = 0;
         while ((kind = getchar()) != EOF) {
             fread(bytes, 1, size(kind), stdin);
             if (kind == 'c')
                 found = bytes[1];
         }
         return found != 'y';
     }
"""
# The callback gets a part of the structure, and writes over where main's caller is returned to.
OVER_THE_FRAME = """
     #include <string.h>
     struct sums { long cents; long parcels; };
     struct billed { struct sums all; struct sums of[3]; };
     static void add(int kind, void *context) {
         struct billed *billed = context;
         billed->of[kind].cents += 5000000;
         billed->of[kind].parcels += 7000000;
     }
     static void each(void (*visit)(int, void *), void *context) {
         for (int i = 0; i < 3; i++)
             visit(i, context);
     }
     static int bill(void) {
         struct billed billed;
         memset(&billed, 0, sizeof billed);
    -    each(add, &billed);  // [context]
    +    each(add, &billed.of[0]);  // [context]
         return 0;
     }
     int main(void) { return bill(); }
"""

# The lambda adds to its own copy, at a line that did not change.
CAPTURED = """
     #include <functional>
     static int numbers[4] = {3, 5, 7, 9};
     static void each(const std::function<void(int)> &visit) {
         for (int i = 0; i < 4; i++)
             visit(numbers[i]);
     }
     static int total() {
         int sum = 0, count = 0;
    -    each([&](int number) {  // [captures]
    +    each([&, sum](int number) mutable {  // [captures]
             sum += number;
             count++;
         });
         return sum + count;
     }
     int main() {
         return total() != 28;
     }
"""


@pytest.mark.parametrize(
    ("program", "test", "culprit"),
    [
        (SORTED, "./program", "order"),
        (SHIFTED, r"printf 'x\nbegin\nx\nend\nbad\nx\n' | ./program", "lowered"),
        (LARGER, "printf 'a1b22cxy' | ./program", "size"),
        (OVER_THE_FRAME, "./program", "context"),
    ],
    ids=["sorted", "shifted", "larger", "frame"],
)
def test_the_fault_leads_to_the_failure(
    tmp_path: Path, program: str, test: str, culprit: str
) -> None:
    answer = explain(tmp_path, program, test=test)
    assert answer.root == {culprit}
    assert not any(link.gap for link in answer.chain)
    assert culprit in answer.links


def test_the_write_over_a_frame_is_the_failure(tmp_path: Path) -> None:
    answer = explain(tmp_path, OVER_THE_FRAME)
    assert "wrote beyond local variables, and over where" in answer.chain[-1].says
    assert answer.chain[-1].text.startswith("billed->of[kind].")


def test_a_variable_that_a_lambda_copied_is_not_written(tmp_path: Path) -> None:
    build = "$CXX -g -w -std=c++17 -o program program.cc"
    answer = explain(tmp_path, CAPTURED, build=build, file="program.cc")
    assert answer.root == {"captures"}
    assert not any(link.gap for link in answer.chain)
    assert "captures" in answer.links
