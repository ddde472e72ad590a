"""What is the root if there are several faults, several sets, or many harmless changes?"""

from __future__ import annotations

from pathlib import Path

from tests.explain.explaining import explain

TWO_FAULTS = """
     #include <assert.h>
     static int width(int columns) {
    -    return columns * 8;  // [width]
    +    return columns * 7;  // [width]
     }
     static int height(int rows) {
    -    return rows * 16;  // [height]
    +    return rows * 15;  // [height]
     }
     int main(void) {
         int is_wide = width(80) == 640;
         int is_high = height(25) == 400;
         assert(is_wide + is_high == 2);  // [fails]
         return 0;
     }
"""
UNREAD = TWO_FAULTS.replace("is_wide + is_high == 2", "is_wide && is_high")
EITHER = """
     #include <assert.h>
     static int speed(int gear) {
    -    return gear * 10;  // [speed]
    +    return gear * 20;  // [speed]
     }
     static int limit(int road) {
    -    return road * 50;  // [limit]
    +    return road * 30;  // [limit]
     }
     int main(void) {
         int at = speed(2), most = limit(1);
         assert(at <= most);  // [fails]
         return 0;
     }
"""
RENAMED = """
     #include <assert.h>
    +// What a ride costs, in cents.
    -static int round_up(int cents);  // [request]
    -static int fare(int km, int bags) {  // [names]
    -    int cents = 250;  // [names]
    -    cents += km * 120;  // [names]
    -    if (bags > 2)  // [names]
    -        cents += bags * 50;  // [names]
    -    return round_up(cents);  // [names]
    -}
    -static int round_up(int cents) {  // [request]
    -    return (cents + 99) / 100 * 100;  // [request]
    -}  // [request]
    +static int round_up(int amount) {  // [request]
    +    return (amount + 99) / 100 * 100;  // [request]
    +}  // [request]
    +static int fare(int distance, int luggage) {  // [names]
    +    int amount = 250;  // [names]
    +    amount += distance * 120;  // [names]
    +    if (luggage > 2)  // [names]
    +        amount += luggage * 50;  // [names]
    +    return round_up(amount);  // [names]
    +}
     static int discount(int age) {
    -    return age < 12 ? 50 : 0;  // [fault]
    +    return age <= 12 ? 50 : 0;  // [fault]
     }
     int main(void) {
    +    // Twelve years is not a child any more.
         int due = fare(5, 3) * (100 - discount(12)) / 100;
         assert(due == 1000);  // [fails]
         return 0;
     }
"""
MANY = "\n".join(
    [
        "    #include <assert.h>",
        *(
            line
            for n in range(12)
            for line in (
                f"    static int step_{n}(int x) {{",
                f"   -    int y = x + {n};",
                f"   +    int y = {n} + x;",
                "        return y;" if n != 7 else "   -    return y;  // [fault]",
                *(["   +    return y + 1;  // [fault]"] if n == 7 else []),
                "    }",
            )
        ),
        "    int main(void) {",
        "        int x = 0;",
        *(f"        x = step_{n}(x);" for n in range(12)),
        "        assert(x == 66);  // [fails]",
        "        return 0;",
        "    }",
    ]
)
OF_THREE = """
     #include <assert.h>
     static int votes(int a, int b, int c) {
         int yes = 0;
    -    yes += a > 0;  // [a]
    +    yes += a > 9;  // [a]
         if (b > 0)
             b--;
    -    yes += b > 0;  // [b]
    +    yes += b > 9;  // [b]
         if (c > 0)
             c--;
    -    yes += c > 0;  // [c]
    +    yes += c > 9;  // [c]
         return yes;
     }
     int main(void) {
         assert(votes(5, 5, 5) >= 2);  // [fails]
         return 0;
     }
"""
REWRITTEN = """
     #include <stdio.h>
    -static int packed[8];  // [table]
    +static unsigned char packed[32];  // [table]
    -static int low(int a) {  // [helper]
    -    int one = 1;
    -    return *(char *)&one ? a : -a;
    -}
    +static int low_at(unsigned char *at) {  // [helper]
    +    unsigned value = 0;
    +    for (int k = 3; k >= 0; k--)
    +        value = value << 8 | at[k];
    +    return (int)value;
    +}
    +static void put_low(unsigned char *at, int a) {
    +    unsigned value = (unsigned)a;
    +    for (int k = 0; k < 4; k++, value >>= 8)
    +        at[k] = value & 255;
    +}
     static int pack(const int *numbers, int count) {
         int k;
    -    int *to = packed;  // [writer]
    -    to[0] = low(count);
    +    unsigned char *to = packed;  // [writer]
    +    put_low(to, count);
         for (k = 0; k < count; k++) {
    -        to[k + 1] = low(numbers[k]);  // [writer]
    +        put_low(to + 4 * k + 4, numbers[k]);  // [writer]
         }
         return count + 1;
     }
     static int item(int n) {
    -    int *from = packed;  // [reader]
    -    from += 1;
    +    unsigned char *from = packed;  // [reader]
    +    from += 1;
         if (n < 0)
             return -1;
    -    return low(from[n]);  // [reader]
    +    return low_at(from + 4 * n);  // [reader]
     }
     int main(void) {
         int numbers[] = {300, 7000, 12, 90}, k, used;
         used = pack(numbers, 4);
         for (k = 0; k < used - 1; k++)
             printf("%d ", item(k));  // [fails]
         printf("\\n");
         return 0;
     }
"""


def test_two_faults_that_each_cause_the_failure_are_both_the_root(tmp_path: Path) -> None:
    answer = explain(tmp_path, TWO_FAULTS)
    assert answer.root == {"width", "height"}
    assert {"width", "height"} <= answer.in_tree
    assert {"width", "height"} <= set(answer.links)


def test_a_fault_that_another_fault_hides_is_in_the_root(tmp_path: Path) -> None:
    answer = explain(tmp_path, UNREAD)
    assert answer.root == {"width", "height"}
    assert "width" in answer.links


def test_a_set_that_passes_as_well_is_an_alternative(tmp_path: Path) -> None:
    answer = explain(tmp_path, EITHER, find_all=True)
    assert answer.result.status == "explained"
    assert sorted([answer.root, *answer.others], key=sorted) == [{"limit"}, {"speed"}]
    assert all(other.why for other in answer.explanation.alternatives)
    assert not any(other.is_dodge for other in answer.explanation.alternatives)


def test_any_two_of_three_are_a_root(tmp_path: Path) -> None:
    answer = explain(tmp_path, OF_THREE)
    assert len(answer.root) == 2
    assert answer.root < {"a", "b", "c"}


def test_renamed_locals_reordered_functions_and_comments_are_not_in_the_root(
    tmp_path: Path,
) -> None:
    answer = explain(tmp_path, RENAMED)
    assert (answer.root, answer.auxiliary) == ({"fault"}, set())
    assert answer.links[-1] == "fails"


def test_the_faulty_one_of_many_executed_changes_is_the_root(tmp_path: Path) -> None:
    answer = explain(tmp_path, MANY)
    assert answer.root == {"fault"}
    assert answer.result.runs <= 11  # three of these are recorded


def test_among_rewritten_changes_that_only_work_together_the_root_is_the_fault_or_a_guess(
    tmp_path: Path,
) -> None:
    """The writer runs first, and nothing of it can be compared; the fault is in the reader."""
    answer = explain(tmp_path, REWRITTEN, compares_output=True)
    assert answer.result.status == "explained"
    assert "reader" in answer.links
    assert "reader" in answer.root or answer.result.is_guess
    assert any("is a guess" in note for note in answer.result.notes) == answer.result.is_guess
