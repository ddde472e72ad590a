// The clock and the process number are part of the printed line, and the sum is wrong.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static int scale(int n)
{
    return n * 2;  //- return n * 3;
}
int main(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    long stamp = now.tv_sec * 1000000000L + now.tv_nsec;
    int pid = getpid();
    srand((unsigned)(stamp ^ pid));
    int dice = rand() % 6;
    int n = scale(7);
    char line[80];
    snprintf(line, sizeof line, "%ld %d %d: %d", stamp, pid, dice, n);
    printf("%d\n", n);
    return n == 21 ? 0 : 1;
}
//? explain: return value = 14
//! explain: stamp
//! explain: dice
//! explain: pid
