// The condition has three ways to be true.
#include <stdio.h>
static int accepts(int age, int member, int guest)
{
    if (age > 18 && (member && guest || !member))  //- if (age >= 18 && (member && guest || !member))
        return 1;
    return 0;
}
int main(void)
{
    int a = accepts(18, 0, 1), b = accepts(30, 1, 0);
    printf("%d %d\n", a, b);
    return a != 1 || b != 0;
}
//? why: `age > 18 && (member && guest || !member)` was false
//? why: age = 18
