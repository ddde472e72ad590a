// Names: weak and aliased functions, undefined weak ones, tentative definitions, pointers to
// globals in initialisers, hidden and inline functions, K&R declarations, constants' addresses.
#include <stdint.h>
#include <stdio.h>

int tentative;
int tentative;
extern int later;
static int *const to_later = &later, *into[2] = {&tentative, &later};
static char text[] = "changeable", *inside = text + 3;
int later = 12;

__attribute__((weak)) int replaceable(int x) { return x + 1; }
int original(int x) { return x * 3; }
int renamed(int x) __attribute__((alias("original")));
extern int missing(int) __attribute__((weak));
extern int absent __attribute__((weak));
__attribute__((visibility("hidden"))) int hidden(int x) { return x - 1; }
static inline int small(int x) { return x ^ 1; }
inline int either(int x) { return x & 7; }
extern int either(int x);
int old(), later_declared(int);
int old(int a) { return a << 1; }
int volatile touched = 4;
static long difference = (char *)&text[4] - (char *)&text[1];
static const struct { const char *name; int (*call)(int); long offset; } unused;

int main(void) {
    struct entry { const char *name; int (*call)(int); } entries[] = {{"replaceable", replaceable}, {"renamed", renamed}, {"hidden", hidden}, {"small", small}, {"either", either}, {"old", old}};
    for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++) printf("%s %d\n", entries[i].name, entries[i].call(5));
    *inside = 'N', *into[0] += 5, touched += 2;
    printf("%s %d %d %d %ld\n", text, tentative, *to_later, touched, difference);
    printf("%d %d %d\n", missing == NULL, &absent == NULL, renamed == original);
    printf("%d %d\n", (uintptr_t)&later % 4 == 0, (int)((char *)&into[1] - (char *)into));
    return unused.offset;
}
