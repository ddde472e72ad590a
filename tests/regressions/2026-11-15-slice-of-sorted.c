// The result of qsort depends on the results of its callback: the slice missed the callback.
#include <stdio.h>
#include <stdlib.h>
static int order = 1;
static int cmp(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    int less = x < y;
    return less ? -order : order;
}
int main(void) {
    int v[] = {3, 1, 2};
    qsort(v, 3, sizeof *v, cmp);
    printf("%d\n", v[0]);
    return 0;
}
