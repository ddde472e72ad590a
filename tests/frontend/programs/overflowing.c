// The stack overflows: recursion without an end.
// signal: SIGSEGV
#include <stdio.h>

static volatile int limit = -1;

static int sink(int depth) {
    volatile char frame[4096];
    frame[depth % 4096] = (char)depth;
    if (depth == limit) return 0;
    return sink(depth + 1) + frame[depth % 4096];
}

int main(void) {
    fprintf(stderr, "going down\n");
    return sink(0);
}
