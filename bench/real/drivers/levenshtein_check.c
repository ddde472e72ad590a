/* How many edits turn one word into another? */
#include <stdio.h>
#include <string.h>

#include "_levenshtein.h"

int main(void)
{
    const char *from = "saturday", *to = "sundays";
    size_t distance = lev_edit_distance(strlen(from), (const lev_byte *)from,
                                        strlen(to), (const lev_byte *)to, 0);
    printf("%zd\n", (ssize_t)distance);
    return 0;
}

/* Without Python, the package lacks these two functions of its own. */
void *safe_malloc(size_t count, size_t size) { return malloc(count * size); }
void *safe_malloc_3(size_t rows, size_t columns, size_t size) { return malloc(rows * columns * size); }
