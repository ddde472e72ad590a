#include <stdio.h>
#include <string.h>
struct order { int count; int price; char code[8]; };
static void fill(struct order *order, int count, const char *code) {
    order->count = count@{ + 1|};
    order->price = 5;
    strncpy(order->code, code, 7);
}
static int cost(const struct order *order) {
    int sum = order->count * order->price;
    if (order->code[0] == 'H')
        return @{sum - 2|sum / 2};
    return sum;
}
int main(void) {
    struct order one = {0}, two = {0};
    fill(&one, 3, "HALF");
    fill(&two, 4, "NONE");
    printf("%d %d\n", cost(&one), cost(&two));
    return 0;
}
