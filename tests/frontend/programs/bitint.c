// Integers of odd widths: _BitInt does not promote, so every width has its own operations.
#include <stdio.h>

static void show(const char *what, long long value) { printf("%s %lld\n", what, value); }

#define WIDTH(bits)                                                             \
    static void width_##bits(unsigned a0, unsigned b0) {                        \
        typedef unsigned _BitInt(bits) u;                                       \
        typedef _BitInt(bits) s;                                                \
        u a = (u)a0 * 77 + 1, b = (u)b0 | 1;                                    \
        show("u" #bits "+", (long long)(u)(a + b)), show("-", (long long)(u)(a - b)); \
        show("*", (long long)(u)(a * b)), show("/", (long long)(a / b));        \
        show("%", (long long)(a % b)), show("&", (long long)(a & b));           \
        show("|", (long long)(a | b)), show("^", (long long)(a ^ b));           \
        show("<<", (long long)(u)(a << 1)), show(">>", (long long)(a >> 1));    \
        show("<", a < b), show(">=", a >= b), show("==", a == b);               \
        s c = (s)(a0 % 7) - 4, d = (s)(b0 % 3) + 1;                             \
        show("s" #bits "+", (long long)(c / d)), show("%", (long long)(c % d)); \
        show(">>", (long long)(c >> 1)), show("<", c < d), show("<=", c <= d);  \
        c++, d--;                                                               \
        c = c + d, c = -c;                                                      \
        show("moved", (long long)c), show("as u", (long long)(u)c);             \
        volatile s kept[3] = {c, d, 1};                                         \
        kept[1] = kept[0] - kept[2];                                            \
        show("kept", (long long)kept[1]), show("float", (long long)((double)c * 2)); \
    }
WIDTH(5)
WIDTH(7)
WIDTH(8)
WIDTH(13)
WIDTH(16)
WIDTH(24)
WIDTH(32)
WIDTH(33)
WIDTH(48)
WIDTH(63)
WIDTH(64)
WIDTH(65)
WIDTH(100)
WIDTH(128)

struct holder {
    char before;
    _BitInt(37) value;
    unsigned _BitInt(9) small;
};

static struct holder turned(struct holder h) {
    h.value = -h.value, h.small += 500;
    return h;
}

int main(void) {
    width_5(3, 5), width_7(99, 3), width_8(200, 11), width_13(5000, 13), width_16(50000, 1001);
    width_24(1 << 20, 3), width_32(~7u, 12345), width_33(~1u, 77), width_48(~9u, 1 << 19);
    width_63(~3u, 99), width_64(~0u, 4), width_65(~0u, 6), width_100(~5u, 5), width_128(9, 8);
    unsigned _BitInt(1) bit = 1;
    bit = bit + bit;
    struct holder h = turned((struct holder){1, 123456789012 % 1000000007, 100});
    printf("%d %d %lld %d\n", (int)bit, h.before, (long long)h.value, (int)h.small);
    return 0;
}
