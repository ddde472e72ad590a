/* Compresses standard input at three levels, decompresses it again and compares. */
#include "zstd.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All of standard input; its length goes to *length. */
static char *whole_input(size_t *length) {
    size_t room = 1 << 16, n;
    char *text = malloc(room);
    *length = 0;
    while ((n = fread(text + *length, 1, room - *length, stdin)) > 0)
        if ((*length += n) == room) text = realloc(text, room *= 2);
    return text;
}

static int same(int level, const char *input, size_t length) {
    size_t room = ZSTD_compressBound(length);
    char *packed = malloc(room), *back = malloc(length + 1);
    size_t size = ZSTD_compress(packed, room, input, length, level);
    size_t got = ZSTD_isError(size) ? size : ZSTD_decompress(back, length, packed, size);
    int equal = got == length && memcmp(back, input, length) == 0;
    printf("level %d: %zu -> %zu %s\n", level, length, size, equal ? "equal" : "DIFFERENT");
    free(packed), free(back);
    return equal;
}

int main(void) {
    size_t length;
    char *input = whole_input(&length);
    int ok = same(1, input, length) & same(3, input, length) & same(12, input, length);
    free(input);
    return !ok;
}
