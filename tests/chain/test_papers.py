"""Do programs of the shapes that FIC discusses have the chains that it derives?"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.chain.chaining import chain_of, check_chain

# The model program of section 2: a wrong constant reaches the output in two ways, and the chain
# shows one of them.
MODEL = """\
#include <stdio.h>
int main(void) {
    int tall, slow;
    int step = 1; // 1
    int wide = step << 1;
    if (step > 0) // 2
        tall = step << 2; // 3
    else
        tall = 0;
    slow = wide << 1;
    puts(slow + tall > 0 ? "True" : "False");
    return slow + tall > 0; // 4
}
"""


def test_the_chain_of_the_model_program_is_one_of_the_two_ways(tmp_path: Path) -> None:
    result = chain_of(tmp_path, MODEL, MODEL.replace("step = 1;", "step = 0;"))
    check_chain(
        result, MODEL, {"1": "step = 1 (passing: 0)", "2": "step > 0 = true (passing: false)"}
    )
    assert result.chain[0].is_root


MODEL_PYTHON = """\
def output(step):
    wide = step << 1
    if step > 0:
        tall = step << 2
    else:
        tall = 0
    slow = wide << 1
    return slow + tall > 0

step = 1
assert not output(step)
"""


def test_the_same_program_in_python_has_the_same_chain(tmp_path: Path) -> None:
    result = chain_of(tmp_path, MODEL_PYTHON, MODEL_PYTHON.replace("step = 1\n", "step = 0\n"))
    texts = [link.text for link in result.chain]
    assert texts[0] == "step = 1"
    assert texts[-1] == "assert not output(step)"
    assert "if step > 0:" in texts or "slow = wide << 1" in texts
    assert all(link.is_proved for link in result.chain)


# Section 3: what is harmless and only depends on the fault is no part of the chain.
HARMLESS = """\
#include <stdio.h>
int main(void) {
    int x = 1; // 1
    int z = x >= 0;
    int y = x + 1; // 2
    if (x >= 0)
        printf("%d\\n", y + 0 * z);
    return y != 1; // 3
}
"""


def test_right_values_that_depend_on_the_fault_are_no_part_of_the_chain(tmp_path: Path) -> None:
    result = chain_of(tmp_path, HARMLESS, HARMLESS.replace("int x = 1;", "int x = 0;"))
    check_chain(result, HARMLESS)


# Section 3, the second of the two small examples: the faulty statement runs twice, and the second
# time is the root.
SECOND_TIME = """\
#include <stdio.h>
int main(void) {
    int cell[2] = {7, 7};
    for (int i = 0; i < 2; i++)
        cell[i] = 0; // 1
    return cell[1] != 1; // 2
}
"""


def test_the_root_is_the_execution_that_matters(tmp_path: Path) -> None:
    result = chain_of(tmp_path, SECOND_TIME, SECOND_TIME.replace("= 0; // 1", "= i; // 1"))
    check_chain(result, SECOND_TIME, {"1": "cell[1] = 0 (passing: 1)"})


# The shape of grep -F -w: an option sets a flag, and far away the flag ends the search.
FLAG = """\
#include <stdio.h>
#include <string.h>
static int whole_words;
static int find(const char *line, const char *word) {
    const char *at = strstr(line, word);
    if (at == NULL)
        return -1;
    if (whole_words) // 3
        return -1; // 4
    return (int)(at - line);
}
int main(int argc, char **argv) {
    int found = 0;
    for (int i = 1; i < argc; i++)
        switch (argv[i][1]) { // 1
        case 'F': break;
        case 'w': whole_words = 1; break; // 2
        }
    int offset = find("one word", "word"); // 5
    if (offset != -1) // 6
        found = 1;
    printf("%d\\n", found); // 7
    return 0;
}
"""


def test_with_only_the_failing_program_a_branch_is_switched(tmp_path: Path) -> None:
    result = chain_of(tmp_path, FLAG, test="./program -F -w", expect="1\n")
    assert result.passing is not None
    assert result.passing.by == "switch"
    texts = [link.text for link in result.chain]
    assert any("whole_words)" in text for text in texts)
    assert texts[-3:] == [
        'int offset = find("one word", "word"); // 5',
        "if (offset != -1) // 6",
        'printf("%d\\n", found); // 7',
    ]


# The shape of gzip's suffix check: a name is copied, made lower case in a loop, and compared.
SUFFIX = """\
#include <stdio.h>
#include <string.h>
#define LONGEST 30
static char buffer[LONGEST + 1];
static void lower(char *text) {
    for (char *t = text; *t; t++)
        if (*t >= 'A' && *t <= 'Z')
            *t += 'a' - 'A';
}
static const char *suffix_of(const char *name) {
    int n = (int)strlen(name);
    if (n <= LONGEST)
        strcpy(buffer, name);
    else
        strcpy(buffer, "");
    lower(buffer);
    n = (int)strlen(buffer);
    if (n > 3 && strcmp(buffer + n - 3, ".gz") == 0)
        return ".gz";
    return NULL;
}
int main(int argc, char **argv) {
    const char *suffix = suffix_of(argv[argc - 1]);
    if (suffix != NULL)
        puts("already compressed");
    else
        puts("compressed");
    return 0;
}
"""


def test_a_chain_ends_where_the_program_gives_up(tmp_path: Path) -> None:
    result = chain_of(tmp_path, SUFFIX, test="./program -f IN.gz", expect="compressed\n")
    assert result.status == "explained"
    texts = [link.text for link in result.chain]
    assert "if (suffix != NULL)" in texts
    assert "const char *suffix = suffix_of(argv[argc - 1]);" in texts


# The shape of find's starting length: the first of two calls sets what the second must replace.
KEPT = """\
#include <stdio.h>
#include <string.h>
static int start;
static void visit(const char *name) {
    if (start == 0) // 1
        start = (int)strlen(name);
    printf("%.*s\\n", start, name);
}
int main(void) {
    visit("dir1");
    visit("directory");
    return start != 9; // 2
}
"""


def test_a_statement_that_did_not_run_is_explained_by_its_branch(tmp_path: Path) -> None:
    """The branch is switched, so that the second call replaces what the first one set."""
    text = KEPT.replace("start != 9", "0")
    result = chain_of(tmp_path, text, expect="dir1\ndirectory\n")
    first, *_, last = result.chain
    assert first.text.startswith("if (start == 0)")
    assert last.is_failure
    assert all(link.is_proved for link in result.chain)


def test_code_that_only_the_good_version_has_leaves_the_old_value_as_the_root(
    tmp_path: Path,
) -> None:
    good = KEPT.replace("if (start == 0)", "if (start == 0 || name[3] == 'e')")
    result = chain_of(tmp_path, KEPT, good)
    first, *_ = result.chain
    assert first.is_root
    assert [(m.failing, m.passing) for m in first.members] == [("4", "9")]
    assert "the passing run set another value" in first.says


PRINTED = """\
def level(n, quiet):
    shown = n
    if quiet:
        shown = 0
    return shown

quiet = True
print(level(3, quiet) + 4)
"""


def test_a_wrong_line_that_a_python_program_prints_is_explained(tmp_path: Path) -> None:
    good = PRINTED.replace("quiet = True", "quiet = False")
    result = chain_of(tmp_path, PRINTED, good, expect="7\n")
    texts = [link.text for link in result.chain]
    assert (texts[0], texts[-1]) == ("quiet = True", "print(level(3, quiet) + 4)")
    assert "shown = 0" in texts
    assert all(link.is_proved for link in result.chain)


DISCOUNT = """
def discount(total, member):
    if member and total > 200:  # 1
        return total * 10 / 100
    return 0

def bill(amounts, member):
    total = 0
    for amount in amounts:
        total += amount
    return total - discount(total, member)

def test_a_member_pays_less():
    assert bill([100, 50], True) == 135  # 2

if __name__ == "__main__":
    test_a_member_pays_less()
"""


@pytest.mark.parametrize("test", ["program.py", "-m pytest -q program.py"])
def test_what_a_call_inside_an_expression_returns_is_followed(tmp_path: Path, test: str) -> None:
    """The other return statement ran: the branch before it is the root."""
    good = DISCOUNT.replace("200", "100")
    result = chain_of(tmp_path, DISCOUNT, good, test=f"{sys.executable} {test}")
    check_chain(result, DISCOUNT)
    assert result.chain[0].is_root
    assert not [m.name for link in result.chain for m in link.members if "@" in m.name]
    assert not [link.says for link in result.chain if "@py" in link.says]


ITEMS = """\
def lines_of(count):
    text = str(count) + " days"  # 2
    return [text, "end"]

size = 3  # 1
for line in lines_of(size):  # 3
    print(line)  # 4
"""


def test_the_item_of_a_python_loop_comes_from_the_list(tmp_path: Path) -> None:
    """The loop goes on in both runs: what matters is which item it gives."""
    result = chain_of(
        tmp_path, ITEMS, ITEMS.replace("size = 3", "size = 4"), expect="4 days\nend\n"
    )
    texts = [link.text for link in result.chain]
    assert texts[0].startswith("size = 3")
    assert any(text.startswith("text = ") for text in texts)
    assert [link.is_root for link in result.chain].index(True) == 0
