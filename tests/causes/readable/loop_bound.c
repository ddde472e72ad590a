// One item too few is summed.
#include <stdio.h>
static int sum(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n - 1; i++)  //- for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
int main(void)
{
    int a[] = {1, 2, 3, 4};
    int s = sum(a, 4);
    printf("%d\n", s);
    return s != 10;
}
//? why: `i < n - 1` was false
//? why: i = 3
//? why: n = 4
//? explain: `i < n - 1`
//? explain: i = 3
