/* What do the pure operations compute?  Values are raw bits, masked to their width.  Where LLVM
   leaves a result undefined, the result is that of x86-64. */
#ifndef WHENCE_ARITHMETIC_H
#define WHENCE_ARITHMETIC_H
#include "tables.h"

#include <math.h>
#include <string.h>

static inline u64 mask(u64 v, u32 bits) { return bits >= 64 ? v : v & ((1ull << bits) - 1); }

static inline i64 sext(u64 v, u32 bits) {
    u32 shift = 64 - bits;
    return (i64)(v << shift) >> shift;
}

static inline double as_double(u64 v) { double d; memcpy(&d, &v, 8); return d; }
static inline float as_float(u64 v) { u32 w = (u32)v; float f; memcpy(&f, &w, 4); return f; }
static inline u64 of_double(double d) { u64 v; memcpy(&v, &d, 8); return v; }
static inline u64 of_float(float f) { u32 w; memcpy(&w, &f, 4); return w; }

static inline int compare(u32 predicate, u64 a, u64 b, u32 bits) {
    i64 x = sext(a, bits), y = sext(b, bits);
    switch (predicate) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a > b;
    case 3: return a >= b;
    case 4: return a < b;
    case 5: return a <= b;
    case 6: return x > y;
    case 7: return x >= y;
    case 8: return x < y;
    default: return x <= y;
    }
}

/* Bit 0: equal, 1: greater, 2: less, 3: unordered.  LLVM's predicate numbers are sets of these. */
static inline int compare_float(u32 predicate, double a, double b) {
    u32 relation = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
    return (predicate & relation) != 0;
}

/* Does the machine trap? */
static inline int traps(u32 code, u64 a, u64 b, u32 bits) {
    if (code != UDIV && code != SDIV && code != UREM && code != SREM) return 0;
    if (!b) return 1;
    return (code == SDIV || code == SREM) && bits > 1 && sext(b, bits) == -1 &&
           a == 1ull << (bits - 1);
}

static inline u64 divide(u32 code, u64 a, u64 b, u32 bits) {
    if (!b) return 0;
    i64 x = sext(a, bits), y = sext(b, bits);
    switch (code) {
    case UDIV: return a / b;
    case UREM: return a % b;
    case SDIV: return mask(y == -1 ? 0 - (u64)x : (u64)(x / y), bits);
    default: return y == -1 ? 0 : mask((u64)(x % y), bits);
    }
}

static inline u64 shift(u32 code, u64 a, u64 n, u32 bits) {
    if (n >= bits) return 0;
    if (code == SHL) return mask(a << n, bits);
    return code == LSHR ? a >> n : mask((u64)(sext(a, bits) >> n), bits);
}

static inline double fbinary(u32 code, double a, double b) {
    switch (code) {
    case FADD: return a + b;
    case FSUB: return a - b;
    case FMUL: return a * b;
    default: return a / b;
    }
}

static inline float fbinaryf(u32 code, float a, float b) {
    switch (code) {
    case FADD: return a + b;
    case FSUB: return a - b;
    case FMUL: return a * b;
    default: return a / b;
    }
}

static inline u64 float_binary(const struct op *o, u64 a, u64 b) {
    u64 sign = 1ull << (o->bits - 1);
    if (o->code == COPYSIGN) return (a & ~sign) | (b & sign);
    if (o->bits == 32) {
        float x = as_float(a), y = as_float(b);
        return of_float(o->code == FREM ? fmodf(x, y) : fbinaryf(o->code, x, y));
    }
    double x = as_double(a), y = as_double(b);
    return of_double(o->code == FREM ? fmod(x, y) : fbinary(o->code, x, y));
}

static inline double funary(u32 code, double a) {
    switch (code) {
    case SQRT: return sqrt(a);
    case FLOOR: return floor(a);
    case CEIL: return ceil(a);
    case TRUNCF: return trunc(a);
    default: return rint(a);
    }
}

static inline u64 float_unary(const struct op *o, u64 a) {
    u64 sign = 1ull << (o->bits - 1);
    if (o->code == FNEG) return a ^ sign;
    if (o->code == FABS) return a & ~sign;
    /* The processor makes a signalling NaN quiet; a compiler that inlines trunc may not. */
    u64 infinity = o->bits == 32 ? 0x7f800000ull : 0x7ff0000000000000ull;
    u64 quiet = o->bits == 32 ? 1ull << 22 : 1ull << 51;
    if ((a & (sign - 1)) > infinity) return a | quiet;
    /* Computing in double is exact for these, including the square root: double has more than
       twice the digits of float. */
    if (o->bits == 32) return of_float((float)funary(o->code, as_float(a)));
    return of_double(funary(o->code, as_double(a)));
}

static inline i64 truncate64(double v) { /* cvttsd2si */
    return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? (i64)v : INT64_MIN;
}

static inline i32 truncate32(double v) {
    return v > -2147483649.0 && v < 2147483648.0 ? (i32)v : INT32_MIN;
}

static inline u64 to_integer(const struct op *o, u64 a) {
    double v = o->c == 32 ? as_float(a) : as_double(a);
    if (o->code == FPTOSI) return mask((u64)(o->bits > 32 ? truncate64(v) : truncate32(v)), o->bits);
    if (o->bits < 32) return mask((u64)truncate32(v), o->bits);
    i64 low = truncate64(v);
    if (o->bits == 32) return mask((u64)low, 32);
    /* This is right for floats too: the difference is exact when it matters. */
    return mask((u64)((truncate64(v - 9223372036854775808.0) & (low >> 63)) | low), o->bits);
}

static inline u64 to_float(const struct op *o, u64 a) {
    if (o->code == SITOFP)
        return o->bits == 32 ? of_float((float)sext(a, o->c)) : of_double((double)sext(a, o->c));
    return o->bits == 32 ? of_float((float)a) : of_double((double)a);
}

static inline void overflowing(const struct op *o, u64 a, u64 b, u64 *to) {
    __int128 x = o->c % 2 ? (__int128)a : sext(a, o->bits);
    __int128 y = o->c % 2 ? (__int128)b : sext(b, o->bits);
    __int128 exact;
    if (o->c == 5) { /* the product of two u64 does not fit the signed type */
        unsigned __int128 product = (unsigned __int128)a * b;
        to[0] = mask((u64)product, o->bits);
        to[1] = product != to[0];
        return;
    }
    exact = o->c < 2 ? x + y : o->c < 4 ? x - y : x * y;
    to[0] = mask((u64)exact, o->bits);
    to[1] = exact != (o->c % 2 ? (__int128)to[0] : (__int128)sext(to[0], o->bits));
}

static inline u64 reverse_bits(u64 v, u32 bits) {
    u64 r = 0;
    for (u32 i = 0; i < bits; i++) r |= (v >> i & 1) << (bits - 1 - i);
    return r;
}

static inline u64 count(const struct op *o, u64 a) { /* operations on one operand */
    switch (o->code) {
    case ABS: return sext(a, o->bits) < 0 ? mask(0 - a, o->bits) : a;
    case CTPOP: return (u64)__builtin_popcountll(a);
    case CTLZ: return a ? (u64)__builtin_clzll(a) - (64 - o->bits) : o->bits;
    case CTTZ: return a ? (u64)__builtin_ctzll(a) : o->bits;
    case BSWAP: return o->bits < 8 ? a : __builtin_bswap64(a) >> (64 - o->bits);
    default: return reverse_bits(a, o->bits);
    }
}

static inline u64 funnel(const struct op *o, u64 a, u64 b, u64 n) {
    n %= o->bits;
    if (o->code == FSHL) return mask(n ? a << n | b >> (o->bits - n) : a, o->bits);
    return mask(n ? a << (o->bits - n) | b >> n : b, o->bits);
}

static inline u64 choose(const struct op *o, u64 a, u64 b) {
    i64 x = sext(a, o->bits), y = sext(b, o->bits);
    switch (o->code) {
    case SMAX: return x > y ? a : b;
    case SMIN: return x < y ? a : b;
    case UMAX: return a > b ? a : b;
    default: return a < b ? a : b;
    }
}

#endif
