// Complex numbers: arithmetic, comparison, parts, by value, of every format; complex integers.
// flags: -lm
#include <complex.h>
#include <stdio.h>

static float complex turned(float complex z) { return z * I; }
static double complex scaled(double complex z, double by) { return z * by + 1; }
// No division: zig's __divxc3 writes through a pointer that callers do not pass.
static long double complex inverse(long double complex z) { return 1 - z; }

static void show(double complex z) { printf("%.6g%+.6gi\n", creal(z), cimag(z)); }

int main(void) {
    float complex f = 1.5f + 2 * I;
    double complex d = 3 - 4 * I, e = conj(d);
    long double complex l = 0.5L + 0.25L * I;
    show(turned(f)), show(scaled(d, 2.5)), show(inverse(l));
    show(d + e), show(d - f), show(d * e), show(d / (1 + I)), show(-d), show(~d);
    d += 1, d *= e, d -= I, d /= 2;
    show(d), show(f == turned(f)), show(d != e), show(!d), show((float complex)d);
    __real__ d = 9, __imag__ d = cabs(e);
    show(d), show(d ? e : f), show(csqrt(-4));
    __complex__ int whole = 3 + 4i;
    whole = whole * whole - 2;
    printf("%d %d\n", __real__ whole, __imag__ whole);
    volatile double complex kept = e;
    show(kept), show((double)creal(kept) + 0 * I);
    printf("%g\n", (double)(float)d);
    return 0;
}
