/* What is the value of an expression of digits, +, * and brackets? */
#include <stdio.h>

static const char *at;
static int sum(void);
static int factor(void) {
    if (*at == '(') {
        at++;
        int value = sum();
        if (*at == ')') at++;
        return value;
    }
    if (*at >= '0' && *at <= '9') return *at++ - '0';
    return -1;
}
static int product(void) {
    int value = factor();
    while (*at == '*') { at++; value *= factor(); }
    return value;
}
static int sum(void) {
    int value = product();
    while (*at == '+') { at++; value += product(); }
    return value;
}
int main(int argc, char **argv) {
    if (argc < 2) return 2;
    at = argv[1];
    int value = sum();
    printf(*at ? "error\n" : "%d\n", value);
    return 0;
}
