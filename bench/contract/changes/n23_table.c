/* A table of handlers, filled at the start: one handler stands in the place of another. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
typedef int (*handler)(int);
static int same(int c) { return c; }
static int upper(int c) { return toupper(c); }
static int masked(int c) { return isdigit(c) ? '#' : c; }
static struct { char kind; handler apply; } table[8];
static int entries;
static void enter(char kind, handler apply) {
    table[entries].kind = kind;
    table[entries++].apply = apply;
}
static void fill(void) {
    enter('u', upper);
    enter('m', @{same|masked});
    enter('s', same);
}
static void changed(char kind, char *text) {
    for (int i = 0; i < entries; i++)
        if (table[i].kind == kind)
            for (char *c = text; *c; c++)
                *c = (char)table[i].apply(*c);
}
int main(void) {
    char text[] = "room 101", other[] = "b 7";
    fill();
    changed('m', text);
    changed('u', other);
    printf("%s, %s\n", text, other);
    return 0;
}
