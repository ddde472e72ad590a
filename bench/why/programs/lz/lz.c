/*
 * lz: a small compressor of the LZ77 family, and its decompressor.
 *
 *     usage: lz [-w WINDOW] [-c CHAIN] [-g] [-t] TEXT    compress, and check the way back
 *            lz -x HEX                                   decompress
 *
 *     -w WINDOW   how far back a match may lie (default 256)
 *     -c CHAIN    how many places are tried for a match (default 8)
 *     -g          greedy: take a match at once, without a look at the next byte
 *     -t          print the tokens
 *
 * A packed text is its length, tokens, and a check byte.  A token below 128 is
 * a run of that many plus one literal bytes, which follow; else it is a match:
 * its length less MIN_MATCH in the low seven bits, followed by the distance.
 * Lengths and distances are numbers of seven bits per byte, the lowest first.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_MATCH 3
#define MAX_MATCH (MIN_MATCH + 127)
#define MAX_RUN 128
#define MAX_TEXT 1024
#define MAX_PACKED (MAX_TEXT * 2)
#define HASH_SIZE 32

struct bytes {
    size_t length;
    size_t capacity;
    uint8_t *data;
};

struct match {
    size_t length; /* 0: there is none */
    size_t distance;
};

/* Where each hash of MIN_MATCH bytes was seen, the latest place first. */
struct index {
    int head[HASH_SIZE];
    int earlier[MAX_TEXT];
};

struct options {
    size_t window;
    int chain;
    bool greedy, show_tokens;
};

static void fail(const char *message)
{
    fprintf(stderr, "lz: %s\n", message);
    exit(1);
}

/* ---- bytes ------------------------------------------------------------ */

static void put_byte(struct bytes *out, unsigned byte)
{
    if (out->length == out->capacity)
        fail("text too long");
    out->data[out->length++] = (uint8_t)byte;
}

static void put_number(struct bytes *out, size_t number)
{
    while (number >= 128) {
        put_byte(out, 128 | (number & 127));
        number >>= 7;
    }
    put_byte(out, (unsigned)number);
}

static unsigned get_byte(const struct bytes *in, size_t *at)
{
    if (*at >= in->length)
        fail("packed text ends early");
    return in->data[(*at)++];
}

static size_t get_number(const struct bytes *in, size_t *at)
{
    size_t number = 0;
    unsigned shift = 0, byte;
    do {
        byte = get_byte(in, at);
        number |= (size_t)(byte & 127) << shift;
        shift += 7;
    } while (byte >= 128);
    return number;
}

static unsigned checksum(const uint8_t *data, size_t length)
{
    unsigned a = 1, b = 0;
    for (size_t i = 0; i < length; i++) {
        a = (a + data[i]) % 251;
        b = (b + a) % 251;
    }
    return a ^ b;
}

/* ---- finding matches -------------------------------------------------- */

static void index_init(struct index *index)
{
    for (int i = 0; i < HASH_SIZE; i++)
        index->head[i] = -1;
}

static unsigned hash_at(const struct bytes *text, size_t at)
{
    const uint8_t *p = text->data + at;
    return (p[0] * 5u + p[1] * 3u + p[2]) % HASH_SIZE;
}

static bool can_start_match(const struct bytes *text, size_t at)
{
    return at + MIN_MATCH <= text->length;
}

static void index_add(struct index *index, const struct bytes *text, size_t at)
{
    if (!can_start_match(text, at))
        return;
    unsigned hash = hash_at(text, at);
    index->earlier[at] = index->head[hash];
    index->head[hash] = (int)at;
}

static size_t common_length(const struct bytes *text, size_t earlier, size_t at)
{
    size_t length = 0;
    while (at + length < text->length && length < MAX_MATCH
           && text->data[earlier + length] == text->data[at + length])
        length++;
    return length;
}

/* The longest match for what stands at `at`; the nearest of those. */
static struct match find_match(const struct index *index, const struct bytes *text, size_t at,
                               const struct options *options)
{
    struct match best = {0, 0};
    if (!can_start_match(text, at))
        return best;
    int place = index->head[hash_at(text, at)];
    for (int tries = 0; place >= 0 && tries < options->chain; tries++) {
        size_t distance = at - (size_t)place;
        if (distance > options->window)
            break;
        size_t length = common_length(text, (size_t)place, at);
        if (length >= MIN_MATCH && length > best.length)
            best = (struct match){length, distance};
        place = index->earlier[place];
    }
    return best;
}

/* ---- compression ------------------------------------------------------ */

static void flush_run(struct bytes *out, const struct bytes *text, size_t start, size_t end,
                      const struct options *options)
{
    while (start < end) {
        size_t count = end - start < MAX_RUN ? end - start : MAX_RUN;
        put_byte(out, (unsigned)(count - 1));
        for (size_t i = 0; i < count; i++)
            put_byte(out, text->data[start + i]);
        if (options->show_tokens)
            printf("  run %.*s\n", (int)count, (const char *)text->data + start);
        start += count;
    }
}

static void put_match(struct bytes *out, struct match match, const struct options *options)
{
    assert(match.length >= MIN_MATCH && match.length <= MAX_MATCH);
    assert(match.distance >= 1);
    put_byte(out, 128 | (unsigned)(match.length - MIN_MATCH));
    put_number(out, match.distance);
    if (options->show_tokens)
        printf("  match %zu back %zu\n", match.length, match.distance);
}

static void compress(const struct bytes *text, struct bytes *out, const struct options *options)
{
    struct index index;
    size_t at = 0, run = 0; /* run: the first literal that is not written yet */
    index_init(&index);
    put_number(out, text->length);
    while (at < text->length) {
        struct match match = find_match(&index, text, at, options);
        index_add(&index, text, at);
        if (match.length > 0 && !options->greedy) {
            /* One literal more is worth it if the match after it is longer. */
            struct match next = find_match(&index, text, at + 1, options);
            if (next.length > match.length + 1)
                match.length = 0;
        }
        if (match.length == 0) {
            at++;
            continue;
        }
        flush_run(out, text, run, at, options);
        put_match(out, match, options);
        for (size_t i = 1; i < match.length; i++)
            index_add(&index, text, at + i);
        at += match.length;
        run = at;
    }
    flush_run(out, text, run, text->length, options);
    put_byte(out, checksum(text->data, text->length));
}

/* ---- decompression ---------------------------------------------------- */

static void copy_match(struct bytes *out, size_t length, size_t distance)
{
    if (distance == 0 || distance > out->length)
        fail("match lies before the text");
    /* Byte by byte: a match may run into what it writes. */
    for (size_t i = 0; i < length; i++)
        put_byte(out, out->data[out->length - distance]);
}

static void decompress(const struct bytes *packed, struct bytes *out)
{
    size_t at = 0;
    size_t length = get_number(packed, &at);
    while (out->length < length) {
        unsigned token = get_byte(packed, &at);
        if (token < 128) {
            for (unsigned i = 0; i <= token; i++)
                put_byte(out, get_byte(packed, &at));
        } else {
            size_t distance = get_number(packed, &at);
            copy_match(out, (token & 127) + MIN_MATCH, distance);
        }
    }
    assert(out->length == length);
    assert(get_byte(packed, &at) == checksum(out->data, out->length));
    if (at != packed->length)
        fail("bytes after the packed text");
}

/* ---- commands --------------------------------------------------------- */

static int hex_value(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = digit == '\0' ? NULL : strchr(digits, digit);
    if (found == NULL)
        fail("not a hexadecimal digit");
    return (int)(found - digits);
}

static void unpack_command(const char *hex)
{
    static uint8_t packed_data[MAX_PACKED], text_data[MAX_TEXT];
    struct bytes packed = {0, MAX_PACKED, packed_data}, text = {0, MAX_TEXT, text_data};
    for (; hex[0] != '\0'; hex += 2)
        put_byte(&packed, (unsigned)(hex_value(hex[0]) * 16 + hex_value(hex[1])));
    decompress(&packed, &text);
    printf("%.*s\n", (int)text.length, (const char *)text.data);
}

static void pack_command(const char *string, const struct options *options)
{
    static uint8_t text_data[MAX_TEXT], packed_data[MAX_PACKED], back_data[MAX_TEXT];
    struct bytes text = {0, MAX_TEXT, text_data};
    struct bytes packed = {0, MAX_PACKED, packed_data};
    struct bytes back = {0, MAX_TEXT, back_data};
    for (; *string != '\0'; string++)
        put_byte(&text, (unsigned char)*string);

    compress(&text, &packed, options);
    printf("%zu -> %zu\n", text.length, packed.length);
    for (size_t i = 0; i < packed.length; i++)
        printf("%02x", packed.data[i]);
    putchar('\n');

    decompress(&packed, &back);
    assert(back.length == text.length);
    for (size_t i = 0; i < text.length; i++)
        assert(back.data[i] == text.data[i]);
}

int main(int argc, char **argv)
{
    struct options options = {.window = 256, .chain = 8};
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "-g") == 0) {
            options.greedy = true;
        } else if (strcmp(argv[i], "-t") == 0) {
            options.show_tokens = true;
        } else if (strcmp(argv[i], "-w") == 0 && i + 1 < argc) {
            options.window = (size_t)atoi(argv[++i]);
        } else if (strcmp(argv[i], "-c") == 0 && i + 1 < argc) {
            options.chain = atoi(argv[++i]);
        } else if (strcmp(argv[i], "-x") == 0 && i + 1 < argc) {
            unpack_command(argv[++i]);
            return 0;
        } else {
            fail("unknown option");
        }
    }
    if (i + 1 != argc)
        fail("one text expected");
    pack_command(argv[i], &options);
    return 0;
}
