// abort() in a callee, after output to stderr and with output still in a buffer.
// signal: SIGABRT
#include <stdio.h>
#include <stdlib.h>

static void check(int balance) {
    if (balance >= 0) return;
    fprintf(stderr, "balance is %d\n", balance);
    abort();
}

int main(void) {
    int balance = 10;
    printf("never seen");
    for (int i = 1; i < 9; i++) check(balance -= i);
    return 0;
}
