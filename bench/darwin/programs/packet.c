/* Decodes a packet that is written in hexadecimal digits, and prints its fields.
 *
 *   packet HEX     version(4) kind(4) length(8) flags(8) fields... checksum(8)
 *   a field: tag(8) length(8) bytes...; tag 1 a number, 2 a text, 3 a date in days since 2000
 */
#include <stdio.h>
#include <string.h>

enum { MAX = 64, COMPRESSED = 1, SIGNED = 2, NUMBER = 1, TEXT = 2, DATE = 3 };

struct reader {
    unsigned char bytes[MAX];
    int count, at;
    const char *problem;
};

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static int decode(struct reader *r, const char *text)
{
    r->count = 0;
    while (text[0] != '\0' && r->count < MAX) {
        int high = digit(text[0]), low;
        if (high < 0)
            return 0;
        low = digit(text[1]);
        if (low < 0)
            return 0;
        r->bytes[r->count++] = high << 4 | low;
        text += 2;
    }
    return text[0] == '\0';
}

static int next(struct reader *r)
{
    if (r->at >= r->count) {
        r->problem = "too short";
        return 0;
    }
    return r->bytes[r->at++];
}

static unsigned sum_of(const struct reader *r, int count)
{
    unsigned sum = 0;
    int i;
    for (i = 0; i < count; i++) {
        sum += r->bytes[i];
        sum = (sum & 0xff) + (sum >> 8);
    }
    return sum;
}

static long number(struct reader *r, int length, int is_signed)
{
    long value = 0;
    int i;
    for (i = 0; i < length; i++)
        value = value << 8 | next(r);
    if (is_signed && length > 0 && value >> (8 * length - 1) & 1)
        value -= 1L << 8 * length;
    return value;
}

static int is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static void print_date(long days)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = 2000, month = 0;
    while (days >= 365 + is_leap(year)) {
        days -= 365 + is_leap(year);
        year++;
    }
    while (days >= lengths[month] + (month == 1 && is_leap(year))) {
        days -= lengths[month] + (month == 1 && is_leap(year));
        month++;
    }
    printf("date %d-%02d-%02ld\n", year, month + 1, days + 1);
}

static void print_text(struct reader *r, int length, int is_compressed)
{
    int i, j;
    printf("text ");
    for (i = 0; i < length; i++) {
        int c = next(r), times = 1;
        if (is_compressed && c & 0x80) {
            times = c & 0x7f;
            c = next(r);
            i++;
        }
        if (c < ' ' || c > '~')
            c = '.';
        for (j = 0; j < times; j++)
            putchar(c);
    }
    putchar('\n');
}

static void print_field(struct reader *r, int flags)
{
    int tag = next(r), length = next(r);
    if (r->problem != NULL)
        return;
    if (r->at + length > r->count) {
        r->problem = "field too long";
        return;
    }
    switch (tag) {
    case NUMBER:
        if (length > 4)
            r->problem = "number too long";
        else
            printf("number %ld\n", number(r, length, (flags & SIGNED) != 0));
        break;
    case TEXT:
        print_text(r, length, flags & COMPRESSED);
        break;
    case DATE:
        print_date(number(r, length, 0));
        break;
    default:
        printf("tag %d skipped\n", tag);
        r->at += length;
    }
}

int main(int argc, char **argv)
{
    struct reader r = {{0}, 0, 0, NULL};
    int first, length, flags;
    if (argc < 2 || !decode(&r, argv[1])) {
        puts("no hexadecimal digits");
        return 2;
    }
    first = next(&r);
    length = next(&r);
    flags = next(&r);
    if (r.problem == NULL && first >> 4 != 1)
        r.problem = "unknown version";
    if (r.problem == NULL && length != r.count)
        r.problem = "wrong length";
    if (r.problem == NULL && sum_of(&r, r.count - 1) != r.bytes[r.count - 1])
        r.problem = "wrong checksum";
    r.count--;
    if (r.problem == NULL)
        printf("kind %d\n", first & 15);
    while (r.problem == NULL && r.at < r.count)
        print_field(&r, flags);
    if (r.problem != NULL)
        printf("broken: %s\n", r.problem);
    return r.problem != NULL;
}
