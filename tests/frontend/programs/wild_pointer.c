// A store through a wild pointer, computed from an index that is far out of range.
// signal: SIGSEGV
#include <stdio.h>

static long table[8];

int main(void) {
    volatile long index = 3;
    for (int i = 0; i < 12; i++) {
        table[index & 7] = i;
        index *= 1000;
        fprintf(stderr, "%d\n", i);
        if (index > 1000000000000) table[index] = i;
    }
    return (int)table[0];
}
