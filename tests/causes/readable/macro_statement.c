// CHECK is a statement; FIELD and LAST are the project's own words.
#include <stdio.h>
#include <stdlib.h>
#define CHECK(cond) do { if (!(cond)) { fprintf(stderr, "failed: %s\n", #cond); exit(3); } } while (0)
#define FIELD(o, f) ((o)->data.f)
#define LAST(v) ((v)->items[(v)->count - 1])
struct vector { int items[8]; int count; };
struct object { struct { int width, height; } data; };
static int area(struct object *o)
{
    return FIELD(o, width) + FIELD(o, height);  //- return FIELD(o, width) * FIELD(o, height);
}
int main(void)
{
    struct object o = {{3, 4}};
    struct vector v = {.count = 0};
    v.items[v.count++] = area(&o);
    CHECK(LAST(&v) == 12);
    return 0;
}
//? why: `LAST(&v) == 12` was false with LAST(&v) = 7
//! why: code without a line
