#include <assert.h>
#include <stdlib.h>

enum { DISCOUNT = 10 }; /* percent, from 1000 on */

static long rounded(long tenths) {
    return tenths / 10;
}

static long reduced(long cents) {
    long off = 0;
    if (cents >= 1000)
        off = cents * DISCOUNT / 100;
    return cents - off;
}

static long total(int count, char **prices) {
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += rounded(atol(prices[i]));
    return sum;
}

int main(int argc, char **argv) {
    long due = total(argc - 2, argv + 2);
    assert(due == atol(argv[1]));
    return 0;
}
