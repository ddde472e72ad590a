#include <stdio.h>
struct item { int price; int count; };
static int cost(const struct item *it) {
    int sum = it->price * it->count;
    if (it->count @{>|>=} 3)
        sum -= 5;
    return sum;
}
int main(void) {
    struct item it = {10, 3};
    int due = cost(&it);
    printf("%d\n", due);
    return 0;
}
