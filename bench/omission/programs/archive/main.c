#include "archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options options;

static int read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "-v") == 0)
            options.is_verbose = 1;
        else if (strcmp(word, "-a") == 0)
            options.shows_hidden = 1;
        else if (strcmp(word, "-s") == 0)
            options.shows_sums = 1;
        else if (strcmp(word, "-L") == 0)
            options.follows = 1;
        else if (strcmp(word, "-o") == 0 && i + 1 < argc)
            options.only_owner = argv[++i];
        else
            return 0;
    }
    return 1;
}

/* Unpack `3a2b` into `aaabb`. */
static char *unpacked(const char *packed, int *size)
{
    char *data = calloc(1, 256);
    int length = 0;

    while (*packed) {
        int count = 0;
        while (*packed >= '0' && *packed <= '9')
            count = count * 10 + (*packed++ - '0');
        if (count == 0)
            count = 1;
        if (!*packed)
            break;
        while (count-- > 0 && length < 255)
            data[length++] = *packed;
        packed++;
    }
    *size = length;
    return data;
}

static int take_file(struct reader *reader, struct node *root, struct entry *entry)
{
    char *data = malloc((size_t)entry->size + 1);
    int got = reader_bytes(reader, data, entry->size);

    if (got != entry->size) {
        warn("truncated", entry->path);
        free(data);
        return 0;
    }
    if (entry->has_sum && checksum(data, entry->size) != entry->sum) {
        warn("bad sum", entry->path);
        free(data);
        return 1;
    }
    if (entry->flags & FLAG_PACKED) {
        char *plain = unpacked(data, &entry->size);
        free(data);
        data = plain;
    }
    tree_add(root, entry, data);
    return 1;
}

static void take_quota(const char *line)
{
    char name[NAME_SIZE];
    int quota;

    if (sscanf(line, "quota %31s %d", name, &quota) == 2)
        owner_quota(name, quota);
    else
        warn("not understood", line);
}

static int take(struct reader *reader, struct node *root, struct entry *entry)
{
    switch (entry->kind) {
    case KIND_FILE:
        return take_file(reader, root, entry);
    case KIND_DIR:
    case KIND_LINK:
        tree_add(root, entry, NULL);
        return 1;
    case KIND_DELETE:
        if (!tree_delete(root, entry->path))
            warn("not deleted", entry->path);
        return 1;
    case KIND_RENAME:
        if (!tree_rename(root, entry->path, entry->target))
            warn("not renamed", entry->path);
        return 1;
    default:
        return 0;
    }
}

static int read_archive(struct reader *reader, struct node *root)
{
    char line[256];
    struct entry entry;

    while (reader_line(reader, line, sizeof line) >= 0) {
        if (!header_parse(line, &entry)) {
            take_quota(line);
            continue;
        }
        if (!take(reader, root, &entry))
            break;
    }
    return entry.kind == KIND_END;
}

int main(int argc, char **argv)
{
    struct reader reader;
    struct node *root = tree_new();
    int is_complete;

    if (!read_options(argc, argv)) {
        fprintf(stderr, "usage: archive [-v] [-a] [-s] [-L] [-o OWNER]\n");
        return 2;
    }
    reader_open(&reader, 0);
    is_complete = read_archive(&reader, root);
    if (!is_complete)
        warn("no end", "archive");
    report_tree(root);
    report_totals(root);
    owners_print();
    if (warnings)
        printf("%d warnings, the last: %s\n", warnings, problem);
    if (!is_complete)
        return 3;
    return owners_over() ? 1 : 0;
}
