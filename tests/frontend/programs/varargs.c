// Variable arguments: every kind, more than fit in registers, copied lists, lists passed on.
#include <stdarg.h>
#include <stdio.h>

struct small { int a, b; };
struct real { double x; float y; };
struct large { long v[4]; };

static double total(const char *kinds, va_list args) {
    double sum = 0;
    for (; *kinds; kinds++) switch (*kinds) {
        case 'i': sum += va_arg(args, int); break;
        case 'l': sum += va_arg(args, long); break;
        case 'd': sum += va_arg(args, double); break;
        case 'L': sum += (double)va_arg(args, long double); break;
        case 's': sum += va_arg(args, char *)[0]; break;
        case 'w': sum += (double)va_arg(args, __int128); break;
        case 'p': sum += *va_arg(args, int *); break;
        case 'f': sum += va_arg(args, int (*)(int))(4); break;
        case 'S': { struct small v = va_arg(args, struct small); sum += v.a * v.b; break; }
        case 'R': { struct real v = va_arg(args, struct real); sum += v.x + v.y; break; }
        case 'B': { struct large v = va_arg(args, struct large); sum += v.v[0] + v.v[3]; break; }
        }
    return sum;
}

static double sum(const char *kinds, ...) {
    va_list args, again;
    va_start(args, kinds);
    va_copy(again, args);
    double first = total(kinds, args), second = total(kinds, again);
    va_end(again);
    va_end(args);
    return first + second;
}

static int tell(char *into, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsprintf(into, format, args);
    va_end(args);
    return n;
}

static int square(int x) { return x * x; }

int main(void) {
    int seven = 7;
    printf("%g\n", sum(""));
    printf("%g\n", sum("iii", 1, -2, 30));
    printf("%g\n", sum("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    printf("%g\n", sum("dddddddddd", .5, 1.5, 2., 3., 4., 5., 6., 7., 8., 9.25));
    printf("%g\n", sum("ildspf", 1, 2L, 3.5, "A", &seven, square));
    printf("%g\n", sum("LiLw", 1.5L, 2, 2.5L, (__int128)1 << 70));
    printf("%g\n", sum("SRBSi", (struct small){3, 4}, (struct real){1.5, 2}, (struct large){{1, 2, 3, 4}},
                       (struct small){5, 6}, 9));
    char text[64];
    int n = tell(text, "%d-%s-%.2f", 42, "word", 2.5);
    printf("%d %s\n", n, text);
    return 0;
}
