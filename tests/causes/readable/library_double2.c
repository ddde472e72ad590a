// flags: -lm
// atof() and floor() return doubles; a float and a long double come along.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static int price(const char *text, float rate)
{
    double amount = atof(text);
    long double scaled = amount * 100;
    double cut = floor((double)scaled * rate);  //- double cut = ceil((double)scaled * rate);
    return (int)cut;
}
int main(void)
{
    int p = price("12.345", 1.5f);
    printf("%d\n", p);
    return p == 1851;
}
//? why: atof(text) = 12.345
//? why: = 1851.0
//? why: scaled = 1234.5
//! why: e-321
