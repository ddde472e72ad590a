/* Lines that grow. */
#include <stdlib.h>
#include <string.h>

#include "filter.h"

void fail(const char *message, const char *about)
{
    printf("filter: %s%s\n", message, about);
    exit(1);
}

static void resize(struct line *line, size_t wanted)
{
    size_t capacity = line->capacity == 0 ? 16 : line->capacity;
    if (wanted <= line->capacity)
        return;
    while (capacity < wanted)
        capacity *= 2;
    line->text = realloc(line->text, capacity);
    if (line->text == NULL)
        fail("no memory", "");
    line->capacity = capacity;
}

void line_append(struct line *line, const char *bytes, size_t count)
{
    resize(line, line->active + line->length + count + 1);
    memcpy(line->text + line->active + line->length, bytes, count);
    line->length += count;
    line->text[line->active + line->length] = '\0';
}

void line_clear(struct line *line)
{
    line->active = 0;
    line->length = 0;
    line->chomped = 1;
    resize(line, 1);
    line->text[0] = '\0';
}

void line_swap(struct line *a, struct line *b)
{
    struct line moved = *a;
    *a = *b;
    *b = moved;
}

void line_copy(const struct line *from, struct line *to)
{
    line_clear(to);
    line_append(to, from->text + from->active, from->length);
    to->chomped = from->chomped;
}

void line_join(const struct line *from, struct line *to)
{
    line_append(to, "\n", 1);
    line_append(to, from->text + from->active, from->length);
}
