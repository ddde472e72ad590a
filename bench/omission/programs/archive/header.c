#include "archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum kind kind;
} kinds[] = {
    {"file", KIND_FILE},     {"dir", KIND_DIR},       {"link", KIND_LINK},
    {"delete", KIND_DELETE}, {"rename", KIND_RENAME}, {"end", KIND_END},
};

static const struct {
    char letter;
    int flag;
} letters[] = {
    {'h', FLAG_HIDDEN},
    {'x', FLAG_EXEC},
    {'p', FLAG_PACKED},
    {'!', FLAG_PINNED},
};

const char *kind_name(enum kind kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind)
            return kinds[i].name;
    return "none";
}

static enum kind kind_of(const char *word)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, word) == 0)
            return kinds[i].kind;
    return KIND_NONE;
}

static int flags_of(const char *text)
{
    int flags = 0;

    for (; *text; text++)
        for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
            if (letters[i].letter == *text)
                flags |= letters[i].flag;
    return flags;
}

static void keep(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);

    if (length >= size)
        length = size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

static void set_defaults(struct entry *entry)
{
    keep(entry->owner, sizeof entry->owner, "root");
    entry->mode = entry->kind == KIND_DIR ? 0755 : 0644;
}

/* Take `key=value` into the entry. */
static int set_attribute(struct entry *entry, const char *key, const char *value)
{
    if (strcmp(key, "path") == 0) {
        keep(entry->path, sizeof entry->path, value);
    } else if (strcmp(key, "target") == 0) {
        keep(entry->target, sizeof entry->target, value);
    } else if (strcmp(key, "owner") == 0) {
        keep(entry->owner, sizeof entry->owner, value);
    } else if (strcmp(key, "mode") == 0) {
        entry->mode = (int)strtol(value, NULL, 8);
        if (entry->mode & 0111)
            entry->flags |= FLAG_EXEC;
    } else if (strcmp(key, "size") == 0) {
        entry->size = atoi(value);
    } else if (strcmp(key, "stamp") == 0) {
        entry->stamp = atol(value);
    } else if (strcmp(key, "flags") == 0) {
        entry->flags |= flags_of(value);
    } else if (strcmp(key, "sum") == 0) {
        entry->sum = (unsigned)strtoul(value, NULL, 16);
        entry->has_sum = 1;
    } else {
        warn("unknown attribute", key);
        return 0;
    }
    return 1;
}

static void mark_hidden(struct entry *entry)
{
    const char *name = strrchr(entry->path, '/');

    name = name ? name + 1 : entry->path;
    if (name[0] == '.')
        entry->flags |= FLAG_HIDDEN;
}

/* Read a header `@kind key=value ...`.  Return 0 if it is none. */
int header_parse(const char *line, struct entry *entry)
{
    char copy[256];
    char *word;
    int known = 0;

    memset(entry, 0, sizeof *entry);
    if (line[0] != '@')
        return 0;
    keep(copy, sizeof copy, line + 1);
    word = strtok(copy, " ");
    if (!word)
        return 0;
    entry->kind = kind_of(word);
    set_defaults(entry);
    while ((word = strtok(NULL, " ")) != NULL) {
        char *value = strchr(word, '=');
        if (!value) {
            warn("no value", word);
            continue;
        }
        *value++ = '\0';
        known += set_attribute(entry, word, value);
    }
    mark_hidden(entry);
    if (entry->kind == KIND_END)
        return 1;
    return entry->kind != KIND_NONE && known > 0;
}
