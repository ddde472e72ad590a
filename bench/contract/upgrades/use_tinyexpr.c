/* A user's program: expressions with variables and a function, and their errors. */
#include "tinyexpr.h"
#include <stdio.h>

static double half(double x) { return x / 2; }

int main(void) {
    const char *texts[] = {"1 + 2 * 3", "half(w) ^ 2 - 1", "max_w + 1", "sqrt(w) / (h - 4)", "fac(5) % 7",
                           "2 ^ 3 ^ 2", "(1, 2, w)", "pow(2, ", "Width * 2", "w & h"};
    double w = 16, h = 4, max_w = 20;
    te_variable names[] = {{"w", &w}, {"h", &h}, {"max_w", &max_w}, {"half", half, TE_FUNCTION1}};
    for (int i = 0; i < 10; i++) {
        int error = 0;
        te_expr *found = te_compile(texts[i], names, 4, &error);
        if (!found) {
            printf("%s: error at %d\n", texts[i], error);
            continue;
        }
        printf("%s = %g\n", texts[i], te_eval(found));
        te_free(found);
    }
    return 0;
}
