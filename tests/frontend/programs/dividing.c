// Division by zero, in a mean over a group that is empty.
// signal: SIGFPE
#include <signal.h>
#include <stdio.h>

static int mean(const int *values, int n, int group) {
    int sum = 0, size = 0;
    for (int i = 0; i < n; i++)
        if (values[i] % 3 == group) sum += values[i], size++;
#if !defined(__x86_64__)
    if (size == 0) raise(SIGFPE); // on other machines the division would give 0
#endif
    return sum / size;
}

int main(void) {
    int values[] = {3, 4, 6, 7, 9};
    for (int group = 0; group < 3; group++) {
        fprintf(stderr, "group %d\n", group);
        fprintf(stderr, "mean %d\n", mean(values, 5, group));
    }
    return 0;
}
