// A function chosen while the program is loaded (ifunc), before any constructor has run.
#include <stdio.h>

static int fast(int x) { return x * 2; }
static int slow(int x) { return x + x + 1; }
static int (*choose(void))(int) { return sizeof(void *) == 8 ? fast : slow; }
int chosen(int x) __attribute__((ifunc("choose")));

int main(void) {
    int (*through)(int) = chosen;
    printf("%d %d\n", chosen(20), through(1));
    return 0;
}
