#include <stdio.h>
static int apply(char op, int a, int b) {
    int r = 0;
    switch (op) {
    case '+': r = a + b; break;
    case '-': r = @{b - a|a - b}; break;
    }
    return r;
}
int main(void) {
    int value = apply('-', 7, 2);
    printf("%d\n", value);
    return 0;
}
