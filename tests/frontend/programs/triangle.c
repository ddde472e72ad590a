// The wrong class of a figure leads to the wrong formula (the shape of CaFL's Fig. 1).
// args: 6 5 4
// signal: SIGABRT
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum kind { NONE, SCALENE, TWO_EQUAL, SQUARE_CORNER, ALL_EQUAL };

static enum kind classify(int a, int b, int c) {
    if (a < b || b < c || a >= b + c) return NONE;
    enum kind kind = SCALENE;
    if (a == b || b == c) kind = TWO_EQUAL;
    if (a * a != b * b + c * c) kind = SQUARE_CORNER; // should be ==
    if (a == b && b == c) kind = ALL_EQUAL;
    return kind;
}

// Sixteen times the square of the area, which is an integer.
static long area(int a, int b, int c, enum kind kind) {
    long around = a + b + c;
    switch (kind) {
    case NONE: return 0;
    case SQUARE_CORNER: return 4L * b * b * c * c;
    case ALL_EQUAL: return 3L * a * a * a * a;
    default: return around * (around - 2 * a) * (around - 2 * b) * (around - 2 * c);
    }
}

int main(int argc, char **argv) {
    int a = atoi(argv[1]), b = atoi(argv[2]), c = atoi(argv[3]);
    enum kind kind = classify(a, b, c);
    long found = area(a, b, c, kind);
    printf("%d %ld\n", kind, found);
    fflush(stdout);
    assert(found == 1575);
    return argc == 4 ? 0 : 1;
}
