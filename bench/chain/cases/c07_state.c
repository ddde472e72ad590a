#include <stdio.h>
static int open_now;
static int served;
static void visit(int hour) {
    if (hour >= @{10|9})
        open_now = 1;
    if (open_now)
        served++;
}
int main(void) {
    visit(9);
    visit(11);
    printf("%d\n", served);
    return 0;
}
