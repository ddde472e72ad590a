/* Compresses standard input in three ways, decompresses it again and compares. */
#include "lz4.h"
#include "lz4frame.h"
#include "lz4hc.h"
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

static int same(const char *how, const char *input, int length, const char *packed, int size) {
    char *back = malloc(length + 1);
    int got = LZ4_decompress_safe(packed, back, size, length);
    int equal = got == length && memcmp(back, input, length) == 0;
    printf("%s: %d -> %d %s\n", how, length, size, equal ? "equal" : "DIFFERENT");
    free(back);
    return equal;
}

static int same_frame(const char *input, size_t length) {
    size_t room = LZ4F_compressFrameBound(length, NULL), left, size = length;
    char *packed = malloc(room), *back = malloc(length + 1);
    left = room = LZ4F_compressFrame(packed, room, input, length, NULL);
    LZ4F_dctx *context;
    LZ4F_createDecompressionContext(&context, LZ4F_VERSION);
    size_t more = LZ4F_decompress(context, back, &size, packed, &left, NULL);
    LZ4F_freeDecompressionContext(context);
    int equal = more == 0 && size == length && memcmp(back, input, length) == 0;
    printf("frame: %zu -> %zu %s\n", length, room, equal ? "equal" : "DIFFERENT");
    free(packed), free(back);
    return equal;
}

int main(void) {
    size_t read;
    char *input = whole_input(&read);
    int length = (int)read, bound = LZ4_compressBound(length);
    char *packed = malloc(bound);
    int ok = same("fast", input, length, packed, LZ4_compress_default(input, packed, length, bound));
    ok &= same("high", input, length, packed, LZ4_compress_HC(input, packed, length, bound, 6));
    ok &= same_frame(input, length);
    free(packed), free(input);
    return !ok;
}
