// _exit in a callee: no handlers run, buffers are lost.
// exit: 17
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void never(void) { fprintf(stderr, "never\n"); }
static int leave(int x) { if (x % 17 == 0) _exit(x); return x; }

int main(void) {
    atexit(never);
    write(1, "written\n", 8);
    printf("lost");
    for (int i = 1; i < 100; i++) leave(i);
    return 0;
}
