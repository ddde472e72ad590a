"""A text of the program reaches the failure through copies of it, and its length."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import check_chain, explain

# The text is chosen by a pointer, copied, and compared far from there.
CHOSEN = """
 #include <stdio.h>
 #include <stdlib.h>
 #include <string.h>
 #include <strings.h>

 static char *kept;

 static void parse(char **given)
 {
     char *text = *given;
     size_t length = strlen(text);
     kept = malloc(200);
     %s
     kept[length] = 0;
     *given = kept;
 }

 static int handle(char *type)
 {
     char *content = NULL;
     if (!content || !strchr(content, '/'))
         content = type;
     parse(&content);
     if (!strncasecmp(content, "text/", 5))
         return 1;
     puts("unpacked");
     return 0;
 }

 int main(void)
 {
-    char *type = "application/octet-stream";  // [right]
+    char *type = "text/plain";  // [wrong]
     handle(type);
     return 0;
 }
"""


@pytest.mark.parametrize(
    "copy",
    [
        "strncpy(kept, text, length);",
        "strcpy(kept, text);",
        "memcpy(kept, text, length);",
        'snprintf(kept, 200, "%s", text);',
        "for (size_t i = 0; i < length; i++) kept[i] = text[i];",
    ],
)
def test_a_text_that_is_copied_leads_to_the_failure(tmp_path: Path, copy: str) -> None:
    answer = explain(tmp_path, CHOSEN.replace("%s\n", f"{copy}\n"), "./program | grep -q unpacked")
    assert answer.explanation.result.status == "explained"
    assert not any(link.gap for link in answer.explanation.chain)
    check_chain(answer)


def test_a_text_that_a_call_compared_has_its_value_in_both_runs(tmp_path: Path) -> None:
    text = CHOSEN.replace("%s\n", "strcpy(kept, text);\n").replace(
        "strncasecmp(content", "strcmp(kept"
    )
    answer = explain(tmp_path, text.replace(', "text/", 5', ', "text/plain"'), "./program | grep u")
    link = next(link for link in answer.explanation.chain if "strcmp" in link.text)
    assert link.failing["kept"] == '"text/plain"'
    assert link.passing["kept"] == '"application/octet-stream"'


# A search in the text gives another result; no step wrote the text.
SEARCHED = """
 #include <string.h>
 static int digit(char c)
 {
-    const char *digits = "0123456789";  // [right]
+    const char *digits = "012345678";  // [wrong]
     const char *p = c ? strchr(digits, c) : 0;
     if (p)
         return p - digits;
     return -1;
 }
 int main(void)
 {
     const char *s = "39";
     int n = 0, d;
     while ((d = digit(*s++)) >= 0)
         n = 10 * n + d;
     return n != 39;
 }
"""


def test_a_text_that_a_call_searches_is_followed_to_its_line(tmp_path: Path) -> None:
    answer = explain(tmp_path, SEARCHED)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"right", "wrong"}
    assert answer.links[0] == "wrong"


# The table is read through a pointer; the code that reads it does not name it.
TABLE = """
 #include <assert.h>
 #include <string.h>
 struct entry { const char *name; int codes[3]; struct entry *next; };
 static struct entry first[] = {
     {"load", {1, 2, 3}, 0},
-    {"keep", {4, 5, 6}, 0},  // [right]
+    {"keep", {4, 9, 6}, 0},  // [wrong]
     {0, {0}, 0},
 };
 static struct entry second[] = {
     {"jump", {7}, 0},
     {0, {0}, 0},
 };
 static struct entry *known[4];
 static void add(struct entry *entry)
 {
     int codes[3];
     for (; entry->name; entry++) {
         memcpy(codes, entry->codes, sizeof codes);
         for (int i = 0; i < 3; i++)
             entry->codes[i] = codes[i] * 2;
         int at = entry->name[0] & 3;
         entry->next = known[at];
         known[at] = entry;
     }
 }
 static int code(const char *name, int number)
 {
     struct entry *entry = known[name[0] & 3];
     while (entry && strcmp(entry->name, name))
         entry = entry->next;
     return entry ? entry->codes[number] : -1;
 }
 int main(void)
 {
     add(first);
     add(second);
     int found = code("keep", 1);
     assert(found == 10);  // [fails]
     return 0;
 }
"""


def test_an_entry_of_a_table_behind_a_pointer_is_on_the_chain(tmp_path: Path) -> None:
    answer = explain(tmp_path, TABLE)
    assert answer.result.status == "explained", answer.result.reason
    assert answer.root == {"right", "wrong"}
    assert answer.links[0] == "wrong"
    assert "reads this part of `first`" in answer.chain[0].says
