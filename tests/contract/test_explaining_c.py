"""Does `--explain FUNCTION` explain a differing call of C and C++, and refuse what it cannot?"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from whence.contract.c_call_test import call_check
from whence.contract.c_checked_source import NotCheckableError, checked_source
from whence.contract.judging import Judge
from whence.model import ContractFunction

from .test_c_calls import Watched
from .test_explaining import run

C = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
enum color { RED, GREEN };
struct item { int qty; double price; struct item *next; };
struct cart { struct item *head; int count; char name[8]; };
#define API(type) type
static int limit = 3;
static int rate(int code,
                const char *name) /* a comment */
{
    if (code > limit)
        return code * 2;
    return strcmp(name, "gift") == 0;
}
void add(struct cart *c, int qty) {
    struct item *i = malloc(sizeof *i);
    i->qty = qty; i->price = 2.5; i->next = c->head;
    c->head = i;
    c->count += 1;
}
static int depth(int n) { return n ? depth(n - 1) + 1 : 0; }
const char *text(int x) { return x > 1 ? "yes\n\"" : "no"; }
double half(double x) { return x / 2; }
API(enum color) paint(int x) { return x ? GREEN : RED; }
struct item *fresh(int qty) { struct item *i = calloc(1, sizeof *i); i->qty = qty; return i; }
void upper(char *s) { for (; *s; s++) if (*s >= 'a') *s -= 32; }
void stop(int x) { limit = x; }
static int old(name, n, by)
    char *name; int n;
    float by;
{
    return n ? old(name, n - 1, by) + (int)(by * 2) : name[0] == 'x';
}
static struct item *all;
void keep(int qty) { struct item *i = calloc(1, sizeof *i); i->qty = qty; i->next = all; all = i; }
int walked(struct item *at) { return at ? walked(at->next) + at->qty : limit; }
struct small { char sign; int n; };
struct small packed(int n) { struct small s; s.sign = '+'; s.n = n; return s; }
struct span { const char *from; long n; };
struct span span_of(const char *text, long n) {
    struct span s; s.from = text + 1; s.n = n * 2; return s;
}
#define GETTER(field) static int get_##field(struct cart *c) { return c->field; }
API(int)
twin(struct cart *c, int n) { return c ? n + c->count : n; }
GETTER(count)
static int lone(struct cart *c) { return c->count; }
int main(void) {
    old("x", 2, 1.5); keep(1); keep(2); walked(all); packed(3); span_of("text", 2);
    struct cart c = {0, 0, "abc"};
    get_count(&c); twin(NULL, 1); twin(&c, 2); lone(&c);
    for (int k = 0; k < 6; k++) { add(&c, k); rate(k, k == 2 ? "gift" : "x"); text(k); half(k); }
    depth(3); paint(1); fresh(4); upper(c.name); stop(7);
    return 0;
}
"""
C_FAULTS = {
    "rate": ("code > limit", "code >= limit"),
    "add": ("c->count += 1;", "c->count += 1 + (qty == 1);"),
    "depth": ("depth(n - 1) + 1 : 0", "depth(n - 1) + 1 : 1"),
    "text": ('"yes', '"Yes'),
    "half": ("x / 2", "x / 2 + 1e-9"),
    "paint": ("x ? GREEN : RED", "x ? RED : GREEN"),
    "fresh": ("i->qty = qty; return i;", "i->qty = qty + 1; return i;"),
    "upper": ("*s -= 32", "*s -= 31"),
    "stop": ("limit = x", "limit = x + 1"),
    "old": ("by * 2", "by * 4"),
    "keep": ("i->qty = qty; i->next = all", "i->qty = -qty; i->next = all"),
    "walked": ("+ at->qty : limit", "+ at->qty : limit + 1"),
    "span_of": ("s.n = n * 2", "s.n = n * 3"),
    "packed": ("'+'; s.n = n;", "'+'; s.n = n + 1;"),
    "twin": ("n + c->count : n", "n + c->count + 1 : n"),
    "lone": ("return c->count; }\nint", "return c->count + 1; }\nint"),
}
CXX = r"""
#include <stdexcept>
#include <string>
#include <vector>
struct Error : std::runtime_error { int code; Error(int c) : std::runtime_error("x"), code(c) {} };
class Cart {
public:
    explicit Cart(int limit) : limit_(limit) {}
    Cart() : limit_(0) { count_ = 1; }
    int add(int qty) {
        if (qty > limit_)
            throw std::out_of_range("too many");
        return ++count_;
    }
    int total() const;
    const std::string &label(bool big) { name_ = big ? "BIG" : "small"; return name_; }
    std::string text() const { return "a longer text than fits into the object"; }
    int late(int x) { if (x) throw Error(4); return x; }
    int never(int x) { if (x) throw 5; return 1; }
    bool operator<(const Cart &other) const { return limit_ < other.limit_; }
private:
    int limit_, count_ = 0;
    std::string name_;
};
int Cart::total() const {
    int sum = limit_;
    return sum + count_;
}
template <class T>
T most(T value, T limit) {
    return value < limit ? value : limit;
}
namespace shop {
#ifdef WITHOUT
int unused;
#else
void scale(int &value, double by) { value = static_cast<int>(value * by); }
#endif
auto twice(int x) -> long { return 2 * x; }
}
template <class T> struct Box {
    T held;
    bool has(T value, int n) const { return n > 1 && held == value; }
};
constexpr int square(int n) { return n * n; }
static_assert(square(2) == 4, "");
struct Text { std::string text; int size; };
int measured(Text text) { return text.size; }
int part(int n) { return n; }
double part(double n) { return n / 2; }
template <class F> int tried(F f) { try { return f(); } catch (...) { return -1; } }
int main() {
    most(std::string("a"), std::string("b"));
    Box<int>{3}.has(3, 2); Box<std::string>{"a"}.has("a", 2);
    square(3); measured(Text{"abc", 3}); part(1); part(3.0);
    Cart cart(5), other(6), third;
    other.total();
    for (int k = 0; k < 8; k++) { tried([&] { return cart.add(k); }); most(k, 4); }
    tried([&] { return cart.late(1); }); tried([&] { return cart.never(1); });
    int v = 10;
    shop::scale(v, 1.5);
    shop::twice(4);
    int sizes = int(cart.label(true).size()) + int(cart.text().size());
    return cart.total() + (cart < other) + sizes > 0 ? 0 : 1;
}
"""
CXX_FAULTS = {
    "Cart::add": ("qty > limit_", "qty >= limit_"),
    "Cart::total": ("sum = limit_", "sum = limit_ + 1"),
    "Cart::label": ('"BIG"', '"Big"'),
    "Cart::late": ("Error(4)", "Error(7)"),
    "Cart::never": ("throw 5", "return 5"),
    "Cart::operator<": ("limit_ < other.limit_", "limit_ > other.limit_"),
    "most": ("value < limit ?", "value < limit && sizeof(T) > 4 ?"),
    "scale": ("value * by", "value * by + 1"),
    "twice": ("2 * x", "3 * x"),
    "Box::has": ("n > 1", "n > 2"),
    "square": ("n * n", "n * n + (n == 3)"),
    "measured": ("return text.size", "return text.size + 1"),
    "part": ("n / 2", "n / 4"),
}


class Faults:
    """A program with several faults, whose calls are judged once."""

    def __init__(self, folder: Path, good: str, faults: dict[str, tuple[str, str]], file: str):
        bad = good
        for fault in faults.values():
            assert fault[0] in bad
            bad = bad.replace(*fault)
        self.watched = Watched(folder, good, bad, file)
        self.folder, self.file, self.sources = folder, file, (good, bad)
        session, versions, runs = (
            self.watched.session, self.watched.versions, self.watched.runs
        )  # fmt: skip
        self.judge: Judge = session.judge(versions, runs, {})
        self.functions: tuple[ContractFunction, ...] = session.result_of(self.judge).functions

    def statuses(self, name: str) -> list[int]:
        """Return how both versions end when they check the first differing call of a function."""
        function = next(each for each in self.functions if each.function == name and each.differing)
        call = self.judge.differing_call(function)
        assert call is not None
        check = call_check(call.view, call.differences)
        assert check is not None
        good = call.view.good_process.functions[call.view.good.function]
        return [
            self.status(checked_source(text.encode(), self.file, line, check).content)
            for text, line in zip(self.sources, (good.line, call.function.line), strict=True)
        ]

    def status(self, content: bytes) -> int:
        (self.folder / self.file).write_bytes(content)
        compiler = "c++" if self.file.endswith("cpp") else "cc"
        subprocess.run([compiler, "-w", self.file, "-o", "p"], cwd=self.folder, check=True)
        ended = subprocess.run(["./p"], cwd=self.folder, check=False, capture_output=True)
        if ended.returncode < 0:
            assert b"does what it did" in ended.stderr
        return ended.returncode


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> Faults:
    return Faults(tmp_path_factory.mktemp("c"), C, C_FAULTS, "program.c")


@pytest.fixture(scope="module")
def in_cxx(tmp_path_factory: pytest.TempPathFactory) -> Faults:
    return Faults(tmp_path_factory.mktemp("cxx"), CXX, CXX_FAULTS, "program.cpp")


@pytest.mark.parametrize("name", sorted(C_FAULTS))
def test_a_checked_c_function_fails_in_the_bad_version_alone(in_c: Faults, name: str) -> None:
    assert in_c.statuses(name) == [0, -6]


@pytest.mark.parametrize("name", sorted(CXX_FAULTS))
def test_a_checked_cxx_function_fails_in_the_bad_version_alone(in_cxx: Faults, name: str) -> None:
    assert in_cxx.statuses(name) == [0, -6]


def test_no_line_of_a_checked_function_moves(in_c: Faults) -> None:
    function = next(each for each in in_c.functions if each.function == "rate")
    call = in_c.judge.differing_call(function)
    assert call is not None
    check = call_check(call.view, call.differences)
    assert check is not None
    before = C.encode()
    found = checked_source(before, "program.c", call.function.line, check)
    assert found.content.count(b"\n") == before.count(b"\n")
    text = found.content.decode()
    for inserted, original in sorted(found.inserted, key=lambda pair: -len(pair[0])):
        text = text.replace(inserted, original)
    assert text == C


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("int f(int n, ...) { return n; }\n", "any number of arguments"),
        ("int f(int) { return 1; }\n", "a parameter has no name"),
        ("int g(int n) { return n; }\n", "another form"),
    ],
)
def test_a_function_of_another_form_is_refused(in_c: Faults, source: str, why: str) -> None:
    function = next(each for each in in_c.functions if each.function == "depth")
    call = in_c.judge.differing_call(function)
    assert call is not None
    check = call_check(call.view, call.differences)
    assert check is not None
    if source.startswith("int g"):
        source, why = f"\n{source}", "its definition is not found"
    with pytest.raises(NotCheckableError, match=why):
        checked_source(source.encode(), "m.c", 1, check)


def test_the_changes_and_the_chain_of_a_differing_c_call_are_shown(tmp_path: Path) -> None:
    source = (
        "static int rate(int n) {\n    return n * 2;\n}\nint main(void) { rate(3); return 0; }\n"
    )
    for version, text in (("good", source), ("bad", source.replace("n * 2", "n * 3"))):
        (tmp_path / version).mkdir()
        (tmp_path / version / "m.c").write_text(text)
    build = ("--build", "$CC -g m.c -o m", "--explain", "rate", "--json", "-")
    status, output = run(tmp_path / "good", tmp_path / "bad", "./m", *build)
    assert status == 1, output
    found = json.loads(output)["explained"]
    assert found["test"] == "call 1 of rate with n == 3:\nassert(result == 6)\n"
    assert found["explanation"]["status"] == "explained"
    first, *_, last = found["explanation"]["chain"]
    assert (first["line"], first["text"].strip()) == (2, "return n * 3;")
    assert (last["line"], last["text"]) == (3, "}")
    assert "whence_" not in json.dumps(found)


def test_output_that_differs_is_explained_by_the_output_of_the_test(tmp_path: Path) -> None:
    source = (
        '#include <stdio.h>\nvoid say(void) { puts("a"); }\nint main(void) { say(); return 0; }\n'
    )
    for version, text in (("good", source), ("bad", source.replace('"a"', '"b"'))):
        (tmp_path / version).mkdir()
        (tmp_path / version / "m.c").write_text(text)
    build = ("--build", "$CC -g m.c -o m", "--explain", "say", "--json", "-")
    status, output = run(tmp_path / "good", tmp_path / "bad", "./m", *build)
    assert status == 1, output
    found = json.loads(output)["explained"]
    assert found["test"] == "the test prints what it prints on the good version\n"
    assert found["explanation"]["status"] == "explained"
