// Control flow: every loop, switch (dense, sparse, ranges, fall through, wide), goto, labels as
// values, short circuits, recursion (mutual, deep), function pointers.
// exit: 23
#include <stdio.h>

static int dense(int x) {
    switch (x) {
    case 0: return 10;
    case 1: return 11;
    case 2:
    case 3: x += 100; // falls through
    case 4: return x;
    case 5: break;
    default: return -1;
    }
    return 55;
}

static const char *sparse(long x) {
    switch (x) {
    case -1000000000000: return "low";
    case 'a' ... 'z': return "letter";
    case 1000 ... 1000000: return "large";
    case 7: return "seven";
    }
    return "other";
}

static int by_char(unsigned char c) {
    switch (c) {
    case 'y': return 1;
    case 200: return 2;
    }
    switch ((__int128)c << 70) {
    case (__int128)9 << 70: return 4;
    case -1: return 5;
    }
    switch (c & 1) { default: return 3; }
}

// A little machine whose instructions are the addresses of labels.
static int machine(const unsigned char *code) {
    static const void *const labels[] = {&&add, &&twice, &&skip, &&stop};
    int value = 1;
    goto *labels[*code];
add:
    value += *++code;
    goto *labels[*++code];
twice:
    value *= 2;
    goto *labels[*++code];
skip:
    code += 2;
    goto *labels[*code];
stop:
    return value;
}

static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static long depth(long n) { return n == 0 ? 0 : 1 + depth(n - 1); }
static int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static int calls;
static int yes(void) { return ++calls; }
static int no(void) { calls += 10; return 0; }
static int plus(int a, int b) { return a + b; }
static int minus(int a, int b) { return a - b; }
static int (*pick(int which))(int, int) { return which ? minus : plus; }

int main(void) {
    for (int i = -1; i < 7; i++) printf("%d ", dense(i));
    printf("%s %s %s %s %s\n", sparse(-1000000000000), sparse('q'), sparse(5000), sparse(7), sparse(8));
    printf("%d %d %d\n", by_char('y'), by_char(200), by_char(9) + by_char(0));
    printf("%d\n", machine((unsigned char[]){0, 4, 1, 2, 9, 1, 3}));
    printf("%d %d %ld %d\n", even(10), odd(7), depth(20000), ackermann(2, 3));
    int found = 0;
    for (int i = 1; i < 50; i++) {
        for (int j = 1; j < 50; j++) {
            if ((i + j) % 7 == 0) continue;
            if (i * j == 391) { found = i; goto out; }
            if (j > i) break;
        }
    }
out:
    printf("%d\n", found);
    int n = 27, steps = 0;
    while (n != 1) n = n % 2 ? 3 * n + 1 : n / 2, steps++;
    do steps--; while (steps > 100);
    for (;;) if (++steps == 105) break;
    printf("%d\n", steps);
    if (yes() && no() || yes()) calls += 100;
    int chain = no() || no() ? 1 : yes() && !no();
    printf("%d %d %d\n", calls, chain, (no(), yes()));
    int (*table[2])(int, int) = {plus, minus};
    for (int i = 0; i < 4; i++) printf("%d ", table[i & 1](i, 5) + pick(i > 1)(1, 2));
    int (**through)(int, int) = &table[1];
    printf("%d\n", (*through)(3, 4));
    return found % 100;
}
