/* Reads standard input in chunks, and cuts it into lines. */
#include <string.h>

#include "filter.h"

void open_source(struct source *source)
{
    memset(source, 0, sizeof *source);
}

static int refill(struct source *source)
{
    if (source->at_end)
        return 0;
    source->used = 0;
    source->filled = fread(source->buffer, 1, sizeof source->buffer, stdin);
    if (source->filled == 0)
        source->at_end = 1;
    return source->filled > 0;
}

/* Reads one line; 0 if there is none. */
int read_line(struct source *source, struct line *line)
{
    int any = 0;
    line_clear(line);
    line->chomped = 0;
    while (source->used < source->filled || refill(source)) {
        const char *start = source->buffer + source->used;
        size_t left = source->filled - source->used;
        const char *end = memchr(start, '\n', left);
        any = 1;
        if (end != NULL) {
            line_append(line, start, (size_t)(end - start));
            source->used += (size_t)(end - start) + 1;
            line->chomped = 1;
            break;
        }
        line_append(line, start, left);
        source->used = source->filled;
    }
    if (any)
        source->line_number++;
    return any;
}

int is_last_line(struct source *source)
{
    return source->used == source->filled && !refill(source);
}
