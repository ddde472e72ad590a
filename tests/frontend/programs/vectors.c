// Vectors: the vector_size extension, element access, shuffles, conversions, reductions; SSE.
// flags: -lm
#include <stdio.h>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

typedef int ints __attribute__((vector_size(16)));
typedef unsigned uints __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(32)));
typedef unsigned char bytes __attribute__((vector_size(8)));
typedef long longs __attribute__((vector_size(32)));
typedef short tall __attribute__((vector_size(64)));
typedef float floats3 __attribute__((ext_vector_type(3)));
typedef _Bool flags __attribute__((ext_vector_type(8)));

static void show(ints v) { printf("%d %d %d %d\n", v[0], v[1], v[2], v[3]); }
static void show_f(floats v) { printf("%g %g %g %g\n", v[0], v[1], v[2], v[3]); }
static doubles doubled(doubles v) { return v + v; }
static bytes brighter(bytes v, unsigned char by) { return v + by; }

struct lit {
    int before;
    floats light;
    bytes colour;
};

static struct lit dimmed(struct lit l) {
    l.light *= 0.5f, l.colour >>= 1;
    return l;
}

int main(void) {
    ints a = {1, -2, 300, 4}, b = {7, 5, -3, 2};
    show(a + b), show(a - b), show(a * b), show(a / b), show(a % b), show(-a), show(~a);
    show(a & b), show(a | b), show(a ^ b), show(a << 2), show(a >> 1);
    show(a < b), show(a == b), show(a >= b);
    show((ints)((uints)a / 3u)), show((ints)((uints)a >> 4)), show((ints)((uints)a < (uints)b));
    for (int i = 0; i < 4; i++) a[i] += i * b[3 - i];
    show(a), show(__builtin_shufflevector(a, b, 0, 4, 3, 7));
    floats f = __builtin_convertvector(a, floats), g = {0.5f, 2, -1, 8};
    show_f(f + g), show_f(f - g), show_f(f * g), show_f(f / g), show_f(-f), show(f < g), show(f != g);
    show(__builtin_convertvector(f * 0.5f, ints)), show((ints)f);
    doubles d = doubled((doubles){1, 2, 3, 4});
    d[2] = 0.25;
    printf("%g %g %g %g\n", d[0], d[1], d[2], d[3]);
    longs l = __builtin_convertvector(d, longs) + 1;
    printf("%ld %ld\n", l[0], l[3]);
    bytes c = brighter((bytes){250, 1, 2, 3, 4, 5, 6, 7}, 10);
    printf("%d %d %d\n", c[0], c[1], c[7]);
    tall t = {1, 2, 3};
    t[31] = 9;
    t *= t;
    printf("%d %d\n", t[2], t[31]);
    floats3 p = {1, 2, 3};
    p.yx = p.xz;
    p = p.zyx * 2;
    printf("%g %g %g\n", p.x, p.y, p.z);
    flags set = __builtin_convertvector(c, flags);
    printf("%d%d\n", set[0], set[1]);
    struct lit lit = dimmed((struct lit){1, g, c});
    printf("%d %g %d\n", lit.before, lit.light[3], lit.colour[0]);
    printf("%d %d %d %d %d %d\n", __builtin_reduce_add(a), __builtin_reduce_max(b),
           __builtin_reduce_min(a), __builtin_reduce_and(a), __builtin_reduce_or(b),
           __builtin_reduce_xor(a));
    show(__builtin_elementwise_abs(a)), show(__builtin_elementwise_max(a, b));
    show(__builtin_elementwise_min(a, b)), show(__builtin_elementwise_add_sat(a, b));
    show(__builtin_elementwise_sub_sat(a, b)), show_f(__builtin_elementwise_floor(f / 3));
    show_f(__builtin_elementwise_sqrt(__builtin_elementwise_abs(f)));
#if defined(__x86_64__)
    __m128i x = _mm_set_epi32(4, 3, 2, 1), y = _mm_set1_epi32(3);
    show((ints)_mm_add_epi32(x, y)), show((ints)_mm_madd_epi16(x, y)), show((ints)_mm_packs_epi32(x, y));
    printf("%d\n", _mm_movemask_epi8(_mm_cmpgt_epi32(x, y)));
    show_f((floats)_mm_sqrt_ps((__m128)(g * g))), show_f((floats)_mm_max_ps((__m128)f, (__m128)g));
    show_f((floats)_mm_shuffle_ps((__m128)f, (__m128)g, _MM_SHUFFLE(3, 1, 2, 0)));
    int out[4];
    _mm_storeu_si128((__m128i *)out, _mm_slli_epi32(x, 2));
    printf("%d %d\n", out[0], out[3]);
#endif
    return 0;
}
