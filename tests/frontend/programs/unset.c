// Local variables that are read before they are set: whatever they hold, the replay must know it.
#include <stdio.h>

struct pair { int first; char second; };

static void litter(int value) {
    volatile int junk[64];
    for (int i = 0; i < 64; i++) junk[i] = value + i;
}

static int scalar(int n) {
    int extra;
    if (n > 3) extra = 1;
    return n + extra;
}

static long member(int n) {
    struct pair p, copy;
    if (n & 1) p.first = n;
    copy = p;
    return copy.first;
}

static int in_a_loop(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int last;
        sum += i ? last : 0;
        last = sum + i;
    }
    return sum;
}

static int in_a_switch(int n) {
    int result;
    switch (n) {
    case 1: result = 10; break;
    case 2: result = 20; break;
    }
    return result;
}

int main(void) {
    volatile long sink = 0;
    for (int n = 0; n < 6; n++) {
        litter(n * 1000 + 7);
        sink += scalar(n);
        litter(n * 77 + 1);
        sink += member(n) + in_a_loop(n) + in_a_switch(n);
    }
    puts(sink == 1234567890123 ? "an odd chance" : "done");
    return 0;
}
