#include <stdio.h>
static int scaled(int n) {
    return n * @{4|3};
}
static int limited(int n, int limit) {
    if (n > limit)
        return @{n|limit};
    return n;
}
static int bill(int n) {
    int sum = 0;
    for (int i = 1; i <= n; i++)
        sum += limited(scaled(i), 10);
    return sum;
}
int main(void) {
    printf("%d\n", bill(5));
    return 0;
}
