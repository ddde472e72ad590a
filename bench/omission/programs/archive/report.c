#include "archive.h"

#include <stdio.h>
#include <string.h>

int warnings;
const char *problem;

static struct totals totals;

void warn(const char *text, const char *name)
{
    warnings++;
    problem = text;
    if (options.is_verbose)
        printf("warning: %s: %s\n", text, name);
}

unsigned checksum(const char *data, int size)
{
    unsigned low = 1;
    unsigned high = 0;

    for (int i = 0; i < size; i++) {
        low = (low + (unsigned char)data[i]) % 251;
        high = (high + low) % 251;
    }
    return high << 8 | low;
}

static void mode_text(const struct node *node, char *text)
{
    static const char letters[] = "rwxrwxrwx";

    text[0] = node->kind == KIND_DIR ? 'd' : node->kind == KIND_LINK ? 'l' : '-';
    for (int i = 0; i < 9; i++)
        text[i + 1] = node->mode & (0400 >> i) ? letters[i] : '-';
    text[10] = '\0';
}

static void print_suffix(struct node *root, struct node *node)
{
    if (node->kind == KIND_LINK) {
        struct node *end = tree_resolve(root, node);
        printf(" -> %s%s", node->target, end ? "" : " (broken)");
        if (end && options.follows)
            printf(" [%s %d]", kind_name(end->kind), end->size);
    } else if (node->flags & FLAG_EXEC && node->kind == KIND_FILE) {
        putchar('*');
    }
    if (node->flags & FLAG_PINNED)
        fputs(" !", stdout);
    if (options.shows_sums && node->kind == KIND_FILE && node->data)
        printf(" %04x", checksum(node->data, node->size));
}

static int is_shown(const struct node *node)
{
    if (node->flags & FLAG_HIDDEN && !options.shows_hidden)
        return 0;
    if (options.only_owner && node->kind != KIND_DIR)
        return node->owner && strcmp(node->owner->name, options.only_owner) == 0;
    return 1;
}

static void print_node(struct node *root, struct node *node, int depth)
{
    char mode[12];

    if (!is_shown(node))
        return;
    mode_text(node, mode);
    printf("%s %-6s %*d %*ld %*s%s", mode, node->owner ? node->owner->name : "-",
           totals.widths[0], node->size, totals.widths[1], node->stamp, depth * 2, "",
           node->name);
    print_suffix(root, node);
    putchar('\n');
    for (struct node *each = node->children; each; each = each->next)
        print_node(root, each, depth + 1);
}

void report_tree(struct node *root)
{
    memset(&totals, 0, sizeof totals);
    tree_count(root, &totals, 0);
    print_node(root, root, 0);
}

void report_totals(struct node *root)
{
    struct totals now;

    memset(&now, 0, sizeof now);
    tree_count(root, &now, 0);
    printf("%d files, %d folders, %d links, %d bytes\n", now.files, now.dirs, now.links,
           now.bytes);
    if (now.hidden)
        printf("%d hidden\n", now.hidden);
    printf("deepest %d, newest %ld\n", now.depth, now.newest);
}
