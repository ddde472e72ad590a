#include <stdio.h>
static int average(const int *a, int n, int skip)
{
    int sum = 0, used = 0;
    for (int i = 0; i < n; i++) {
        if (a[i] <= skip)  //- if (a[i] < skip)
            continue;
        sum += a[i];
        used += 1;
    }
    return sum / used;
}
int main(void)
{
    int a[] = {3, 3, 2};
    printf("%d\n", average(a, 3, 3));
    return 0;
}
//? why: `used` is 0
//? why: `a[i] <= skip` was true
//? why: skip = 3
