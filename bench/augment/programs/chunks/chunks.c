/* Reads a picture container from standard input: a signature, then chunks of
     length (2 bytes, high byte first), type (4 letters), data, checksum (2 bytes).
   Says what is in it.  Chunks: HEAD width height depth; PALE entries; TEXT key, 0, text;
   TIME year(2) month day; DATA rows; STOP. */

#include <stdio.h>
#include <string.h>

#define MAX_INPUT 512
#define MAX_ENTRIES 16

struct picture {
    int width, height, depth;
    int entries;
    unsigned char palette[MAX_ENTRIES][3];
    int bytes, sum;
    int texts, has_head, has_stop, unknown;
};

static unsigned char input[MAX_INPUT];
static int size, at;

static int be16(const unsigned char *p)
{
    return p[0] << 8 | p[1];
}

/* Two sums, each modulo 251. */
static int checksum(const unsigned char *p, int n)
{
    int a = 1, b = 0, i;
    for (i = 0; i < n; i++) {
        a = (a + p[i]) % 251;
        b = (b + a) % 251;
    }
    return b << 8 | a;
}

static int is_type(const unsigned char *chunk, const char *name)
{
    return memcmp(chunk + 2, name, 4) == 0;
}

static int complain(const char *what)
{
    printf("error: %s at %d\n", what, at);
    return 1;
}

static int read_head(struct picture *out, const unsigned char *data, int n)
{
    if (n != 5)
        return complain("head has a wrong length");
    if (out->has_head)
        return complain("second head");
    out->width = be16(data);
    out->height = be16(data + 2);
    out->depth = data[4];
    if (out->width == 0 || out->height == 0)
        return complain("empty picture");
    if (out->depth != 1 && out->depth != 8 && out->depth != 24)
        return complain("bad depth");
    out->has_head = 1;
    return 0;
}

static int read_palette(struct picture *out, const unsigned char *data, int n)
{
    int i;
    if (n % 3)
        return complain("palette is cut");
    if (n / 3 > MAX_ENTRIES)
        return complain("palette is too long");
    for (i = 0; i < n / 3; i++)
        memcpy(out->palette[i], data + 3 * i, 3);
    out->entries = n / 3;
    return 0;
}

static int read_text(struct picture *out, const unsigned char *data, int n)
{
    int key = 0;
    while (key < n && data[key])
        key++;
    if (key == 0)
        return complain("text without a key");
    if (key == n)
        return complain("text without an end of its key");
    out->texts++;
    if (key == 5 && memcmp(data, "title", 5) == 0)
        printf("title: %.*s\n", n - key - 1, (const char *)data + key + 1);
    return 0;
}

static int read_time(const unsigned char *data, int n)
{
    static const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day;
    if (n != 4)
        return complain("time has a wrong length");
    year = be16(data);
    month = data[2];
    day = data[3];
    if (month < 1 || month > 12)
        return complain("bad month");
    if (day < 1 || day > days[month - 1])
        return complain("bad day");
    printf("made: %d-%02d-%02d\n", year, month, day);
    return 0;
}

static int row_bytes(const struct picture *of)
{
    if (of->depth == 1)
        return (of->width + 7) / 8;
    if (of->depth == 8)
        return of->width;
    return 3 * of->width;
}

static int read_data(struct picture *out, const unsigned char *data, int n)
{
    int i;
    if (!out->has_head)
        return complain("data before head");
    for (i = 0; i < n; i++) {
        if (out->depth == 8 && out->entries && data[i] >= out->entries)
            return complain("no such entry");
        out->sum = (out->sum * 31 + data[i]) & 0xffff;
    }
    out->bytes += n;
    return 0;
}

static int read_chunk(struct picture *out)
{
    const unsigned char *chunk = input + at;
    int n, check;
    if (at + 8 > size)
        return complain("cut");
    n = be16(chunk);
    if (at + 8 + n > size)
        return complain("chunk is too long");
    check = be16(chunk + 6 + n);
    if (check != checksum(chunk + 2, n + 4))
        return complain("wrong checksum");
    at += 8 + n;
    if (is_type(chunk, "HEAD"))
        return read_head(out, chunk + 6, n);
    if (is_type(chunk, "PALE"))
        return read_palette(out, chunk + 6, n);
    if (is_type(chunk, "TEXT"))
        return read_text(out, chunk + 6, n);
    if (is_type(chunk, "TIME"))
        return read_time(chunk + 6, n);
    if (is_type(chunk, "DATA"))
        return read_data(out, chunk + 6, n);
    if (is_type(chunk, "STOP")) {
        out->has_stop = 1;
        return 0;
    }
    if (chunk[2] >= 'A' && chunk[2] <= 'Z')
        return complain("unknown chunk that is needed");
    out->unknown++;
    return 0;
}

int main(void)
{
    static struct picture picture;
    size = (int)fread(input, 1, sizeof input, stdin);
    if (size < 4 || memcmp(input, "\x89PiC", 4)) {
        printf("no picture\n");
        return 2;
    }
    at = 4;
    while (!picture.has_stop)
        if (read_chunk(&picture))
            return 1;
    if (!picture.has_head)
        return complain("no head");
    if (picture.bytes != row_bytes(&picture) * picture.height)
        return complain("wrong number of rows");
    printf("%dx%d depth %d, %d entries, %d texts, sum %d\n", picture.width, picture.height,
           picture.depth, picture.entries, picture.texts, picture.sum);
    if (picture.unknown)
        printf("%d unknown\n", picture.unknown);
    if (at < size)
        printf("%d bytes left over\n", size - at);
    return 0;
}
