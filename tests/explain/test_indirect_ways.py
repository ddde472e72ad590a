"""Do causes lead through tables of functions, files that are read back, and a damaged heap?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import explain
from whence.explain.candidates import CandidateChanges


@pytest.fixture(autouse=True)
def only_causes_lead_to_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CandidateChanges, "where_runs_part", lambda _: ())


OTHER_ENTRY = """
     #include <stdio.h>
     static int total;
     static void keep(void) { total += 1; }
     static void drop(void) { total -= 1; }
     static void stop(void) { fprintf(stderr, "%d\\n", total); }
     typedef void action(void);
     static action *const table[2][3] = {
    -    {keep, drop, stop},  // [row]
    +    {keep, keep, stop},  // [row]
         {drop, keep, stop},
     };
     int main(void) {
         static const int inputs[] = {0, 1, 0, 2};
         for (int i = 0; i < 4; i++)
             table[0][inputs[i]]();
         return total != 1;
     }
"""
# The state is not left, so another entry of the table is called, which ends the program.
OTHER_STATE = """
     #include <stdlib.h>
     static int state, count;
     static void text(void) { count++; }
     static void begin(void) { state = 1; }
     static void end(void) {
    -    state = 0;  // [reset]
     }
     static void done(void) { exit(count != 2); }
     static void open_end(void) { exit(3); }
     typedef void action(void);
     static action *const table[2][4] = {
         {text, begin, end, done},
         {text, begin, end, open_end},
     };
     int main(void) {
         static const int inputs[] = {0, 1, 2, 0, 3};
         for (int i = 0; ; i++)
             table[state][inputs[i]]();
     }
"""
READ_BACK = """
     #include <stdio.h>
     static FILE *kept;
     static long places[4];
     static void put(int number, const char *text) {
         places[number] = ftell(kept);
         fprintf(kept, "%-8s", text);
     }
     static int first_byte(int number) {
         char text[8];
         fseek(kept, places[number], SEEK_SET);
         if (fread(text, 1, 8, kept) != 8)
             return -1;
         return text[0];
     }
     static int chosen(int wanted) {
    -    return wanted % 4;  // [choice]
    +    return wanted % 3;  // [choice]
     }
     int main(void) {
         kept = tmpfile();
         put(0, "alpha");
         put(1, "beta");
         put(2, "gamma");
         put(3, "delta");
         return first_byte(chosen(3)) != 'd';
     }
"""
WRITTEN_WRONG = """
     #include <stdio.h>
     int main(void) {
         FILE *kept = tmpfile();
         int values[3];
         for (int i = 0; i < 3; i++) {
    -        int value = i * 10;  // [value]
    +        int value = i * 10 + (i == 2);  // [value]
             fwrite(&value, sizeof value, 1, kept);
         }
         rewind(kept);
         if (fread(values, sizeof *values, 3, kept) != 3)
             return 2;
         return values[2] != 20;
     }
"""
OVERRUN = """
     #include <stdlib.h>
     #include <string.h>
     struct list {
         int size;
         int used;
         long *items;
     };
     static void make(struct list *list, int size) {
    -    list->size = size + 1;  // [size]
    +    list->size = size - 9;  // [size]
         list->items = malloc(list->size * sizeof *list->items);
         list->used = 0;
     }
     static void fill(struct list *list, int count) {
         for (int i = 0; i < count; i++)
             list->items[list->used++] = -1 - i;
     }
     int main(void) {
         struct list list;
         char *other;
         make(&list, 40);
         other = malloc(100);
         fill(&list, 40);
         memset(other, 0, 10);
         free(list.items);
         free(other);
         return 0;
     }
"""
# Two assignments of one sort on one line: the second is kept.
ONE_OF_TWO = """
     static int run(const char *text) {
         int is_open = 0, depth = 0, found = 0;
         for (; *text; text++)
             switch (*text) {
             case '(':
                 is_open = 1; depth = 1;
                 break;
             case ';':
    -            is_open = 0; depth = 0;  // [both]
    +            depth = 0;  // [both]
                 break;
             default:
                 if (is_open != 0)
                     found++;
             }
         return found + depth;
     }
     int main(void) {
         return run("(a;b(;c") != 1;
     }
"""


@pytest.mark.parametrize(
    ("program", "culprit"),
    [
        (OTHER_ENTRY, "row"),
        (OTHER_STATE, "reset"),
        (READ_BACK, "choice"),
        (WRITTEN_WRONG, "value"),
        (OVERRUN, "size"),
        (ONE_OF_TWO, "both"),
    ],
    ids=["entry", "state", "place", "content", "heap", "line"],
)
def test_the_fault_is_the_root_and_leads_to_the_failure(
    tmp_path: Path, program: str, culprit: str
) -> None:
    answer = explain(tmp_path, program)
    assert answer.root == {culprit}
    assert not any(link.gap for link in answer.chain)
    assert culprit in answer.links


def test_the_write_beyond_a_block_is_the_failure(tmp_path: Path) -> None:
    answer = explain(tmp_path, OVERRUN)
    assert "wrote beyond the memory that" in answer.chain[-1].says
    assert answer.chain[-1].text == "list->items[list->used++] = -1 - i;"
