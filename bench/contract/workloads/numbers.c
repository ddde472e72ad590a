/* Numbers are sieved and summed in loops: few calls, many steps. */
#include <stdio.h>
#include <stdlib.h>
static int sieve(char *composite, int size) {
    int primes = 0;
    for (int n = 2; n < size; n++) {
        if (composite[n])
            continue;
        primes++;
        for (long k = (long)n * n; k < size; k += n)
            composite[k] = 1;
    }
    return primes;
}
static long sum(const int *numbers, int count) {
    long found = 0;
    for (int i = 0; i < count; i++)
        found += numbers[i] % 7;
    return found;
}
int main(void) {
    int size = 100000, numbers[1000];
    char *composite = calloc(size, 1);
    long found = 0;
    for (int i = 0; i < 1000; i++)
        numbers[i] = i * 31;
    for (int i = 0; i < 60; i++)
        found += sum(numbers, 1000);
    printf("%d %ld\n", sieve(composite, size), found);
    free(composite);
    return 0;
}
