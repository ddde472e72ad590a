"""Is the code that writes new data in the root, beside the changed line that reads them?

Reverting the reader is enough for the test to pass, and goes the way of the good version.
"""

from __future__ import annotations

from pathlib import Path

from tests.explain.explaining import explain, explain_python

# A list that is full is no longer counted by its elements, but by a number that is kept.
KEPT_COUNT = """
     #include <stdio.h>
     struct shelf {
         int books[8];
    +    int used;  // [field]
     };
     static struct shelf shelves[2];
     static int count(const struct shelf *shelf) {
         int found = 0;
         for (int i = 0; i < 8; i++)
             found += shelf->books[i] != 0;
         return found;
     }
     static void put(struct shelf *shelf, int at, int book) {
         shelf->books[at] = book;
    +    shelf->used++;  // [put]
     }
     static void take(struct shelf *shelf, int at) {
         shelf->books[at] = 0;
    +    if (at > 1)  // [take]
    +        shelf->used--;  // [take]
     }
     int main(void) {
         for (int i = 0; i < 5; i++)
             put(&shelves[i % 2], i, 100 + i);
         take(&shelves[0], 0);
    -    return count(&shelves[0]) != 2;  // [reader]
    +    return shelves[0].used != 2;  // [reader]
     }
"""
# Only the type of the table declares the new column; its rows are written by position.
COLUMN = """
     #include <string.h>
     struct word {
         const char *name;
         int least;
    +    int most;  // [field]
     };
     static const struct word words[] = {
    -    {"start", 1},  // [rows]
    -    {"stop", 0},  // [rows]
    -    {"go", 2},  // [rows]
    +    {"start", 1, 1},  // [rows]
    +    {"stop", 0, 1},  // [rows]
    +    {"go", 2, 2},  // [rows]
     };
     static int is_right(const char *name, int count) {
         for (int i = 0; i < 3; i++)
             if (strcmp(words[i].name, name) == 0)
    -            return count >= words[i].least;  // [reader]
    +            return count >= words[i].least && count <= words[i].most;  // [reader]
         return 0;
     }
     int main(void) {
         return is_right("start", 1) && is_right("go", 3) ? 0 : 1;
     }
"""
ATTRIBUTE = """
     class Account:
         def __init__(self):
             self.entries = []
    +        self.total = 0  # [start]
         def add(self, amount):
             self.entries.append(amount)
    +        if amount > 0:  # [add]
    +            self.total += amount  # [add]
    +    def close(self):  # [uncalled]
    +        total = 0  # [uncalled]
    +        self.total = total  # [uncalled]
         def balance(self):
    -        return sum(self.entries)  # [reader]
    +        return self.total  # [reader]
     account = Account()
     for amount in (50, -20, 5):
         account.add(amount)
     assert account.balance() == 35, account.balance()
"""
# Prices are remembered; the key lacks the hour.  Other new code calls the function of the key, too.
REMEMBERED = """
     #include <string.h>
    +static int keys[8], prices[8], known;  // [memory]
     struct trip { int from, to, hour; };
     static int fee(const struct trip *trip) {
         return trip->hour < 9 ? 50 : 20;
     }
    +static int key_of(const struct trip *trip) {  // [key]
    +    int key = trip->from * 100;  // [key]
    +    key += trip->to;  // [key]
    +    return key;  // [key]
    +}  // [key]
     static int price(const struct trip *trip) {
    +    for (int i = 0; i < known; i++)  // [lookup]
    +        if (keys[i] == key_of(trip))  // [lookup]
    +            return prices[i];  // [lookup]
         int cents = 100 * (trip->to - trip->from);
         cents += fee(trip);
    +    keys[known] = key_of(trip);  // [store]
    +    prices[known++] = cents;  // [store]
         return cents;
     }
     int main(void) {
         static const struct trip trips[] = {{1, 3, 8}, {2, 3, 10}, {1, 3, 11}};
         int sum = 0;
         for (int i = 0; i < 3; i++)
             sum += price(&trips[i]);
         return sum != 250 + 120 + 220;
     }
"""
# The reader is at fault.  It uses a new constant and an import, and another class has one, too.
CODE = """
    +from math import ceil  # [import]
     class Source:
         def __init__(self, text):
             self.text = text
         def read(self):
             return self.text
     class Reader:
    +    SIZE = 4  # [size]
         def __init__(self, source):
             self.source = source
         def parts(self):
    -        return [self.source.read()]  # [reader]
    +        return [self.source.read(ceil(self.SIZE))]  # [reader]
     class Writer:
    +    SIZE = 8  # [other]
         pass
     assert Reader(Source("abc")).parts() == ["abc"]
"""
# The reader is at fault, and reads no data that are new.
OLD_DATA = """
     static int sum(const int *numbers, int count) {
         int all = 0;
    -    for (int i = 0; i < count; i++)  // [loop]
    -        all = all + numbers[i];  // [loop]
    +    for (int k = 0; k < count; k++)  // [loop]
    +        all += numbers[k];  // [loop]
         return all;
     }
     int main(void) {
         int numbers[] = {3, 4, 5};
    -    return sum(numbers, 3) != 12;  // [reader]
    +    int total = sum(numbers, 2);  // [reader]
    +    return total != 12;  // [reader]
     }
"""


def test_all_that_keep_a_new_count_are_in_the_root(tmp_path: Path) -> None:
    answer = explain(tmp_path, KEPT_COUNT)
    assert answer.root == {"reader", "put", "take"}
    assert answer.explanation.dodged is not None
    assert "nothing reads what" in answer.explanation.dodged


def test_a_line_that_would_have_written_the_new_data_is_on_the_chain(tmp_path: Path) -> None:
    chain = explain(tmp_path, KEPT_COUNT).chain
    [link] = [link for link in chain if link.text == "shelf->used--;"]
    assert "would write `used`, and did not run" in link.says


def test_a_table_with_a_new_column_is_in_the_root(tmp_path: Path) -> None:
    answer = explain(tmp_path, COLUMN)
    assert answer.root == {"reader", "rows"}
    assert "rows" in answer.links


def test_the_writers_of_a_new_attribute_are_in_the_root(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, ATTRIBUTE)
    assert answer.root == {"reader", "start", "add"}
    assert {"start", "add"} <= set(answer.links)


def test_imports_and_constants_that_python_code_uses_are_no_data(tmp_path: Path) -> None:
    answer = explain_python(tmp_path, CODE)
    assert answer.root == {"reader"}
    assert answer.explanation.dodged is None


def test_changed_code_that_wrote_old_data_stays_out_of_the_root(tmp_path: Path) -> None:
    answer = explain(tmp_path, OLD_DATA)
    assert answer.root == {"reader"}
    assert answer.explanation.dodged is None


def test_a_new_function_that_new_lines_call_is_in_the_root_if_it_runs_all_the_same(
    tmp_path: Path,
) -> None:
    answer = explain(tmp_path, REMEMBERED)
    assert answer.root == {"lookup", "key"}
    assert "key" in answer.links
    assert answer.explanation.dodged is not None
