// A trap at code that is declared unreachable.
// signal: SIGILL
#include <signal.h>
#include <stdio.h>

static int kind(int x) {
    switch (x % 3) {
    case 0: return 1;
    case 1: return 2;
    }
#if !defined(__x86_64__)
    raise(SIGILL); // on other machines a trap may raise another signal
#endif
    __builtin_trap();
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += kind(i);
        fprintf(stderr, "%d\n", sum);
    }
    return 0;
}
