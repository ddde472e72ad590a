#include <stdio.h>
static int largest(const int *values, int n) {
    int best = values[0];
    for (int i = 1; i < n; i++)
        if (values[i] @{<|>} best)
            best = values[i];
    return best;
}
int main(void) {
    int values[] = {3, 9};
    int found = largest(values, 2);
    printf("%d\n", found);
    return 0;
}
