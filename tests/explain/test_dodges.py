"""Is the fault the root where another change can be reverted instead?

In each program one change is at fault.  Another one can be reverted alone: then the test passes,
but not in the way of the good version.  The functions where the runs part are left aside here, for
they lead to some of these faults at once.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import ExplainedPair, explain, explain_python
from whence.explain.candidates import CandidateChanges
from whence.report.explanation import passes


@pytest.fixture(autouse=True)
def only_causes_lead_to_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CandidateChanges, "where_runs_part", lambda _: ())


MASKED = """
     #include <stdio.h>
     static int bad_lines;
     static int value(const char *text) {
         int number = 0;
         for (; *text; text++) {
    -        if (*text < '0' || *text > '9') {  // [fault]
    +        if (*text <= '0' || *text > '9') {  // [fault]
                 bad_lines++;
                 return 0;
             }
             number = number * 10 + (*text - '0');
         }
         return number;
     }
     int main(void) {
         int sum = value("12") + value("30") + value("7");
         fprintf(stderr, "%d\\n", sum);
    -    return bad_lines > 1;  // [mask]
    +    return bad_lines > 0;  // [mask]
     }
"""
# With the early return back, the status is right; what the fault made the program write is not.
MASKED_STATUS = """
     #include <stdio.h>
     struct owner { int bytes, quota, is_over; };
     static struct owner owners[] = {{43, 60, 0}, {17, 20, 0}, {10, 60, 0}};
     static void check(struct owner *owner) {
    -    owner->is_over = owner->bytes > owner->quota;  // [fault]
    +    owner->is_over = owner->bytes >= owner->quota - 3;  // [fault]
     }
     static int over(void) {
         int found = 0;
         for (int i = 0; i < 3; i++)
             found += owners[i].is_over;
         if (found > 3)
             found = 3;
         return found;
     }
     int main(int argc, char **argv) {
         for (int i = 0; i < 3; i++) {
             check(&owners[i]);
             printf("%d%s\\n", owners[i].bytes, owners[i].is_over ? " over" : "");
         }
    -    if (argc == 1)  // [dodge]
    -        return 0;  // [dodge]
         return over() ? 1 : 0;  // [fails]
     }
"""
ERROR_PATH = """
     #include <stdio.h>
     #include <stdlib.h>
     #include <string.h>
     static const char *names[] = {"red", "green", "blue"};
     static int find(const char *wanted) {
    -    for (int i = 0; i < 3; i++)  // [fault]
    +    for (int i = 0; i < 2; i++)  // [fault]
             if (strcmp(names[i], wanted) == 0)
                 return i;
    -    return 0;  // [strict]
    +    exit(3);  // [strict]
     }
     int main(void) {
         int place = find("blue");
         fprintf(stderr, "place %d\\n", place);
         return 0;
     }
"""
SKIPPED = """
     #include <assert.h>
     static int prices[] = {30, 45, 20};
     static int is_ready;
     static int discount(int price) {
    -    return price / 10;  // [fault]
    +    return price * 10;  // [fault]
     }
     static void start(void) {
    -    is_ready = 1;  // [flag]
    +    prices[0] += 0;
     }
     static void check(void) {
    -    if (!is_ready)  // [guard]
    -        return;  // [guard]
         int total = 0;
         for (int i = 0; i < 3; i++) {
             int price = prices[i] - discount(prices[i]);
             total += price;
         }
         assert(total > 0);  // [fails]
     }
     int main(void) {
         start();
         check();
         return 0;
     }
"""
NEW_FUNCTION = """
     #include <assert.h>
    +static int may_enter(int age, int limit) {  // [new]
    +    if (age == 0)  // [new]
    +        return 0;  // [new]
    +    return age < limit;  // [new]
    +}  // [new]
     static int count(const int *ages, int n) {
         int found = 0;
         for (int i = 0; i < n; i++)
    -        if (ages[i] >= 18)  // [call]
    +        if (may_enter(ages[i], 18))  // [call]
                 found++;
         return found;
     }
     int main(void) {
         int ages[] = {12, 20, 44};
         assert(count(ages, 3) == 2);  // [fails]
         return 0;
     }
"""
NEW_STRUCT = """
     #include <assert.h>
    +struct box { int width, height; };  // [new]
    +static struct box box;  // [new]
    +static void fill(struct box *box, int size) {  // [new]
    +    box->width = size;  // [new]
    +    if (size > 100)  // [new]
    +        box->height = size;  // [new]
    +}  // [new]
     static int area(int size) {
    -    return size * size;  // [call]
    +    fill(&box, size);  // [call]
    +    return box.width * box.height;  // [call]
     }
     int main(void) {
         assert(area(3) == 9);  // [fails]
         return 0;
     }
"""
# The check is in new lines that the fixed run enters as well, through `expand`.
ENTERED_TWICE = """
     #include <assert.h>
     #include <stdlib.h>
    -static int name_length(const char *text);  // [proto]
    +static int name_length(const char *text, int is_host);  // [proto]
    +static int is_reserved(int c) {  // [letters]
    +    return c == ';' || c == '@';  // [letters]
    +}  // [letters]
    +static int is_allowed(int c) {  // [letters]
    +    if (c >= 'a' && c <= 'z')  // [letters]
    +        return 1;  // [letters]
    +    return c == '-' || c == '.';  // [letters]
    +}  // [letters]
    -int expand(const char *text, char **out) {  // [head]
    +int validated(const char *text, char **out, int is_host) {  // [head]
         int at = 0;
    -    int length = name_length(text);  // [passes]
    +    int length = name_length(text, is_host);  // [passes]
         if (length < 0)
             return 8;
         *out = malloc(length + 1);
         for (; *text; text++) {
    -        if (*text == '.')
    +        if (is_reserved(*text))
                 (*out)[at++] = '\\\\';
             (*out)[at++] = *text;
         }
         (*out)[at] = 0;
         return 0;
     }
    +int expand(const char *text, char **out) {  // [wrapper]
    +    return validated(text, out, 0);  // [wrapper]
    +}  // [wrapper]
    -static int name_length(const char *text) {  // [sign]
    +static int name_length(const char *text, int is_host) {  // [sign]
         int n = 0;
         for (; *text; text++) {
    -        n += *text == '.' ? 2 : 1;  // [check]
    +        if (is_reserved(*text)) {  // [check]
    +            if (is_host)  // [check]
    +                return -1;  // [check]
    +            n += 2;  // [check]
    +        } else {  // [check]
    +            if (is_host && !is_allowed(*text))  // [check]
    +                return -1;  // [check]
    +            n += 1;  // [check]
    +        }  // [check]
         }
         return n;
     }
    -int response(const char *text, char **out) {  // [call]
    -    int status = expand(text, out);  // [call]
    +int response(const char *text, char **out, int is_host) {  // [call]
    +    int status = validated(text, out, is_host);  // [call]
         if (status == 8)
             status = 10;
         return status;
     }
     int main(void) {
         char *name;
    -    int status = response("*.example", &name);  // [main]
    +    int status = response("*.example", &name, 1);  // [main]
         assert(status == 0);  // [fails]
         return 0;
     }
"""
# Only the strict version tells that nothing was found; the loose one goes on.
ERROR_TOLD = """
     #include <stdio.h>
     #include <string.h>
     static const char *names[] = {"red", "green", "blue"};
     static int count;
     static int find(const char *wanted) {
    -    for (int i = 0; i < 3; i++)  // [fault]
    +    for (int i = 0; i < 2; i++)  // [fault]
             if (strcmp(names[i], wanted) == 0)
                 return i;
         return -1;
     }
     static int paint(const char *name) {
         int place = find(name);
         if (place < 0) {
             fprintf(stderr, "no colour %s\\n", name);
    -        return 0;  // [strict]
    +        return 1;  // [strict]
         }
         count += place;
         return 0;
     }
     int main(void) {
         int failed = paint("red");
         failed |= paint("blue");
         return failed ? 2 : 0;
     }
"""
PYTHON_PIECE = """
     signs = {"$": "USD", "#": "GBP"}
     def amount(text):
         for sign, name in signs.items():
             if text.startswith(sign):
    -            return name, text[len(sign):].strip()  # [fault]
    +            rest = text[len(sign):].replace(".", "")  # [fault]
    +            return name, rest.strip()  # [fault]
         return "EUR", text
     def cents(text):
         name, rest = amount(text)
         if not rest[0].isdigit():
             return 0
         return int(float(rest) * 100)
     found = cents("$4.50")
     assert found < 1000  # [fails]
"""
# The new parser is right; the expression that it matches with takes in the next line.
PYTHON_PATTERN = """
     import re
    +
    +SETTING = re.compile(r"(\\w+)[ ]*=\\s*(.*)")  # [pattern]
    +
     class Settings:
         def __init__(self, text):
             self.text = text
         def pairs(self):
    -        for line in self.text.splitlines():  # [loop]
    -            name, _, value = line.partition("=")  # [loop]
    -            yield name.strip(), value.strip()  # [loop]
    +        at = 0  # [loop]
    +        while (match := SETTING.search(self.text, at)) is not None:  # [loop]
    +            yield match.groups()  # [loop]
    +            at = match.end()  # [loop]
     found = dict(Settings("depth=\\nwidth=4\\n").pairs())
     assert found == {"depth": "", "width": "4"}, found  # [fails]
"""
PYTHON_NEW_FUNCTION = """
     limits = {"food": 30}
    +def is_over(name, sum):  # [new]
    +    if name not in limits:  # [new]
    +        return False  # [new]
    +    return sum < limits[name]  # [new]
     def exceeded(sums):
         found = []
         for name, sum in sums.items():
    -        if name in limits and sum > limits[name]:  # [call]
    +        if is_over(name, sum):  # [call]
                 found.append(name)
         return found
     assert exceeded({"food": 20, "rent": 800}) == []  # [fails]
"""
# Without [level], each of the words is read in the careful way.  Both ways are executed anyway.
PYTHON_OTHER_CALLS = """
    -is_counted = False
    +is_counted = True
     counted = []
     class Word:
         def __init__(self, least):
             self.least, self.level = least, 0
    -        if least == 1:  # [guard]
    +        if least >= 1:  # [guard]
    -            self.level = 1  # [level]
    +            self.level = 2  # [level]
         def reads(self, text):
    -        if self.level > 0:  # [quick]
    +        if self.level > 1:  # [quick]
                 return len(text) > 0
             return len(text) >= self.least
     class Mark(Word):
         def __init__(self):
             self.least, self.level = 1, 3
     for word in (Mark(), Word(0), Word(1), Word(1)):
         word.reads("ab")
         if is_counted:
             counted.append(word)
     assert not Word(3).reads("ab")  # [fails]
"""


def check_dodge(answer: ExplainedPair, fault: str, dodge: str) -> None:
    """Check that the fault is the root, and the dodge an alternative that is called one."""
    assert answer.root == {fault}
    assert fault in answer.links
    dodges = [other for other in answer.explanation.alternatives if other.is_dodge]
    assert [answer.names(other.root) for other in dodges] == [{dodge}]
    assert dodges[0].why.startswith("with it reverted, the run ")


@pytest.mark.parametrize(
    ("text", "dodge"), [(MASKED, "mask"), (MASKED_STATUS, "dodge"), (ERROR_PATH, "strict")]
)
def test_a_change_that_hides_the_fault_is_a_dodge(tmp_path: Path, text: str, dodge: str) -> None:
    check_dodge(explain(tmp_path, text), "fault", dodge)


def test_a_guard_that_skips_the_work_is_not_the_root(tmp_path: Path) -> None:
    assert explain(tmp_path, SKIPPED).root == {"fault"}


# The new call stands where the good version has a condition of several parts.
NEW_CONDITION = """
     #include <assert.h>
     #include <stdio.h>
     #include <string.h>
     struct node { int kind; char text[40]; };
     static struct node nodes[4];
     static int used;
     static struct node *text_node(const char *text) {
         struct node *node = &nodes[used++];
         node->kind = 1;
         strcpy(node->text, text);
         return node;
     }
     static struct node *file_node(const char *name) {
         struct node *node = &nodes[used++];
         node->kind = 2;
         sprintf(node->text, "<%s>", name);
         return node;
     }
    +static int names_file(const char *word) {  // [new]
    +    if (*word == '@')  // [new]
    +        return 1;  // [new]
    +    if (*word != ':')  // [new]
    +        return 0;  // [new]
    +    return word[1] == '=';  // [new]
    +}  // [new]
     static struct node *make(const char *word) {
         if (*word == '+') {
             word++;
         } else {
    -        if (*word == '@' || *word == '%' || *word == ':') {  // [call]
    +        if (names_file(word)) {  // [call]
                 struct node *node = file_node(word + 1);
                 if (*word == '%')
                     node->kind = 3;
                 return node;
             }
         }
         return text_node(word);
     }
     int main(void) {
         struct node *node = make(":x");
         assert(node->kind == 2);  // [fails]
         return 0;
     }
"""


def test_a_new_function_in_the_place_of_a_condition_is_on_the_chain(tmp_path: Path) -> None:
    answer = explain(tmp_path, NEW_CONDITION)
    assert answer.root == {"new", "call"}
    [link] = [link for link in answer.chain if link.text.strip() == "return word[1] == '=';"]
    assert "this line is new" in link.says.lower()


# Without the case of the new instruction, the instructions that the fault adds have no effect.
NEW_CASE = """
     #include <assert.h>
     #include <stdio.h>
     enum { PUSH, ADD, MUL, NOTE, HALT, EARLY };
     static int code[64], length, stack[16];
     static void put(int word) { code[length++] = word; }
     static void operation(int left, int operation, int right) {
         int early = 0;
         put(PUSH);
         put(left);
    +    if (operation != NOTE) {  // [fault]
    +        put(EARLY);  // [fault]
    +        early = length++;  // [fault]
    +    }  // [fault]
         put(PUSH);
         put(right);
         put(operation);
    +    if (early)  // [fault]
    +        code[early] = length;  // [fault]
     }
     static int run(void) {
         int at = 0, top = 0;
         for (;;) {
             int op = code[at++];
             switch (op) {
             case PUSH: stack[top++] = code[at++]; break;
             case ADD: top--; stack[top - 1] += stack[top]; break;
             case MUL: top--; stack[top - 1] *= stack[top]; break;
             case HALT: return stack[top - 1];
    +        case EARLY:  // [case]
    +            at = stack[top - 1] ? at + 1 : code[at];  // [case]
    +            break;  // [case]
             default: at++; break;
             }
         }
     }
     int main(void) {
         operation(0, ADD, 3);
         put(NOTE);
         put(0);
         put(HALT);
         assert(run() == 3);  // [fails]
         return 0;
     }
"""


def test_what_prepares_a_new_instruction_is_the_root_and_not_its_case(tmp_path: Path) -> None:
    """With the case reverted, lines run more often than in the good version."""
    answer = explain(tmp_path, NEW_CASE)
    assert answer.root == {"fault"}
    assert answer.result.status == "explained"
    [dodge] = [other for other in answer.explanation.alternatives if other.is_dodge]
    assert answer.names(dodge.root) == {"case"}
    assert "more often than the good version" in dodge.why


# What the new function does not write moves all that is written after it.
NEW_PADDING = """
     #include <stdio.h>
     #include <string.h>
    +static char *pad(char *at, int by, int gaps, int *phase) {  // [new]
    +    *phase += by;  // [new]
    +    while (*phase > gaps) {  // [new]
    +        *at++ = ' ';  // [new]
    +        *phase -= gaps;  // [new]
    +    }  // [new]
    +    return at;  // [new]
    +}  // [new]
     static char line[80];
     static void fill(const char *const *words, int count, int extra) {
         char *at = line;
         int gaps = count - 1, phase = gaps / 2;
         for (int i = 0; i < count; i++) {
             memcpy(at, words[i], strlen(words[i]));
             at += strlen(words[i]);
             if (i + 1 == count)
                 break;
             *at++ = ' ';
    -        phase += extra;  // [call]
    -        while (phase >= gaps) {  // [call]
    -            *at++ = ' ';  // [call]
    -            phase -= gaps;  // [call]
    -        }  // [call]
    +        at = pad(at, extra, gaps, &phase);  // [call]
         }
     }
     int main(void) {
         const char *words[] = {"then", "it", "sleeps", "for", "a", "while"};
         fill(words, 6, 4);
         puts(line);  // [fails]
         return 0;
     }
"""


def test_a_new_function_that_moves_the_text_after_it_is_on_the_chain(tmp_path: Path) -> None:
    test = "test \"$(./program)\" = 'then  it  sleeps for  a  while'"
    answer = explain(tmp_path, NEW_PADDING, test)
    assert answer.root == {"new", "call"}
    assert answer.result.status == "explained", answer.result.reason
    assert any(link.text.strip() == "return at;" for link in answer.chain)


@pytest.mark.parametrize("text", [NEW_FUNCTION, NEW_STRUCT])
def test_a_faulty_new_function_is_in_the_root_and_on_the_chain(tmp_path: Path, text: str) -> None:
    answer = explain(tmp_path, text)
    assert answer.root == {"new", "call"}
    assert "new" in answer.links
    assert answer.explanation.dodged is not None
    assert passes(answer.explanation) == "With them reverted, the test passes."


def test_the_chain_shows_the_faulty_line_of_a_new_function(tmp_path: Path) -> None:
    answer = explain(tmp_path, NEW_FUNCTION)
    [link] = [link for link in answer.chain if link.text.strip() == "return age < limit;"]
    assert "this line is new" in link.says.lower()


def test_a_faulty_function_that_the_fixed_run_enters_in_another_way_is_the_root(
    tmp_path: Path,
) -> None:
    answer = explain(tmp_path, ENTERED_TWICE)
    assert answer.root == {"check"}
    assert "check" in answer.links
    [dodge] = [other for other in answer.explanation.alternatives if other.is_dodge]
    assert answer.names(dodge.root) == {"main"}


def test_the_place_where_an_error_is_told_does_not_replace_the_fault(tmp_path: Path) -> None:
    check_dodge(explain(tmp_path, ERROR_TOLD), "fault", "strict")


def test_a_piece_of_a_block_that_makes_python_return_a_default_is_not_enough(
    tmp_path: Path,
) -> None:
    answer = explain_python(tmp_path, PYTHON_PIECE)
    assert answer.root == {"fault"}
    assert any(b"replace" in hunk.added for change in answer.result.root for hunk in change.hunks)


def test_of_two_sets_whose_runs_execute_the_same_lines_the_calls_decide(tmp_path: Path) -> None:
    assert explain_python(tmp_path, PYTHON_OTHER_CALLS).root == {"guard"}


def test_a_faulty_new_function_of_python_is_in_the_root_and_on_the_chain(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, PYTHON_NEW_FUNCTION)
    assert answer.root == {"new", "call"}
    assert any(link.text.strip() == "return sum < limits[name]" for link in answer.chain)


def test_a_faulty_constant_that_only_new_code_reads_is_in_the_root(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, PYTHON_PATTERN)
    assert answer.root == {"pattern", "loop"}
    assert "pattern" in answer.links
    assert answer.explanation.dodged is not None
