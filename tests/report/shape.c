#include <assert.h>
#include <stdlib.h>

enum kind { SCALENE, ISOSCELES, RIGHT, EQUILATERAL };

/* Sixteen times the square of the area: whole numbers will do. */
static long area(long a, long b, long c)
{
    long found = 0;
    if (a >= b && b >= c) {
        enum kind kind = SCALENE;
        if (a == b || b == c)
            kind = ISOSCELES;
        if (a * a != b * b + c * c)
            kind = RIGHT;
        if (a == b && b == c)
            kind = EQUILATERAL;
        switch (kind) {
        case RIGHT:
            found = 4 * b * b * c * c;
            break;
        case EQUILATERAL:
            found = 3 * a * a * a * a;
            break;
        default:
            found = (a + b + c) * (b + c - a) * (a + c - b) * (a + b - c);
        }
    }
    return found;
}

int main(int argc, char **argv)
{
    long a = atol(argv[1]), b = atol(argv[2]), c = atol(argv[3]);
    long found = area(a, b, c);
    assert(found == atol(argv[4]));
    return argc != 5;
}
