#include "archive.h"

#include <stdlib.h>
#include <string.h>

struct node *tree_new(void)
{
    struct node *root = calloc(1, sizeof *root);

    root->kind = KIND_DIR;
    root->mode = 0755;
    strcpy(root->name, "/");
    return root;
}

static struct node *child(const struct node *dir, const char *name)
{
    for (struct node *each = dir->children; each; each = each->next)
        if (strcmp(each->name, name) == 0)
            return each;
    return NULL;
}

/* Put a node into a folder, sorted by name. */
static void insert(struct node *dir, struct node *node)
{
    struct node **at = &dir->children;

    while (*at && strcmp((*at)->name, node->name) < 0)
        at = &(*at)->next;
    node->next = *at;
    *at = node;
    node->parent = dir;
    if (node->stamp > dir->stamp)
        dir->stamp = node->stamp;
}

static void unlink_node(struct node *node)
{
    struct node **at = &node->parent->children;

    while (*at != node)
        at = &(*at)->next;
    *at = node->next;
    node->next = NULL;
    node->parent = NULL;
}

static const char *next_part(const char *path, char *part)
{
    int length = 0;

    while (*path == '/')
        path++;
    while (*path && *path != '/') {
        if (length < NAME_SIZE - 1)
            part[length++] = *path;
        path++;
    }
    part[length] = '\0';
    return path;
}

struct node *tree_find(struct node *root, const char *path)
{
    char part[NAME_SIZE];
    struct node *node = root;

    while (node && *path) {
        path = next_part(path, part);
        if (part[0] == '\0')
            break;
        if (strcmp(part, "..") == 0) {
            node = node->parent ? node->parent : node;
            continue;
        }
        if (strcmp(part, ".") == 0)
            continue;
        node = child(node, part);
    }
    return node;
}

/* Return the folder of a path, which is made if it is missing, and the last part in `name`. */
static struct node *folder_of(struct node *root, const char *path, char *name)
{
    struct node *dir = root;

    path = next_part(path, name);
    while (*path) {
        struct node *found = child(dir, name);
        if (!found) {
            found = calloc(1, sizeof *found);
            found->kind = KIND_DIR;
            found->mode = 0755;
            strcpy(found->name, name);
            found->owner = dir->owner;
            insert(dir, found);
        }
        dir = found;
        path = next_part(path, name);
    }
    return dir;
}

static void replace(struct node *node, const struct entry *entry)
{
    if (node->owner)
        owner_charge(node->owner, node, -1);
    free(node->data);
    node->data = NULL;
    node->flags = 0;
    (void)entry;
}

struct node *tree_add(struct node *root, const struct entry *entry, char *data)
{
    char name[NAME_SIZE];
    struct node *dir = folder_of(root, entry->path, name);
    struct node *node = child(dir, name);

    if (node && (node->flags & FLAG_PINNED)) {
        warn("pinned", entry->path);
        free(data);
        return node;
    }
    if (node) {
        replace(node, entry);
        unlink_node(node);
    } else {
        node = calloc(1, sizeof *node);
        strcpy(node->name, name);
    }
    node->kind = entry->kind;
    node->mode = entry->mode;
    node->flags |= entry->flags;
    node->size = entry->size;
    node->stamp = entry->stamp;
    node->data = data;
    node->owner = owner_get(entry->owner);
    strcpy(node->target, entry->target);
    insert(dir, node);
    owner_charge(node->owner, node, 1);
    return node;
}

static void drop(struct node *node)
{
    while (node->children) {
        struct node *first = node->children;
        unlink_node(first);
        drop(first);
    }
    if (node->owner)
        owner_charge(node->owner, node, -1);
    free(node->data);
    free(node);
}

int tree_delete(struct node *root, const char *path)
{
    struct node *node = tree_find(root, path);

    if (!node || !node->parent)
        return 0;
    if (node->flags & FLAG_PINNED) {
        warn("pinned", path);
        return 0;
    }
    unlink_node(node);
    drop(node);
    return 1;
}

int tree_rename(struct node *root, const char *path, const char *target)
{
    char name[NAME_SIZE];
    struct node *node = tree_find(root, path);
    struct node *dir;

    if (!node || !node->parent)
        return 0;
    dir = folder_of(root, target, name);
    if (child(dir, name))
        tree_delete(root, target);
    unlink_node(node);
    strcpy(node->name, name);
    if (name[0] == '.')
        node->flags |= FLAG_HIDDEN;
    else
        node->flags &= ~FLAG_HIDDEN;
    insert(dir, node);
    return 1;
}

/* Follow links, relative to their folder; NULL if one leads nowhere. */
struct node *tree_resolve(struct node *root, struct node *node)
{
    int turns = 0;

    while (node && node->kind == KIND_LINK) {
        const char *target = node->target;
        if (++turns > 8)
            return NULL;
        node = tree_find(target[0] == '/' ? root : node->parent, target);
    }
    return node;
}

static void widen(struct totals *totals, int column, int value)
{
    int width = 1;

    while (value >= 10) {
        value /= 10;
        width++;
    }
    if (width > totals->widths[column])
        totals->widths[column] = width;
}

void tree_count(const struct node *node, struct totals *totals, int depth)
{
    if (node->flags & FLAG_HIDDEN)
        totals->hidden++;
    if (depth > totals->depth)
        totals->depth = depth;
    if (node->stamp > totals->newest)
        totals->newest = node->stamp;
    switch (node->kind) {
    case KIND_FILE:
        totals->files++;
        totals->bytes += node->size;
        widen(totals, 0, node->size);
        break;
    case KIND_DIR:
        totals->dirs++;
        break;
    case KIND_LINK:
        totals->links++;
        break;
    default:
        break;
    }
    widen(totals, 1, (int)node->stamp);
    for (const struct node *each = node->children; each; each = each->next)
        tree_count(each, totals, depth + 1);
}
