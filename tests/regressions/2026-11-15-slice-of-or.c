// The value of || is chosen by a branch, not computed: the slice missed the branch.
#include <stdio.h>

static unsigned short known = 1;

int main(void) {
    int seven = 7;
    known = known == 1 || known == seven;
    printf("%d\n", known);
    return 0;
}
