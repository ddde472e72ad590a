// The buffer is freed before its last use, and the allocator's own links are read instead.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { struct item *next; int *count; };
int main(void)
{
    struct item *it = malloc(sizeof *it);
    int number = 4;
    it->next = NULL;
    it->count = &number;
    if (number > 3)  //- if (number > 4)
        free(it);
    memset(malloc(sizeof *it), 0x5a, sizeof *it);
    printf("%d\n", *it->count);
    return 0;
}
//? why: it->count
//? why: read from memory that program.c:13 freed
