"""Are exceptions of C++ compared by their type, text and numbers, and objects by their class?"""

from __future__ import annotations

import pytest

from whence.model import ContractResult, ContractVerdict

from .test_c_calls import Watched, differs
from .two_versions import origins, verdict_on

GOOD = r"""
#include <stdexcept>
#include <string>
#include <vector>
struct Base : std::runtime_error { int code; Base(int c) : std::runtime_error("base"), code(c) {} };
struct Derived : Base { Derived(int c) : Base(c) {} };
struct Animal { virtual int legs() const { return 2; } virtual ~Animal() {} };
struct Dog : Animal { int legs() const override { return 4; } };
struct Bird : Animal { int wings() const { return 2; } };

int type(int x) { if (x > 1) throw std::out_of_range("too large"); return x; }
int text(const std::string &s) { if (s[0]) throw std::out_of_range("large: " + s); return 0; }
int number(int x) { if (x > 1) throw Base(4); return x; }
int plain(int x) { if (x > 1) throw 40 + x; return x; }
int words(int x) { if (x > 1) throw "no such number"; return x; }
int library(const std::vector<int> &v, int x) { return v.at(x); }
int other(int x) { if (x > 1) throw Base(x); return x; }
int same(int x) { if (x > 1) throw std::invalid_argument("x"); return x; }
int again(int x) { try { return same(x); } catch (std::exception &) { throw; } }
int turned(int x) { try { return other(x); } catch (Base &b) { throw Derived(b.code + 1); } }
int legs(const Animal &animal) { return animal.legs(); }

template <class F> int tried(F f) { try { return f(); } catch (...) { return -1; } }
int main() {
    std::vector<int> v{1, 2};
    Dog dog; Bird bird;
    tried([] { return type(2); }); tried([] { return text("two"); });
    tried([] { return number(2); });
    tried([] { return plain(2); }); tried([] { return words(2); }); tried([] { return other(2); });
    tried([&] { return library(v, 5); }); tried([] { return again(2); });
    tried([] { return turned(2); });
    return legs(dog) + legs(bird);
}
"""
BAD = (
    GOOD.replace('throw std::out_of_range("too large")', 'throw std::length_error("too large")')
    .replace('"large: "', '"big: "')
    .replace("throw Base(4)", "throw Base(5)")
    .replace("throw 40 + x", "throw 41 + x")
    .replace('"no such number"', '"no number"')
    .replace("return v.at(x);", "if (x > 4) throw std::out_of_range(\"x\"); return v[x];")
    .replace("throw Derived(b.code + 1)", "throw Base(b.code + 1)")
    .replace("struct Dog : Animal { int legs() const override { return 4; } };",
             "struct Dog : Animal { };")
)  # fmt: skip


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    return Watched(tmp_path_factory.mktemp("cxx"), GOOD, BAD, "program.cpp")


@pytest.fixture(scope="module")
def result(watched: Watched) -> ContractResult:
    return watched.result()


@pytest.mark.parametrize(
    ("function", "good", "bad"),
    [
        ("type", "std::out_of_range(what()='too large')", "std::length_error(what()='too large')"),
        ("text", "'large: two'", "'big: two'"),
        ("number", "exception.code: 4", "5"),
        ("plain", "exception.value: 42", "43"),
        ("words", "'no such number'", "'no number'"),
        ("turned", "Derived(", "Base("),
        ("legs", "result: 4", "2"),
    ],
)
def test_another_exception_is_a_difference(
    result: ContractResult, function: str, good: str, bad: str
) -> None:
    before, _, now = differs(result, function).partition(" before, ")
    assert good in before
    assert bad in now


def test_the_same_exception_is_no_difference(result: ContractResult) -> None:
    assert verdict_on(result, "library").first is None
    assert set(origins(result)) == {"type", "text", "number", "plain", "words", "turned", "legs"}
    assert {verdict_on(result, name).compared for name in ("again", "same", "library")} == {1}


def test_a_contract_names_the_class_of_an_exception_or_a_base(watched: Watched) -> None:
    cases = {
        "signals (std::length_error) true": ContractVerdict.KEPT,
        "signals (std::logic_error) true": ContractVerdict.KEPT,
        "when_signaled (std::out_of_range) true\nsignals (length_error) true": ContractVerdict.KEPT,
        "signals (std::runtime_error) true": ContractVerdict.BROKEN,
        "when_signaled (std::runtime_error) true": ContractVerdict.CHANGED,
    }
    for contract, verdict in cases.items():
        assert watched.verdict(f"changed_behavior\n{contract}", "type") is verdict, contract
    assert watched.verdict("changed_behavior\nsignals (Base) true", "turned") is (
        ContractVerdict.KEPT
    )
    assert watched.verdict("changed_behavior\nsignals (Derived) true", "turned") is (
        ContractVerdict.BROKEN
    )


def test_good_against_good_reports_nothing(watched: Watched) -> None:
    found = watched.session.against_itself(watched.versions, watched.runs)
    assert {each.verdict for each in found.functions} == {ContractVerdict.SAME}
