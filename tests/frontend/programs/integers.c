// Integer arithmetic, comparison and conversion at every width that C has, signed and unsigned.
#include <stdbool.h>
#include <stdio.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;

static void show(const char *what, wide value) {
    printf("%s %016llx%016llx\n", what, (unsigned long long)((uwide)value >> 64),
           (unsigned long long)value);
}

// Quotients and shifts stay defined: b is never 0 or -1, shift amounts are small.
#define OPERATIONS(type)                                                     \
    static void type##_operations(type a, type b, int by) {                  \
        printf("-- " #type "\n");                                            \
        show("+", (type)(a + b)), show("-", (type)(a - b));                  \
        show("*", (type)(a * b)), show("/", (type)(a / b));                  \
        show("%", (type)(a % b)), show("&", (type)(a & b));                  \
        show("|", (type)(a | b)), show("^", (type)(a ^ b));                  \
        show("~", (type)~a), show("neg", (type)-a), show("!", !a);           \
        show("<<", (type)((a & 15) << by)), show(">>", (type)(a >> by));     \
        printf("%d%d%d%d%d%d\n", a < b, a <= b, a > b, a >= b, a == b, a != b); \
        type c = a;                                                          \
        show("++", ++c), show("post--", c--), show("--", --c);               \
        c += b, c -= 2, c *= 3, c /= b, c %= 7, c <<= 1, c >>= by;           \
        c |= 8, c &= ~(type)1, c ^= 5;                                       \
        show("compound", c);                                                 \
        show("as bool", (bool)a), show("as char", (signed char)a);           \
        show("as short", (short)a), show("as int", (int)a);                  \
        show("as long", (long)a), show("as wide", (wide)a);                  \
        show("as uchar", (unsigned char)a), show("as uint", (unsigned)a);    \
        show("as ulong", (unsigned long)a), show("as uwide", (wide)(uwide)a); \
    }

typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort_;
typedef unsigned uint_;
typedef unsigned long ulong_;
typedef long long llong;
typedef unsigned long long ullong;
OPERATIONS(schar)
OPERATIONS(uchar)
OPERATIONS(short)
OPERATIONS(ushort_)
OPERATIONS(int)
OPERATIONS(uint_)
OPERATIONS(long)
OPERATIONS(ulong_)
OPERATIONS(llong)
OPERATIONS(ullong)
OPERATIONS(wide)
OPERATIONS(uwide)

int main(void) {
    schar_operations(-77, 5, 1), schar_operations(0, 9, 2);
    uchar_operations(200, 7, 3), uchar_operations(3, 3, 0);
    short_operations(-3000, 11, 4), ushort__operations(60000, 77, 5);
    int_operations(-123456, 789, 6), int_operations(44000, -44000, 3);
    uint__operations(4000000000u, 123456u, 7);
    long_operations(-123456789012L, 345L, 9), ulong__operations(~5ul, 99ul, 11);
    llong_operations(1LL << 40, -3LL, 12), ullong_operations(~0ull, 10ull, 13);
    wide_operations(((wide)-5 << 70) + 12345, 1000003, 17);
    uwide_operations((uwide)1 << 127 | 77, (uwide)3 << 64, 90);
    bool t = 3, f = t ^ 1;
    t |= f, f = !t, t = t && !f;
    t++;
    printf("%d %d %d\n", t, f, (t ? 2 : 3) + (f ?: 4));
    enum colour { RED, GREEN = 7, BLUE } colour = BLUE;
    printf("%d %zu %d\n", colour, sizeof colour, 'a' + L'b');
    return 0;
}
