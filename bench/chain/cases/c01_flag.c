#include <stdio.h>
static int quiet = @{1|0};
static int level(int n) {
    int shown = n;
    if (quiet)
        shown = 0;
    return shown;
}
int main(void) {
    int total = level(3) + 4;
    printf("%d\n", total);
    return 0;
}
