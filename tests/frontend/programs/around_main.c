// Before and after main: constructors and destructors with priorities, atexit, exit in a callee.
// exit: 42
#include <stdio.h>
#include <stdlib.h>

static int order;
__attribute__((constructor(200))) static void second(void) { order = order * 10 + 2; }
__attribute__((constructor(101))) static void first(void) { order = order * 10 + 1; }
__attribute__((constructor)) static void third(void) { order = order * 10 + 3; }
__attribute__((destructor)) static void after(void) { printf("destructor %d\n", order); }
static void at_exit(void) { printf("atexit %d\n", ++order); }
static void with_status(int status, void *what) { printf("%s %d\n", (const char *)what, status); }
#if defined(__GLIBC__)
int on_exit(void (*)(int, void *), void *);
#endif

static int leave(int depth) {
    if (depth == 0) exit(42);
    return leave(depth - 1) + 1;
}

int main(void) {
    printf("main %d\n", order);
    atexit(at_exit), atexit(at_exit);
#if defined(__GLIBC__)
    on_exit(with_status, "on_exit");
#else
    with_status(42, "on_exit");
#endif
    return leave(5);
}
