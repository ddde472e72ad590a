// The sum leaves out the last argument.
#include <stdarg.h>
#include <stdio.h>
static double total(int n, ...)
{
    va_list ap;
    double sum = 0;
    va_start(ap, n);
    for (int i = 1; i < n; i++)  //- for (int i = 0; i < n; i++)
        sum += va_arg(ap, double);
    va_end(ap);
    return sum;
}
int main(void)
{
    double t = total(3, 1.5, 2.5, 4.0);
    printf("%g\n", t);
    if (t != 8.0)
        return 1;
    return 0;
}
//? why: `t != 8.0` was true
//? why: t = 4.0
//? why: `i < n` was false
//? why: i = 3
//? why: n = 3
//? why: inside va_arg(ap, double)
//! why: gp_offset
//! why: fp_offset
//! why: code without a line
