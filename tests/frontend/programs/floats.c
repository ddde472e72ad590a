// Floating point of every format: arithmetic, all comparisons (ordered or not), conversions.
// flags: -lm
#include <float.h>
#include <math.h>
#include <stdio.h>

#define FORMAT(type, name)                                                        \
    static void name(type a, type b, type nan) {                                  \
        printf("-- " #type " %a %a %a %a\n", (double)(type)(a + b), (double)(type)(a - b), \
               (double)(type)(a * b), (double)(type)(a / b));                     \
        type c = -a, d = +b;                                                      \
        c += 1, c *= d, c -= b, c /= 2;                                           \
        c++, d--;                                                                 \
        printf("%a %a %a\n", (double)c, (double)d, (double)(a > b ? a : b));      \
        type p[4] = {a, b, nan, a};                                               \
        for (int i = 0; i < 4; i++)                                               \
            for (int j = 0; j < 4; j++)                                           \
                printf("%d%d%d%d%d%d%d%d ", p[i] < p[j], p[i] <= p[j], p[i] > p[j], \
                       p[i] >= p[j], p[i] == p[j], p[i] != p[j], !(p[i] < p[j]), !p[i]); \
        printf("\n%d %d %d %ld %lld ", (signed char)a, (short)a, (int)a, (long)a, (long long)b); \
        printf("%u %u %u %lu\n", (unsigned char)b, (unsigned short)b, (unsigned)b, (unsigned long)b); \
        volatile signed char i8 = -7;                                             \
        volatile unsigned short u16 = 40000;                                      \
        volatile int i32 = -99;                                                   \
        volatile unsigned u32 = 3000000000u;                                      \
        volatile long i64 = -5;                                                   \
        volatile unsigned long u64 = 1ul << 63;                                   \
        volatile _Bool yes = 1;                                                   \
        printf("%g %g %g %g %g %g %g\n", (double)(type)i8, (double)(type)(u16 / 2), \
               (double)(type)i32, (double)(type)(u32 / 65536), (double)(type)i64, \
               (double)(type)(u64 >> 52), (double)(type)yes);                     \
        printf("%g %g %g %g\n", (double)(float)a, (double)a, (double)(long double)a, \
               (double)(type)0.1L);                                               \
    }
FORMAT(float, singles)
FORMAT(double, doubles)
FORMAT(long double, longs)
FORMAT(_Float16, halves)
// zig has no run-time support for __bf16 on processors without it.
#if defined(__x86_64__)
FORMAT(__float128, quads)
#endif

// Comparisons that do not raise on a NaN are written as functions.
static void quiet(double a, double b) {
    printf("%d%d%d%d%d%d\n", isless(a, b), islessequal(a, b), isgreater(a, b),
           isgreaterequal(a, b), __builtin_islessgreater(a, b), isunordered(a, b));
    printf("%d%d%d%d%d %d\n", !!isnan(a), !!isinf(a), !!isfinite(a), !!isnormal(a), !!signbit(a),
           fpclassify(a) == FP_NAN);
}

static void calls(double x) {
    printf("%g %g %g %g %g %g\n", fabs(-x), floor(x), ceil(x), trunc(x), rint(x), round(x));
    printf("%g %g %g %g %g\n", sqrt(x), copysign(x, -1), fmin(x, 2), fmax(x, 2), fma(x, 2, 1));
    printf("%g %g %g %ld %ld\n", fmod(x, 3), nearbyint(x), __builtin_powi(x, 3), lround(x), lrint(x));
    printf("%.12g %.12g %.12g %.12g\n", sin(x), exp(x), log(x), pow(x, 1.5));
    printf("%g %g %Lg %Lg\n", (double)fabsf(-(float)x), (double)floorf((float)x), fabsl(-x), sqrtl(x));
    int exponent;
    double whole, part = modf(x, &whole);
    double fraction = frexp(x, &exponent);
    printf("%g %d %g %g %g %d\n", fraction, exponent, ldexp(x, 3), part, whole, ilogb(x));
    printf("%d %d\n", __builtin_flt_rounds(), (int)__builtin_canonicalize(x));
}

static double fenced(double a, double b) {
#pragma STDC FENV_ACCESS ON
    double c = a / b + a * b - b;
    return c > a && c != b ? (float)c : (int)c;
}

int main(void) {
    singles(1.5f, 2.25f, NAN), doubles(-100.5, 225, NAN), doubles(0.1, 0.2, INFINITY);
    longs(1.1L, 2.7L, NAN), halves(1.5f, 100.25f, NAN);
#if defined(__x86_64__)
    quads(1.25, 200, NAN);
#endif
    quiet(1, 2), quiet(NAN, 1), quiet(-INFINITY, -INFINITY), quiet(DBL_MIN / 4, -0.0);
    calls(2.5), calls(17.375);
    printf("%a\n", fenced(10, 3));
    __int128 huge = (__int128)1e30;
    unsigned __int128 uhuge = (unsigned __int128)3e37f;
    printf("%g %g %Lg\n", (double)huge, (float)uhuge, (long double)(huge * 3));
    printf("%a %a %a\n", DBL_MAX, DBL_TRUE_MIN, (double)FLT_MIN);
    return 0;
}
