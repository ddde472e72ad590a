// The smaller value is taken.
#include <stdio.h>
#define CLAMP(x, lo, hi) ((x) < (lo) ? (lo) : (x) > (hi) ? (hi) : (x))
static int level(int volume, int muted)
{
    int v = muted ? 0 : CLAMP(volume, 0, 10);  //- int v = muted ? 0 : CLAMP(volume, 0, 100);
    return v;
}
int main(void)
{
    int v = level(50, 0);
    printf("%d\n", v);
    return v == 50 ? 0 : 1;
}
//? why: `volume < 0` was false
//? why: volume = 50
//? why: v = 10
