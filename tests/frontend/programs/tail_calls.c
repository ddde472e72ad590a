// musttail calls between functions that call each other in turn; the result must be right.
#include <stdio.h>

static long pong(long n, long sum);
static long ping(long n, long sum) {
    if (n == 0) return sum;
    __attribute__((musttail)) return pong(n - 1, sum + n);
}
static long pong(long n, long sum) {
    if (n == 0) return -sum;
    __attribute__((musttail)) return ping(n - 1, sum * 3 % 1000003);
}
typedef void step(int *state, int left);
static void shrink(int *state, int left);
static void grow(int *state, int left) {
    *state += left;
    step *next = left % 3 ? grow : shrink;
    if (left) __attribute__((musttail)) return next(state, left - 1);
}
static void shrink(int *state, int left) {
    *state /= 2;
    if (left) __attribute__((musttail)) return grow(state, left - 1);
}

int main(void) {
    int state = 1;
    grow(&state, 30);
    printf("%ld %ld %d\n", ping(100000, 1), ping(7, 5), state);
    return 0;
}
