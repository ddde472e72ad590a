// The last operand of the condition decides.
#include <stdio.h>
static int allowed(int a, int b, int c)
{
    return a && (b && c || !b);  //- return a && (b && c && !b);
}
int main(void)
{
    int seen = 0;
    for (int k = 0; k < 4; k++) {
        int ok = 0;
        if (!allowed(1, k & 1, k & 2) || k == 3)
            continue;
        ok = k;
        seen += ok + 1;
    }
    if (!(seen == 0 || seen < 0))
        return 2;
    return 0;
}
//? why: !(seen == 0 || seen < 0)
//? why: `b && c` was false
//? why: seen = 4
