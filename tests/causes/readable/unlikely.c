#include <stdio.h>
#include <stdlib.h>
#define unlikely(x) __builtin_expect(!!(x), 0)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define EACH(i, n) for (int i = 0; i < (n); i++)
static long total(const long *v, int n, int limit)
{
    long sum = 0;
    EACH (i, MIN(n, limit)) {
        if (unlikely(v[i] < 0 || v[i] > 1000))
            abort();
        sum += v[i];
    }
    return sum;
}
int main(void)
{
    long v[] = {10, 20, 2000};
    printf("%ld\n", total(v, 3, 3));  //- printf("%ld\n", total(v, 3, 2));
    return 0;
}
//? why: v[i] < 0 || v[i] > 1000
//? why: v[2] = 2000
//! why: expect
