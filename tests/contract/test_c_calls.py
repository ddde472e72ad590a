"""Are calls of C functions compared by what they read, return and change?"""

from __future__ import annotations

from pathlib import Path

import pytest

from whence.contract.session import ContractRequest, ContractSession
from whence.errors import UserError
from whence.model import ContractResult, ContractVerdict
from whence.subject.trial import BuildAndTest

from .two_versions import origins, verdict_on

GOOD = r"""
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LIMIT 100
enum color { RED, GREEN };
struct item { char name[16]; int qty; double price; unsigned flag : 3; struct item *next; };
struct cart { struct item *head; int count; };
static int calls;
static jmp_buf away;

static const int table[3] = {1, 2, 3};

int looked_up(int x) { return table[x]; }
int same(int x) { return x + 1; }
int changed(int x) { return x > 5 ? x : 0; }
void add(struct cart *c, const char *name, int qty) {
    struct item *i = malloc(sizeof *i);
    strncpy(i->name, name, 15); i->name[15] = 0;
    i->qty = qty; i->price = 2.5; i->flag = 1; i->next = c->head;
    c->head = i; c->count += 1;
}
double total(const struct cart *c) {
    double sum = 0;
    calls++;
    for (struct item *i = c->head; i; i = i->next) sum += i->qty * i->price;
    return sum;
}
int upper(char *s) { int n = 0; for (; *s; s++) if (*s >= 'a') { *s -= 32; n++; } return n; }
struct item *fresh(int qty) { struct item *i = calloc(1, sizeof *i); i->qty = qty; return i; }
enum color paint(int x) { return x ? GREEN : RED; }
const char *text(int x) { return x ? "yes" : "no"; }
void say(int x) { printf("x is %d\n", x); }
int caller(int x) { return changed(x) * 2; }
int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int jumps(int x) { if (x) longjmp(away, 1); return 0; }
int reader(void) { int c = getchar(); return c; }
int late(const struct cart *c) { return c->count * 2; }
int main(int argc, char **argv) {
    struct cart c = {0, 0};
    char buffer[32];
    int numbers[4] = {5, 3, 9, 1};
    for (int i = 0; i < 8; i++) { same(i); changed(i); caller(i); say(i); }
    for (int i = 1; i < argc; i++) add(&c, argv[i], i);
    printf("%g\n", total(&c));
    strcpy(buffer, "hello"); upper(buffer);
    looked_up(1); fresh(3); paint(1); text(1); late(&c);
    qsort(numbers, 4, sizeof *numbers, order);
    if (!setjmp(away)) jumps(argc);
    while (reader() != EOF) { }
    return numbers[0] + calls;
}
"""
BAD = (
    GOOD.replace("return x > 5 ? x : 0;", "return x > 3 ? x : 0;")
    .replace("c->count += 1;", "c->count += 2;")
    .replace("*s -= 32; n++;", "*s -= 31; n++;")
    .replace("i->qty = qty; return i;", "i->qty = qty + 1; return i;")
    .replace("x ? GREEN : RED", "x ? RED : GREEN")
    .replace("{1, 2, 3}", "{1, 5, 3}")
    .replace('"yes" : "no"', '"Yes" : "no"')
    .replace('"x is %d\\n"', '"x = %d\\n"')
)
TEST = "printf ab | ./program one two > /dev/null || true"


class Watched:
    """Two versions of a C program whose runs are watched once, and judged with many contracts."""

    def __init__(self, folder: Path, good: str, bad: str, name: str = "program.c") -> None:
        self.folder = folder
        for version, source in (("good", good), ("bad", bad)):
            (folder / version).mkdir()
            (folder / version / name).write_text(source)
        compiler = "$CXX" if name.endswith("cpp") else "$CC"
        commands = BuildAndTest(test=TEST, build=f"{compiler} -g -o program {name}")
        request = ContractRequest(str(folder / "good"), str(folder / "bad"), commands)
        (folder / "work").mkdir()
        self.session = ContractSession(request, folder / "work", lambda _: None)
        self.versions = self.session.open()
        self.runs = self.session.watched(self.versions)

    def result(self, contracts: str | None = None) -> ContractResult:
        files = []
        if contracts is not None:
            files = [self.folder / "contracts.txt"]
            files[0].write_text(contracts)
        found = self.versions.contracts(files)
        return self.session.judged(self.versions, self.runs, found)

    def verdict(self, contract: str, function: str = "changed") -> ContractVerdict:
        return verdict_on(self.result(f"function {function}\n{contract}"), function).verdict


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    return Watched(tmp_path_factory.mktemp("c"), GOOD, BAD)


@pytest.fixture(scope="module")
def result(watched: Watched) -> ContractResult:
    return watched.result()


def differs(result: ContractResult, function: str) -> str:
    first = verdict_on(result, function).first
    assert first is not None
    return "\n".join(first.differs)


def test_the_functions_where_differences_arise_are_named(result: ContractResult) -> None:
    assert set(origins(result)) == {
        *("changed", "add", "upper", "fresh", "paint", "text", "say"),
        "looked_up",  # its table was edited: the initial value is a part of the version
    }
    assert verdict_on(result, "caller").through == ("changed",)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        ("changed", "result: 0 before, 4 now"),
        ("add", "c->count: 1 before, 2 now"),
        ("upper", "s[0]: 'H' before, 'I' now"),
        ("fresh", "\\result->qty: 3 before, 4 now"),
        ("paint", "result: GREEN before, RED now"),
        ("text", 'result: "yes" before, "Yes" now'),
        ("say", "standard output: 'x is 0\\n' before, 'x = 0\\n' now"),
    ],
)
def test_what_differs_is_named_as_the_source_does(
    result: ContractResult, function: str, sentence: str
) -> None:
    assert sentence in differs(result, function)


@pytest.mark.parametrize("function", ["same", "total", "order", "jumps", "reader"])
def test_unchanged_functions_are_compared_and_the_same(
    result: ContractResult, function: str
) -> None:
    found = verdict_on(result, function)
    assert found.verdict is ContractVerdict.SAME
    assert found.compared > 0


def test_a_call_whose_state_differs_is_not_judged(result: ContractResult) -> None:
    """`late` reads the count that `add` left, which is another one."""
    found = verdict_on(result, "late")
    assert (found.compared, found.verdict) == (found.rerun, ContractVerdict.SAME)
    add = verdict_on(result, "add")
    assert (add.compared, add.rerun) == (2, 1)  # the second call begins with another count


def test_arguments_are_shown_with_what_they_point_to(result: ContractResult) -> None:
    first = verdict_on(result, "add").first
    assert first is not None
    assert first.arguments == {"c": "{head=NULL, count=0}", "name": '"one"', "qty": "1"}
    assert first.called_from == "program.c:45"


def test_a_suggestion_is_a_contract_that_the_calls_keep(watched: Watched) -> None:
    for function in origins(watched.result()):
        suggestion = verdict_on(watched.result(), function).suggestion
        assert suggestion is not None
        assert watched.verdict(suggestion, function) is ContractVerdict.KEPT, suggestion
    assert verdict_on(watched.result(), "changed").suggestion == (
        "changed_behavior\n  requires x >= 4 && x <= 5\n  ensures \\result > \\prev(\\result)"
    )


@pytest.mark.parametrize(
    ("function", "contract"),
    [
        ("changed", "changed_behavior"),
        ("changed", "requires x > 3 && x < 6\nensures \\result == x"),
        ("changed", "requires x / 4 == 1 && x % 4 < 2 || 0\nensures \\result > \\prev(\\result)"),
        ("changed", "when_ensured \\result == 0\nensures \\result == 0 || \\result < LIMIT"),
        ("add", "ensures c->count == \\prev(c->count) + 1 && \\old(c->count) + 2 == c->count"),
        ("add", "requires !strcmp(name, \"one\") || qty > 1\nensures c->head->qty == qty"),
        ("add", "ensures c->head->flag == 1 && (c->head->name[0] == 'o' || qty > 1)"),
        ("upper", "ensures strlen(s) == 5 && \\forall(i, 0, 5, s[i] == \\prev(s[i]) + 1)"),
        ("upper", "ensures \\exists(i, 0, 5, s[i] == 'I') && \\old(s[0]) == 'h'"),
        ("fresh", "ensures \\result->qty == \\prev(\\result->qty) + 1 && \\result->next == NULL"),
        ("paint", "ensures \\result == (x ? RED : GREEN)"),
        ("text", 'ensures !strcmp(\\result, "Yes") && !strcmp(\\prev(\\result), "yes")'),
        ("say", "changed_behavior"),
    ],
)  # fmt: skip
def test_a_contract_allows_what_it_says(watched: Watched, function: str, contract: str) -> None:
    assert watched.verdict(contract, function) is ContractVerdict.KEPT


@pytest.mark.parametrize(
    ("function", "contract", "verdict"),
    [
        ("changed", "ensures \\result == \\prev(\\result)", ContractVerdict.BROKEN),
        ("changed", "requires x == 4\nensures \\result == 4", ContractVerdict.CHANGED),
        ("add", "ensures c->count == \\prev(c->count)", ContractVerdict.BROKEN),
        ("same", "requires x > 1000", ContractVerdict.UNMATCHED),
        ("total", "ensures c->head->qty > 2", ContractVerdict.BROKEN),
    ],
)
def test_a_contract_allows_nothing_else(
    watched: Watched, function: str, contract: str, verdict: ContractVerdict
) -> None:
    assert watched.verdict(contract, function) is verdict


@pytest.mark.parametrize(
    ("contract", "message", "caret"),
    [
        ("ensures x ==", "this is no expression of C", None),
        ("ensures x == y", "'y' is unknown here; the parameters are: x", "y"),
        ("requires \\result > 0", "the result is not known at the start", None),
        ("ensures x->count == 1", "this clause cannot be evaluated", None),
        ("ensures 1 / (x - x) == 1", "division by zero", "1 / (x"),
        ("ensures same(x) == 1", "a contract cannot call same", "same"),
        ("requires \\latest(z)", "neither version has a parameter 'z'", "z"),
        (
            "changed_behavior\n requires x > 1\n ensures \\result == 1\n"
            "also changed_behavior\n requires x  >  1\n ensures \\result == 2",
            "two cases contradict each other",
            None,
        ),
    ],
)
def test_a_mistake_in_a_contract_is_shown(
    watched: Watched, contract: str, message: str, caret: str | None
) -> None:
    with pytest.raises(UserError) as error:
        watched.result(f"function changed\n{contract}")
    text = str(error.value)
    assert message in text
    assert "contracts.txt:" in text
    if caret is not None:
        lines = text.splitlines()
        at = next(n for n, line in enumerate(lines) if line.strip() == "^")
        assert lines[at - 1][lines[at].index("^") :].startswith(caret)


def test_good_against_good_reports_nothing(watched: Watched) -> None:
    result = watched.session.against_itself(watched.versions, watched.runs)
    assert {each.verdict for each in result.functions} == {ContractVerdict.SAME}
    assert verdict_on(result, "late").compared == 1


CXX = r"""
#include <stdexcept>
#include <string>
#include <vector>
struct Shape { int sides; virtual int area() const { return sides; } virtual ~Shape() {} };
struct Square : Shape { int width; Square(int w) { sides = 4; width = w; }
    int area() const override { return width * width; } };
class Bag {
    std::vector<int> items;
public:
    void put(int x) { if (x < 0) throw std::invalid_argument("negative"); items.push_back(x); }
    int sum() const { int s = 0; for (int x : items) s += x; return s; }
};
int twice(int &x) { x *= 2; return x; }
std::string join(const std::string &a, const std::string &b) { return a + " " + b; }
int main() {
    Bag bag; bag.put(3); bag.put(4);
    try { bag.put(-1); } catch (std::exception &) { }
    Square square(5);
    const Shape &shape = square;
    int x = 7; twice(x);
    join("a", "b");
    return bag.sum() + shape.area();
}
"""


def test_methods_references_and_exceptions_of_cxx_are_compared(tmp_path: Path) -> None:
    bad = (
        CXX.replace("return width * width;", "return width * width + 1;")
        .replace("x *= 2;", "x *= 3;")
        .replace("x < 0)", "x < -1)")
    )
    result = Watched(tmp_path, CXX, bad, "program.cpp").result()
    found = {name.rpartition("::")[2] for name in origins(result)}
    assert {"area", "twice", "put"} <= found
    assert "sum" not in found


PRINTED = r"""
#include <stdio.h>
static void put(const char *text) { fputs(text, stdout); }
int main(void) {
    char line[64];
    if (!fgets(line, sizeof line, stdin)) return 1;
    if (line[1] == 'x') line[0] = 'c';
    put(line);
    return 0;
}
"""


def test_a_function_that_prints_another_text_is_not_blamed(tmp_path: Path) -> None:
    """No recorded step reads the text that came from standard input: the output tells it."""
    result = Watched(tmp_path, PRINTED, PRINTED.replace("'x'", "'b'")).result()
    assert origins(result) == ["main"]


MIXED = r"""
#include <stdio.h>
#include <stdlib.h>
static int pad(void) { return 1; }
static double half(double x) { return x / 2; }
struct node { int kind; union { double value; double (*apply)(double); } u; void *more[1]; };
static struct node *made(int kind, void *more) {
    struct node *n = calloc(1, sizeof *n + sizeof(void *));
    n->kind = kind; n->more[1] = more;
    if (kind) n->u.apply = half; else n->u.value = 2.5;
    return n;
}
int main(void) {
    struct node *leaf = made(0, NULL), *top = made(1, (void *)half);
    printf("%g %d\n", top->u.apply(leaf->u.value), pad());
    return 0;
}
"""


def test_addresses_in_unions_and_trailing_arrays_are_not_compared_as_numbers(
    tmp_path: Path,
) -> None:
    """The code of the bad version is longer, so its functions lie elsewhere."""
    work = "int i, s = 0; for (i = 0; i < 3; i++) s += i % 2; return s;"
    result = Watched(tmp_path, MIXED, MIXED.replace("return 1;", work)).result()
    assert origins(result) == []
    assert verdict_on(result, "made").compared == 2


POOL = r"""
#include <stdio.h>
#include <stdlib.h>
struct slot { struct slot *next; long kind; };
struct db { long rows; long limit; char name[8]; double ratio; };
struct pool { struct slot *free; int out; char *space; };
static struct pool pool;
static void fill(struct pool *p, int count) {
    p->space = malloc(count * 64);
    for (int i = 0; i < count; i++) {
        struct slot *s = (struct slot *)(p->space + 64 * i);
        s->next = p->free;
        p->free = s;
    }
}
static void *take(struct pool *p) {
    struct slot *s = p->free;
    p->free = s->next;
    s->kind = 1;
    s->next = p->free;
    p->out++;
    return s + 1;
}
static void give(struct pool *p, struct db *d) {
    struct slot *s = (struct slot *)d - 1;
    s->next = p->free;
    p->free = s;
    p->out--;
}
static int neighbours(struct db *d) {
    struct slot *s = (struct slot *)d - 1;
    return s->kind == 1 && s->next != NULL;
}
static int changed(int x) { return x; }
int main(void) {
    struct db *all[4];
    fill(&pool, 6);
    for (int i = 0; i < 4; i++) { all[i] = take(&pool); all[i]->rows = changed(i); }
    printf("%d\n", neighbours(all[2]));
    give(&pool, all[1]); give(&pool, all[3]);
    printf("%d %d\n", pool.out, neighbours(all[0]));
    return 0;
}
"""


def test_what_lies_beside_an_object_of_a_pool_is_not_compared_as_its_neighbour(
    tmp_path: Path,
) -> None:
    """The bad version has a large static array, so the pool lies elsewhere."""
    use = "static char room[70000]; room[x] = 1; return x + room[x + 9];"
    result = Watched(tmp_path, POOL, POOL.replace("return x;", use)).result()
    assert origins(result) == []
    assert verdict_on(result, "give").compared == 2


def test_a_changed_table_is_named_for_the_function_that_reads_it(result: ContractResult) -> None:
    first = verdict_on(result, "looked_up").first
    assert first is not None
    assert [each.partition(" ")[0] for each in first.uses] == ["table"]
    changed = verdict_on(result, "changed").first
    assert changed is not None
    assert changed.uses == ()  # its own code differs


def test_a_function_that_a_macro_renames_is_compared(tmp_path: Path) -> None:
    source = (
        "#define half shop_half\n#define GETTER(x) static int get_##x(int n) { return n; }\n"
        "GETTER(a)\nint half(int n) { return n / 2; }\n"
        "int main(void) { get_a(1); return half(4) + half(5) > 9; }\n"
    )
    result = Watched(tmp_path, source, source.replace("n / 2", "(n + 1) / 2")).result()
    assert origins(result) == ["half"]
    assert verdict_on(result, "half").calls == 2


def test_overloaded_functions_are_judged_apart(tmp_path: Path) -> None:
    source = (
        "struct Till {\n    int sum = 0;\n    int add(int n) { return sum += n; }\n"
        "    int add(double n) { return sum += static_cast<int>(n * 100); }\n};\n"
        "int main() { Till till; till.add(1); till.add(2.0); return 0; }\n"
    )
    new = "    int add(char n) { return n; }\n    int add(int n)"
    bad = source.replace("n * 100", "n * 101").replace("    int add(int n)", new)
    result = Watched(tmp_path, source, bad, "program.cpp").result()
    found = {each.line: each.verdict for each in result.functions if "add" in each.function}
    assert found == {4: ContractVerdict.SAME, 5: ContractVerdict.CHANGED}
