#include <stdio.h>
static int depth(int n) {
    if (n <= @{1|0})
        return 0;
    int below = depth(n - 1);
    return below + 1;
}
int main(void) {
    int d = depth(3);
    printf("%d\n", d);
    return 0;
}
