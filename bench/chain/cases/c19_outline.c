/* Print a text in brackets as an outline: one item a line, deeper items further in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    char *name;
    struct item *first, *last, *next;
    int count; /* of the items in it */
};

struct reader {
    const char *at;
    int depth, deepest;
};

static struct item *make_item(const char *name, size_t size)
{
    struct item *made = calloc(1, sizeof *made);
    made->name = malloc(size + 1);
    memcpy(made->name, name, size);
    made->name[size] = 0;
    return made;
}

static void append(struct item *to, struct item *item)
{
    if (to->last)
        to->last->next = item;
    else
        to->first = item;
    to->last = item;
    to->count@{++| += 1 + item->count};
}

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == ',')
        reader->at++;
}

static struct item *read_item(struct reader *reader)
{
    size_t size = strcspn(reader->at, " ,()");
    struct item *item = make_item(reader->at, size);
    reader->at += size;
    if (*reader->at != '(')
        return item;
    reader->at++;
    reader->depth++;
    if (reader->depth > reader->deepest)
        reader->deepest = reader->depth;
    skip_blanks(reader);
    while (*reader->at && *reader->at != ')') {
        append(item, read_item(reader));
        skip_blanks(reader);
    }
    if (*reader->at)
        reader->at++;
    reader->depth--;
    return item;
}

static void print_item(const struct item *item, int depth, int limit)
{
    printf("%*s%s", 2 * depth, "", item->name);
    if (item->first && depth >= limit) {
        printf(" (%d more)\n", item->count);
        return;
    }
    putchar('\n');
    for (const struct item *each = item->first; each; each = each->next)
        print_item(each, depth + 1, limit);
}

static void free_item(struct item *item)
{
    while (item->first) {
        struct item *next = item->first->next;
        free_item(item->first);
        item->first = next;
    }
    free(item->name);
    free(item);
}

int main(void)
{
    struct reader reader = {"house(hall, kitchen(oven, table(cloth, vase(rose))), attic)", 0, 0};
    struct item *house = read_item(&reader);
    int limit = reader.deepest - 3;
    print_item(house, 0, limit);
    printf("%d levels\n", reader.deepest);
    free_item(house);
    return 0;
}
