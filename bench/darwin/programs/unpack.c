/* Unpacks a packed text: unpack HEX
 *
 * The packed text is written in hexadecimal digits.  The first byte is the kind (1: with a sum at
 * the end, 0: without one), the second one the length of the text.  Then come tokens: a byte below
 * 0x80 is the number of bytes that follow as they are; any other byte is a copy, with the length in
 * its low four bits (plus 3), and the distance in the next byte.  A copy may reach into itself.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PACKED 200
#define MAX_TEXT 400
#define WINDOW 64

enum result { FINE, SHORT, LONG, FAR, BROKEN, SUM };

static const char *const messages[] = {
    "fine",
    "the packed text ends too early",
    "the text is too long",
    "a copy from before the text",
    "no packed text",
    "the sum is wrong",
};

struct reader {
    unsigned char bytes[MAX_PACKED];
    int count;
    int at;
};

struct text {
    unsigned char bytes[MAX_TEXT];
    int length;
    int wanted;
    unsigned char window[WINDOW];
    int in_window;
};

static int digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = tolower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum result read_hex(struct reader *r, const char *hex)
{
    size_t i, length = strlen(hex);
    if (length % 2 != 0 || length / 2 > MAX_PACKED)
        return BROKEN;
    for (i = 0; i < length; i += 2) {
        int high = digit(hex[i]), low = digit(hex[i + 1]);
        if (high < 0 || low < 0)
            return BROKEN;
        r->bytes[r->count++] = (unsigned char)(high * 16 + low);
    }
    return FINE;
}

static int has(const struct reader *r, int count)
{
    return r->at + count <= r->count;
}

static void put(struct text *text, unsigned char byte)
{
    text->bytes[text->length++] = byte;
    text->window[text->in_window % WINDOW] = byte;
    text->in_window++;
}

static enum result literal(struct reader *r, struct text *text, int count)
{
    int i;
    if (!has(r, count))
        return SHORT;
    if (text->length + count > text->wanted)
        return LONG;
    for (i = 0; i < count; i++)
        put(text, r->bytes[r->at + i]);
    r->at += count;
    return FINE;
}

static enum result copy(struct reader *r, struct text *text, int length)
{
    int distance, i;
    if (!has(r, 1))
        return SHORT;
    distance = r->bytes[r->at++];
    if (distance == 0 || distance > text->length || distance > WINDOW)
        return FAR;
    if (text->length + length > text->wanted)
        return LONG;
    for (i = 0; i < length; i++) {
        int from = text->in_window - distance;
        put(text, text->window[from % WINDOW]);
    }
    return FINE;
}

static enum result tokens(struct reader *r, struct text *text)
{
    enum result result = FINE;
    while (result == FINE && text->length < text->wanted) {
        int token;
        if (!has(r, 1))
            return SHORT;
        token = r->bytes[r->at++];
        if (token < 0x80)
            result = literal(r, text, token);
        else
            result = copy(r, text, (token & 0x0f) + 3);
    }
    return result;
}

/* The sum of all bytes, each one rotated by its place. */
static int sum_of(const struct text *text)
{
    int i, sum = 0;
    for (i = 0; i < text->length; i++) {
        int byte = text->bytes[i], by = i % 4;
        sum += (byte << by | byte >> (8 - by)) & 0xff;
    }
    return sum & 0xff;
}

static enum result unpack(struct reader *r, struct text *text)
{
    int kind;
    enum result result;
    if (!has(r, 2))
        return SHORT;
    kind = r->bytes[r->at++];
    if (kind > 1)
        return BROKEN;
    text->wanted = r->bytes[r->at++];
    result = tokens(r, text);
    if (result != FINE)
        return result;
    if (kind == 1) {
        if (!has(r, 1))
            return SHORT;
        if (r->bytes[r->at++] != sum_of(text))
            return SUM;
    }
    return r->at == r->count ? FINE : LONG;
}

static void show(const struct text *text)
{
    int i;
    for (i = 0; i < text->length; i++) {
        int c = text->bytes[i];
        if (isprint(c))
            putchar(c);
        else
            printf("<%02x>", c);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    static struct reader reader;
    static struct text text;
    enum result result;
    if (argc != 2) {
        fputs("usage: unpack HEX\n", stderr);
        return 2;
    }
    result = read_hex(&reader, argv[1]);
    if (result == FINE)
        result = unpack(&reader, &text);
    show(&text);
    if (result != FINE) {
        puts(messages[result]);
        return 1;
    }
    return 0;
}
