"""Is damage followed through the C++ standard library, and shown in the program's own lines?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.explain.explaining import ExplainedPair, explain

FILE = "program.cpp"

# The wrong text passes find, substr, a map, to_string, setw, an ostringstream and std::cout.
PARSED = """
     #include <iomanip>
     #include <iostream>
     #include <map>
     #include <sstream>
     #include <string>
     static std::map<std::string, std::string> parse(const std::string &text) {
         std::map<std::string, std::string> found;
         size_t at = 0;
         while (at < text.size()) {
             size_t end = text.find(';', at);
             if (end == std::string::npos)
                 end = text.size();
             std::string item = text.substr(at, end - at);
             size_t middle = item.find('=');
    -        found[item.substr(0, middle)] = item.substr(middle + 1);  // [fault]
    +        found[item.substr(0, middle)] = item.substr(middle);  // [fault]
             at = end + 1;
         }
         return found;
     }
     static std::string row(const std::string &name, const std::string &value) {
         std::ostringstream out;
         out << std::setw(6) << name << ": " << value;  // [format]
         return out.str() + std::to_string(value.size());
     }
     int main() {
         for (auto &entry : parse("width=12;height=7"))
             std::cout << row(entry.first, entry.second) << "\\n";  // [fails]
         return 0;
     }
"""
# The library calls the lambdas; an exception says how it ended.
CALLED_BACK = """
     #include <algorithm>
     #include <functional>
     #include <memory>
     #include <stdexcept>
     #include <string>
     #include <vector>
     struct Job {
         std::string name;
         int weight;
     };
     static std::vector<std::unique_ptr<Job>> jobs() {
         std::vector<std::unique_ptr<Job>> all;
         for (int weight : {30, 10, 20})
             all.push_back(std::make_unique<Job>(Job{"job" + std::to_string(weight), weight}));
         return all;
     }
     int main() {
         std::function<bool(const Job &, const Job &)> before =
    -        [](const Job &a, const Job &b) { return a.weight < b.weight; };  // [fault]
    +        [](const Job &a, const Job &b) { return a.weight > b.weight; };  // [fault]
         auto all = jobs();
         std::sort(all.begin(), all.end(), [&](const auto &a, const auto &b) {
             return before(*a, *b);  // [calls]
         });
         if (all.front()->name != "job10")  // [test]
             throw std::out_of_range("first is " + all.front()->name);  // [fails]
         return 0;
     }
"""
# A digit is no longer written, so the padding is longer; the first wrong byte is a blank.
PADDED = """
     #include <iomanip>
     #include <iostream>
     #include <sstream>
     #include <string>
     static std::string money(long cents) {
         std::ostringstream out;
         out << cents / 100 << '.';
    -    if (cents % 100 < 10)  // [fault]
    -        out << '0';  // [fault]
         out << cents % 100;
         return out.str();
     }
     static std::string padded(const std::string &cell) {
         std::ostringstream out;
         out << std::setw(9) << cell;
         return out.str();
     }
     int main() {
         std::ostringstream out;
         out << padded(money(2045)) << "|" << padded(money(2000)) << "|";
         std::cout << out.str() << "\\n";  // [fails]
         return 0;
     }
"""


def explained(folder: Path, text: str, test: str, standard: str = "-std=c++17") -> ExplainedPair:
    """Explain two versions of a C++ program.  `check_claims` allows no link in a header."""
    build = f"$CXX {standard} -g -w -o program program.cpp"
    return explain(folder, text, test, build=build, file=FILE)


def test_a_value_is_followed_through_strings_maps_and_streams(tmp_path: Path) -> None:
    found = explained(tmp_path, PARSED, "test \"$(./program | head -1)\" = 'height: 71'")
    assert found.root == {"fault"}
    assert found.links[0] == "fault"
    assert found.links[-1] == "fails"
    assert 'instead of "height: 71"' in found.chain[-1].says
    assert "format" in found.in_tree


def test_functions_that_the_library_calls_are_followed(tmp_path: Path) -> None:
    found = explained(tmp_path, CALLED_BACK, "./program")
    assert found.root == {"fault"}
    assert found.links[0] == "fault"
    assert 'std::out_of_range "first is job30"' in found.chain[-1].says
    assert {"fault", "calls", "test"} <= found.in_tree


# Before C++20, `str()` is another function of the library than since.
@pytest.mark.parametrize("standard", ["-std=c++11", "-std=c++20"])
def test_what_a_stream_returns_is_followed_in_every_standard(tmp_path: Path, standard: str) -> None:
    found = explained(tmp_path, PADDED, "./program | grep -q '|    20.00|'", standard)
    assert found.root == {"fault"}
    assert found.links == ["fault", *found.links[1:-1], "fails"]
    assert found.result.status == "explained"
    assert "out << '0';" in [link.text.strip() for link in found.missing]


# The failure is in a member of a template; its linker name is _ZNK4shop4CartIiE5totalEv.
FAILS_IN_A_MEMBER = """
     #include <cassert>
     namespace shop {
     template <class T> struct Cart {
         T items[3];
         T total() const {
             T sum = 0;
    -        for (int i = 0; i < 3; i++)  // [fault]
    +        for (int i = 1; i < 3; i++)  // [fault]
                 sum += items[i];
             assert(sum == 6);  // [fails]
             return sum;
         }
     };
     }
     int main() {
         shop::Cart<int> cart{{1, 2, 3}};
         return cart.total() != 6;
     }
"""


def test_the_function_that_fails_has_its_name_in_the_source(tmp_path: Path) -> None:
    found = explained(tmp_path, FAILS_IN_A_MEMBER, "./program")
    assert found.root == {"fault"}
    assert found.links[-1] == "fails"
    assert found.chain[-1].function == "shop::Cart<int>::total"


# An exception that the failing run alone throws prevents a store of the function that it leaves.
PREVENTED = """
     #include <cassert>
     #include <map>
     #include <stdexcept>
     #include <string>
     struct Book {
         std::map<std::string, int> accounts;
         std::map<std::string, std::string> aliases;
         int booked = 0;
         int refused = 0;
         int &account(const std::string &name) {
             auto alias = aliases.find(name);
             std::string real = alias == aliases.end() ? name : alias->second;
             auto found = accounts.find(real);
             if (found == accounts.end())  // [test]
                 throw std::runtime_error("no account " + real);
             return found->second;
         }
         void book(const std::string &name, int amount) {
             std::string copy = name;
             account(copy) += amount;
             booked++;
         }
     };
     static void define(Book &book, const std::string &alias, const std::string &real) {
    -    book.aliases[alias] = real;  // [fault]
    +    book.aliases[alias] = alias;  // [fault]
     }
     int main() {
         Book book;
         book.accounts["cash"] = 10;
         define(book, "purse", "cash");
         for (const char *name : {"cash", "purse"}) {
             try {
                 book.book(name, 1);
             } catch (const std::runtime_error &) {
                 book.refused++;
             }
         }
         assert(book.booked == 2);  // [fails]
         return 0;
     }
"""


def test_an_exception_that_prevents_a_store_is_on_the_chain(tmp_path: Path) -> None:
    found = explained(tmp_path, PREVENTED, "./program")
    assert found.root == {"fault"}
    assert found.result.status == "explained"
    assert found.links[0] == "fault"
    assert "test" in found.links


# The compiler writes the values of these constants where they are used.
CONSTANTS = """
     #include <cassert>
     #include <string>
     #include <vector>
     static std::vector<std::string> words(const std::string &text) {
         const std::size_t shortest = 2;
    -    %s = 3;  // [fault]
    +    %s = 2;  // [fault]
         std::vector<std::string> found;
         std::string word;
         for (char c : text + " ") {
             if (c != ' ') {
                 word += c;
                 continue;
             }
             if (word.size() >= shortest && (int)found.size() < limit)  // [use]
                 found.push_back(word);
             word.clear();
         }
         return found;
     }
     int main() {
         assert(words("a quick fox jumps over").size() == 3);  // [fails]
         return 0;
     }
"""


@pytest.mark.parametrize("declared", ["const int limit", "constexpr int limit", "int const limit"])
def test_a_constant_whose_value_the_compiler_uses_is_on_the_chain(
    tmp_path: Path, declared: str
) -> None:
    found = explained(tmp_path, CONSTANTS % (declared, declared), "./program")
    assert found.root == {"fault"}
    assert found.result.status == "explained"
    assert found.links[:2] == ["fault", "use"]


# What the program does after it caught an exception corresponds to what it does without one.
NO_LONGER_THROWN = """
     #include <iostream>
     #include <list>
     #include <stdexcept>
     #include <string>
     static long fold(long a, char op, long b) {
         if (op == '/') {
             if (b == 0)
    -            throw std::overflow_error("division by zero");  // [fault]
    +            return 0;  // [fault]
             return a / b;
         }
         return a + b;
     }
     static long evaluate(const std::string &text) {
         std::string copy = text;
         return fold(copy[0] - '0', copy[1], copy[2] - '0');
     }
     int main() {
         std::list<std::string> problems;
         for (const char *text : {"1+2", "4/0"}) {
             try {
                 std::cout << evaluate(text);
             } catch (const std::runtime_error &error) {
                 problems.push_back(error.what());
             }
         }
         return problems.empty() ? 1 : 0;  // [fails]
     }
"""


def test_an_exception_that_is_no_longer_thrown_is_on_the_chain(tmp_path: Path) -> None:
    found = explained(tmp_path, NO_LONGER_THROWN, "./program")
    assert found.root == {"fault"}
    assert found.result.status == "explained"
    assert found.links == ["fault", "fails"]


# The library links the nodes of a list and of a map in compiled code.
LINKED = """
     #include <iostream>
     #include <list>
     #include <map>
     #include <string>
     static std::map<std::string, int> known;
     static std::list<std::string> order;
     static void note(const std::string &name, int count) {
    -    known[name] += count;  // [fault]
    +    known[name] = count;  // [fault]
         order.remove(name);
         order.push_front(name);
     }
     static void forget_small() {
         for (auto at = known.begin(); at != known.end();) {
             if (at->second < 3) {  // [test]
                 order.remove(at->first);
                 at = known.erase(at);
             } else {
                 ++at;
             }
         }
     }
     int main() {
         std::cout << "names: ";
         for (const char *name : {"ash", "oak", "elm", "ash", "fir", "oak", "ash", "elm"})
             note(name, name[0] == 'o' ? 3 : 1);
         forget_small();
         order.sort();
         order.reverse();
         std::cout << order.front() << " " << known.size();  // [fails]
         return 0;
     }
"""


def test_the_nodes_of_a_list_and_a_map_are_followed(tmp_path: Path) -> None:
    found = explained(tmp_path, LINKED, 'test "$(./program)" = "names: oak 2"')
    assert found.root == {"fault"}
    assert found.result.status == "explained"
    assert found.links[0] == "fault"
    assert "fails" in found.links


# The library keeps the text of these exceptions, in a form of its own.
TOLD = """
     #include <iostream>
     #include <stdexcept>
     #include <string>
     struct Wrong : %s {
         Wrong(const std::string &what, int column)
             : %s(what + " in column " + std::to_string(column)) {}
     };
     static int column_of(const std::string &text, char sign) {
         int column = 0;
         for (char c : text) {
             column++;
             if (c == sign)
                 break;
         }
    -    return column;  // [fault]
    +    return column + 1;  // [fault]
     }
     static void check(const std::string &text) {
         if (text.find('/') != std::string::npos)
             throw Wrong("no division", column_of(text, '/'));  // [thrown]
     }
     int main() {
         for (const char *text : {"1+2", "12/4"}) {
             try {
                 check(text);
             } catch (const std::exception &error) {
                 std::cout << "error: " << error.what() << "\\n";  // [fails]
             }
         }
         return 0;
     }
"""


@pytest.mark.parametrize("base", ["runtime_error", "logic_error", "invalid_argument"])
def test_the_text_of_an_exception_is_followed(tmp_path: Path, base: str) -> None:
    text = TOLD % (f"std::{base}", f"std::{base}")
    found = explained(tmp_path, text, "test \"$(./program)\" = 'error: no division in column 3'")
    assert found.root == {"fault"}
    assert found.result.status == "explained"
    assert found.links[0] == "fault"
    assert found.links[-1] == "fails"
    assert "thrown" in found.links
