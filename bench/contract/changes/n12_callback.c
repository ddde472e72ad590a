#include <stdio.h>
#include <stdlib.h>
struct item { const char *name; int rank; };
static int by_rank(const void *a, const void *b) {
    const struct item *one = a, *other = b;
    return @{other->rank - one->rank|one->rank - other->rank};
}
static int best(struct item *items, int n) {
    qsort(items, n, sizeof *items, by_rank);
    return items[0].rank;
}
int main(void) {
    struct item items[] = {{"x", 4}, {"y", 2}, {"z", 9}};
    printf("%d %s\n", best(items, 3), items[2].name);
    return 0;
}
