/* Compresses standard input at three levels, decompresses it again and compares. */
#include "zstd.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(int argc, char **argv) {
    size_t room = argc > 1 ? strtoul(argv[1], NULL, 10) : 1 << 20;
    char *input = malloc(room);
    size_t length = fread(input, 1, room, stdin);
    int ok = same(1, input, length) & same(3, input, length) & same(12, input, length);
    free(input);
    return !ok;
}
