#include "archive.h"

#include <string.h>
#include <unistd.h>

void reader_open(struct reader *reader, int fd)
{
    memset(reader, 0, sizeof *reader);
    reader->fd = fd;
    reader->line = 1;
}

/* Fill the chunk again.  A descriptor may give less than was asked for. */
static int refill(struct reader *reader)
{
    int got = 0;

    reader->used = 0;
    reader->filled = 0;
    while (reader->filled < CHUNK) {
        got = (int)read(reader->fd, reader->chunk + reader->filled, CHUNK - reader->filled);
        if (got <= 0)
            break;
        reader->filled += got;
    }
    if (reader->filled == 0)
        reader->is_at_end = 1;
    return reader->filled;
}

int reader_byte(struct reader *reader)
{
    int byte;

    if (reader->has_pushed) {
        reader->has_pushed = 0;
        return (unsigned char)reader->pushed;
    }
    if (reader->used == reader->filled && !refill(reader))
        return -1;
    byte = (unsigned char)reader->chunk[reader->used++];
    if (byte == '\n')
        reader->line++;
    return byte;
}

void reader_push(struct reader *reader, int byte)
{
    if (byte < 0)
        return;
    reader->pushed = (char)byte;
    reader->has_pushed = 1;
}

/* Read a line without its end.  A backslash at the end continues it; `#` begins a comment. */
int reader_line(struct reader *reader, char *line, int size)
{
    int length = 0;
    int byte;

again:
    while ((byte = reader_byte(reader)) >= 0 && byte != '\n') {
        if (byte == '\\') {
            int next = reader_byte(reader);
            if (next == '\n')
                continue;
            reader_push(reader, next);
        }
        if (length < size - 1)
            line[length++] = (char)byte;
    }
    line[length] = '\0';
    if (length > 0 && line[0] == '#') {
        length = 0;
        if (byte >= 0)
            goto again;
    }
    if (length == 0 && byte >= 0)
        goto again;
    return length > 0 ? length : -1;
}

int reader_bytes(struct reader *reader, char *to, int count)
{
    int done = 0;

    while (done < count) {
        int byte = reader_byte(reader);
        if (byte < 0)
            break;
        to[done++] = (char)byte;
    }
    to[done] = '\0';
    return done;
}
