// Operations that clang has intrinsics for when math functions need not set errno: fused
// multiply-add, transcendental functions, remainders, vectors by element, masked memory.
// flags: -fno-math-errno -lm
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>

typedef float floats __attribute__((ext_vector_type(4)));
typedef int ints __attribute__((ext_vector_type(4)));
typedef unsigned uints __attribute__((ext_vector_type(4)));
typedef _Bool mask __attribute__((ext_vector_type(4)));

static void show(floats v) { printf("%.5g %.5g %.5g %.5g\n", v[0], v[1], v[2], v[3]); }
static void show_i(ints v) { printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]); }
static double added(double a, double b, double c) { return a * b + c; }
static float remainder_of(float a, float b) { return __builtin_elementwise_fmod(a, b); }

static void scalars(double x) {
    printf("%.10g %.10g %.10g %.10g %.10g\n", sin(x), cos(x), tan(x), asin(x / 9), acos(x / 9));
    printf("%.10g %.10g %.10g %.10g %.10g\n", atan(x), atan2(x, 2), sinh(x), cosh(x), tanh(x));
    printf("%.10g %.10g %.10g %.10g %.10g\n", exp(x), exp2(x), log(x), log2(x), log10(x));
    printf("%.10g %.10g %.10g %g\n", pow(x, 1.5), fma(x, x, x), sqrt(x), fmod(x, 0.75));
    printf("%ld %ld %lld %lld\n", lround(x), lrint(x), llround(x), llrint(x));
    printf("%.5g %.5g %.5g %.5g\n", sinf(x), expf(x), powf(x, 2), (double)expl(x));
    double s, c;
    sincos(x, &s, &c);
    printf("%.10g %.10g %.10g %g\n", s, c, ldexp(x, 2), roundeven(x));
}

int main(void) {
    scalars(0.5), scalars(2.75);
    printf("%a %a %g\n", added(0.1, 10, -1), (double)(1.5f * (float)added(1, 2, 3) + 2), remainder_of(7.5f, 2));
    floats v = {0.5f, 1.5f, 2.5f, 4}, w = {-1, 2, -3, 1};
    show(__builtin_elementwise_exp(v)), show(__builtin_elementwise_log(v)), show(__builtin_elementwise_pow(v, w));
    show(__builtin_elementwise_round(v)), show(__builtin_elementwise_roundeven(v)), show(__builtin_elementwise_trunc(v));
    show(__builtin_elementwise_fma(v, w, v)), show(__builtin_elementwise_copysign(v, w)), show(v * w + v);
    show(__builtin_elementwise_minimum(v, w)), show(__builtin_elementwise_maximum(v, w)), show(__builtin_elementwise_fmod(v, w));
    ints i = {1, -2, 300, 1 << 20};
    uints u = {1, 2, 3, 4};
    show_i(__builtin_elementwise_popcount(i)), show_i(__builtin_elementwise_bitreverse(i)), show_i(__builtin_elementwise_fshl(i, i, i));
    show_i((ints)__builtin_elementwise_max(u, (uints)i)), show_i((ints)__builtin_elementwise_min(u, (uints)i));
    printf("%u %u %d\n", __builtin_reduce_max(u), __builtin_reduce_min(u), __builtin_reduce_mul(i));
#if __has_builtin(__builtin_masked_load)
    int memory[4] = {10, 20, 30, 40};
    mask some = {1, 0, 1, 0};
    ints loaded = __builtin_masked_load(some, memory, i);
    __builtin_masked_store(some, loaded + 1, memory);
    show_i(loaded), printf("%d %d\n", memory[0], memory[1]);
#endif
    return 0;
}
