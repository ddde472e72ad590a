"""Does a chain that compares with the corrected program go back to the fault?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chain.chaining import chain_of, versions

POINTERS = """
#include <stdio.h>
struct shop { int sum, fine; };
static void pay(struct shop *shop) { shop->sum += 10; }
static void late(struct shop *shop) { shop->fine += 3; }
struct day { int due; void (*run)(struct shop *); };
int main(void)
{
    struct shop shop = {0, 0};
    struct day days[2] = {{4, pay}, {6, late}};
    int today = @{6|4};
    struct day now = days[0];
    if (days[1].due == today)
        now = days[1];
    now.run(&shop);
    int total = shop.sum - shop.fine;
    printf("%d\\n", total);
    return 0;
}
"""
COPIED = """
#include <stdio.h>
#include <string.h>
int main(void)
{
    char line[16] = "";
    size_t used = 0, gap = @{1|2};
    memcpy(line + used, "ab", 2);
    used += 2 * gap;
    memcpy(line + used, "\\n", 1);
    int at = 0;
    for (int i = 0; i < 12; i++)
        if (line[i] == '\\n')
            at = i;
    printf("%d\\n", at);
    return 0;
}
"""
RETURNED = """
#include <stdio.h>
static int area(int w, int h)
{
    return w @{+|*} h;
}
int main(void)
{
    int a = area(4, 5);
    printf("%d\\n", a);
    return 0;
}
"""
PART_OF_A_CONDITION = """
#include <stdio.h>
struct target { int time, is_stale; };
int main(void)
{
    struct target all[3] = {{1, 1}, {2, 0}, {3, 0}};
    for (int i = 1; i < 3; i++)
        if (@{|all[i - 1].is_stale || }all[i - 1].time > all[i].time)
            all[i].is_stale = 1;
    int stale = all[2].is_stale;
    printf("%d\\n", stale);
    return 0;
}
"""
TWO_PROCESSES = """
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void send(int out)
{
    for (int i = 0; i < 4; i++) {
        int squared = i @{+|*} i;
        int sent = squared + 1;
        if (write(out, &sent, sizeof sent) != sizeof sent)
            _exit(3);
    }
}
int main(void)
{
    int ends[2], most = 0, got;
    if (pipe(ends) != 0)
        return 3;
    if (fork() == 0) {
        send(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    while (read(ends[0], &got, sizeof got) == sizeof got)
        if (got > most)
            most = got;
    wait(NULL);
    printf("%d\\n", most);
    return 0;
}
"""
GENERATORS = """
def moved(numbers):
    for number in numbers:
        more = number + @{1|2}
        yield more


def doubled(numbers):
    for each in numbers:
        yield each * 2


for value in doubled(moved([2, 5])):
    print(value)
"""
RETURNED_PYTHON = """
class Pair:
    def first(self, left, right):
        if left == 1:
            return @{left|right}
        return left


def shown(pair, left, right):
    found = pair.first(left, right)
    return found


text = shown(Pair(), 1, 7)
print(text)
"""


@pytest.mark.parametrize(
    ("program", "printed", "fault"),
    [
        pytest.param(
            POINTERS, "10", "int today = 6", id="a call through a pointer enters another one"
        ),
        pytest.param(COPIED, "4", "size_t used = 0, gap = 1", id="memcpy to another place"),
        pytest.param(RETURNED, "20", "return w + h", id="the code of a return"),
        pytest.param(PART_OF_A_CONDITION, "1", "if (all[i - 1].time", id="a part of a condition"),
        pytest.param(TWO_PROCESSES, "10", "int squared = i + i", id="the other end of a pipe"),
        pytest.param(GENERATORS, "8\n14", "more = number + 1", id="a generator of a generator"),
        pytest.param(RETURNED_PYTHON, "7", "return left", id="the code of a return in Python"),
    ],
)
def test_the_chain_begins_at_the_fault(
    tmp_path: Path, program: str, printed: str, fault: str
) -> None:
    found = chain_of(tmp_path, *versions(program), expect=f"{printed}\n")
    assert found.status == "explained"
    assert any(link.text.startswith(fault) for link in found.chain[:2]), found.chain
    assert len(found.chain) > 2
