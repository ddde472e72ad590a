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
