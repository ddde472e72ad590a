/* Is the check digit of a number right? */
#include <stdio.h>
int main(void) {
    int sum = 0, c, k;
    for (k = 0; k < 7; k++) {
        c = getchar();
        if (c < '0' || c > '9') { puts("no digit"); return 1; }
        sum += (c - '0') * (k % 2 ? 3 : 1);
    }
    c = getchar();
    puts(c - '0' == (10 - sum % 10) % 10 ? "right" : "wrong");
    return 0;
}
