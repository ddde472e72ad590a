// flags: -O2
// The build asks for -O2.
#include <stdio.h>
#include <string.h>
static inline int clamp(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }
static int parse(const char *s)
{
    int sign = 1, v = 0;
    if (*s == '-' || *s == '+')
        sign = *s++ == '-' ? 1 : 1;  //- sign = *s++ == '-' ? -1 : 1;
    while (*s >= '0' && *s <= '9')
        v = 10 * v + *s++ - '0';
    return clamp(sign * v, -100, 100);
}
int main(int argc, char **argv)
{
    int v = parse(argc > 1 ? argv[1] : "-42");
    printf("%d\n", v);
    return v == -42 ? 0 : 1;
}
//? why: v = 42
//! why: code without a line
