#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
// A flag is kept as a bit-field and a union is read through its other member.
struct flags { unsigned open : 1, mode : 3; int level : 4; };
union cell { float f; unsigned u; };
static struct flags make(int mode, int level)
{
    struct flags f = {1, mode & 3, level};  //- struct flags f = {1, mode & 7, level};
    return f;
}
int main(void)
{
    struct flags f = make(5, -2);
    union cell c;
    c.f = 1.5f;
    bool high = c.u > 0x3f800000 && f.level < 0;
    printf("%d %d\n", high, f.mode);
    assert(high && f.mode == 5);
    return 0;
}
//? why: high && f.mode == 5
//? why: f.mode = 1
