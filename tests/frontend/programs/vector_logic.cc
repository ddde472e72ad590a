// Operations on vectors that only C++ has: choice by element, logical operators.
#include <cstdio>

typedef int ints __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));

template <typename V> static void show(V v) { std::printf("%g %g %g %g\n", (double)v[0], (double)v[1], (double)v[2], (double)v[3]); }

int main() {
    ints a = {1, -2, 0, 4}, b = {0, 5, 0, 2};
    floats f = {1.5f, 2, -1, 0}, g = {0, 3, -2, 8};
    show(a > b ? a : b), show(f < g ? f : g), show(a && b), show(a || b), show(!a);
    show(a ? f : g), show((a < 2) & (b == 0));
    return 0;
}
