// setjmp and longjmp: nested, out of callees, out of a loop, again and again; the builtin pair.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf outer, inner;
static int level;

static void dive(int n, jmp_buf to, int value) {
    volatile char deep[40];
    deep[n] = (char)value;
    if (n == 0) longjmp(to, deep[0]);
    dive(n - 1, to, value);
    level = 99;
}

static int attempt(int n) {
    volatile int tries = 0;
    int got = setjmp(inner);
    if (got < 3) {
        tries++;
        dive(n, inner, got + 1);
    }
    return tries * 10 + got;
}

static int thrower(int value) {
    int found[] = {1, 2, 3};
    if (value == found[2]) longjmp(outer, 7);
    return value;
}

static int by_qsort(const void *a, const void *b) {
    if (*(const int *)a == 4 || *(const int *)b == 4) longjmp(outer, 4);
    return *(const int *)a - *(const int *)b;
}

static void *portable[5];
__attribute__((noinline)) static void builtin_leap(void) { __builtin_longjmp(portable, 1); }

int main(void) {
    printf("%d\n", attempt(5));
    volatile int rounds = 0;
    switch (setjmp(outer)) {
    case 0:
        for (int i = 1;; i++) rounds += thrower(i);
    case 7:
        printf("thrown after %d\n", rounds);
        if (rounds++ < 5) longjmp(outer, 7);
        longjmp(outer, 0);
    case 1: puts("zero becomes one"); break;
    }
    int numbers[] = {5, 3, 4, 1};
    if (setjmp(outer) == 0) qsort(numbers, 4, sizeof *numbers, by_qsort);
    else puts("left qsort");
    sigjmp_buf masked;
    if (sigsetjmp(masked, 1) == 0) siglongjmp(masked, 3);
#if defined(__x86_64__)
    static volatile int once;
    if (__builtin_setjmp(portable) == 0) {
        if (once++ == 0) builtin_leap();
    } else puts("builtin");
#endif
    return level;
}
