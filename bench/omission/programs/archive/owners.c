#include "archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct owner *table[OWNERS];
static int default_quota = 1000;

static unsigned slot(const char *name)
{
    unsigned hash = 5381;

    while (*name)
        hash = hash * 33 + (unsigned char)*name++;
    return hash % OWNERS;
}

struct owner *owner_get(const char *name)
{
    unsigned at = slot(name);
    struct owner *owner;

    for (owner = table[at]; owner; owner = owner->next)
        if (strcmp(owner->name, name) == 0)
            return owner;
    owner = malloc(sizeof *owner);
    memset(owner, 0, sizeof *owner);
    strcpy(owner->name, name);
    owner->quota = default_quota;
    owner->next = table[at];
    table[at] = owner;
    return owner;
}

static void check_quota(struct owner *owner)
{
    owner->is_over = owner->bytes > owner->quota;
}

void owner_charge(struct owner *owner, const struct node *node, int sign)
{
    if (node->kind != KIND_FILE)
        return;
    owner->files += sign;
    owner->bytes += sign * node->size;
    check_quota(owner);
}

void owner_quota(const char *name, int quota)
{
    struct owner *owner;

    if (strcmp(name, "*") == 0) {
        default_quota = quota;
        return;
    }
    owner = owner_get(name);
    owner->quota = quota;
    check_quota(owner);
}

static int by_name(const void *a, const void *b)
{
    const struct owner *const *one = a;
    const struct owner *const *other = b;

    return strcmp((*one)->name, (*other)->name);
}

static int collect(struct owner **all)
{
    int count = 0;

    for (int i = 0; i < OWNERS; i++)
        for (struct owner *each = table[i]; each; each = each->next)
            all[count++] = each;
    qsort(all, (size_t)count, sizeof *all, by_name);
    return count;
}

int owners_over(void)
{
    struct owner *all[64];
    int count = collect(all);
    int over = 0;

    for (int i = 0; i < count; i++)
        over += all[i]->is_over;
    return over;
}

void owners_print(void)
{
    struct owner *all[64];
    int count = collect(all);

    for (int i = 0; i < count; i++) {
        if (options.only_owner && strcmp(options.only_owner, all[i]->name) != 0)
            continue;
        if (all[i]->files == 0 && !options.is_verbose)
            continue;
        printf("%-8s %3d files %6d bytes%s\n", all[i]->name, all[i]->files, all[i]->bytes,
               all[i]->is_over ? " OVER" : "");
    }
}
