// Rare operations, and operations on rare floats.
// flags: -lm
#include <math.h>
#include <stdio.h>
#include <string.h>

static double double_of(unsigned long bits) {
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

static float float_of(unsigned bits) {
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static const unsigned long DOUBLES[] = {
    0,                  0x8000000000000000, 1,                  0x3ff0000000000000,
    0xc004000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000000000001, 0xfff8000000000002, 0x7ff0000000000003, 0xfff0000000000004,
};
static const unsigned FLOATS[] = {
    0,          0x80000000, 1,          0x3f800000, 0xc0200000, 0x7f7fffff,
    0x7f800000, 0xff800000, 0x7fc00001, 0xffc00002, 0x7f800003, 0xff800004,
};

static int doubles(double a, double b) {
    double sum = a + b, difference = a - b, product = a * b, quotient = a / b;
    double fused = fma(a, b, sum), mixed = a * b + sum, rest = fmod(a, b), root = sqrt(a);
    double low = fmin(a, b), high = fmax(a, b), signed_ = copysign(a, b), near = round(a);
    float narrow = (float)a;
    _Float16 half = (_Float16)a;
    _Float16 halves = half * (_Float16)b;
    return (a < b) + (a <= b) + (a == b) + (a != b) + !!isnan(a) + !!isinf(a) + !!isfinite(a) +
           !!isnormal(a) + (floor(a) < ceil(b)) + (trunc(a) == rint(a));
}

static int floats(float a, float b) {
    float sum = a + b, difference = a - b, product = a * b, quotient = a / b;
    float fused = fmaf(a, b, sum), rest = fmodf(a, b), root = sqrtf(a), mixed = a * b + sum;
    double wide = a;
    return (a < b) + (a > b) + (a >= b) + (floorf(a) == roundf(b)) + (int)fminf(fmaxf(a, 1), 2);
}

static int checked(int a, int b) {
    int sum, difference, product;
    unsigned usum, udifference, uproduct;
    return __builtin_add_overflow(a, b, &sum) + __builtin_sub_overflow(a, b, &difference) +
           __builtin_mul_overflow(a, b, &product) +
           __builtin_add_overflow((unsigned)a, (unsigned)b, &usum) +
           __builtin_sub_overflow((unsigned)a, (unsigned)b, &udifference) +
           __builtin_mul_overflow((unsigned)a, (unsigned)b, &uproduct);
}

static int chosen(int a, int b) {
    unsigned u = (unsigned)a, v = (unsigned)b;
    int larger = __builtin_elementwise_max(a, b), smaller = __builtin_elementwise_min(a, b);
    unsigned ularger = __builtin_elementwise_max(u, v), usmaller = __builtin_elementwise_min(u, v);
    switch (a % 5) {
    case -4: return larger;
    case 0: return smaller;
    case 3: return (int)ularger;
    default: return (int)usmaller;
    }
}

int main(void) {
    static const int INTS[] = {0, 1, -1, 7, -9, 2147483647, -2147483647 - 1};
    int total = 0;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            total += doubles(double_of(DOUBLES[i]), double_of(DOUBLES[j]));
            total += floats(float_of(FLOATS[i]), float_of(FLOATS[j]));
        }
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) total += checked(INTS[i], INTS[j]) + chosen(INTS[i], INTS[j]) % 9;
    printf("%d\n", total);
    return 0;
}
