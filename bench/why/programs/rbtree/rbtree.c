/*
 * rbtree: a red-black tree of integers that also knows the rank of each key.
 *
 *     usage: rbtree [-v] COMMAND...
 *
 *     +N     insert N                   ?N     is N in the tree?
 *     -N     delete N                   @K     the K-th smallest key, from 0
 *     #N     how many keys are below N  N..M   the keys from N to M
 *     list   all keys, in order         show   the shape of the tree
 *
 * The invariants are checked after every change when -v is given, and at the
 * end in any case.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum color { RED, BLACK };
enum side { LEFT, RIGHT };

struct node {
    int key;
    enum color color;
    int size; /* nodes of this subtree */
    struct node *parent;
    struct node *child[2];
};

struct tree {
    struct node *root;
};

static enum side other(enum side side)
{
    return side == LEFT ? RIGHT : LEFT;
}

static bool is_red(const struct node *node)
{
    return node != NULL && node->color == RED;
}

static int size_of(const struct node *node)
{
    return node == NULL ? 0 : node->size;
}

static enum side side_of(const struct node *node)
{
    return node->parent->child[LEFT] == node ? LEFT : RIGHT;
}

/* ---- shape ------------------------------------------------------------ */

static void update_size(struct node *node)
{
    node->size = 1 + size_of(node->child[LEFT]) + size_of(node->child[RIGHT]);
}

static void update_sizes_upwards(struct node *node)
{
    for (; node != NULL; node = node->parent)
        update_size(node);
}

/* Puts `new` where `old` hangs; the children of both stay as they are. */
static void replace(struct tree *tree, struct node *old, struct node *new)
{
    if (old->parent == NULL)
        tree->root = new;
    else
        old->parent->child[side_of(old)] = new;
    if (new != NULL)
        new->parent = old->parent;
}

/* Moves `top` down to the given side, and its child of the other side up. */
static void rotate(struct tree *tree, struct node *top, enum side side)
{
    struct node *up = top->child[other(side)];
    struct node *across = up->child[side];

    replace(tree, top, up);
    top->child[other(side)] = across;
    if (across != NULL)
        across->parent = top;
    up->child[side] = top;
    top->parent = up;
    update_size(top);
    update_size(up);
}

static struct node *extreme(struct node *node, enum side side)
{
    while (node->child[side] != NULL)
        node = node->child[side];
    return node;
}

/* The next node in order, or NULL. */
static struct node *successor(struct node *node)
{
    if (node->child[RIGHT] != NULL)
        return extreme(node->child[RIGHT], LEFT);
    while (node->parent != NULL && side_of(node) == RIGHT)
        node = node->parent;
    return node->parent;
}

/* ---- search ----------------------------------------------------------- */

static struct node *find(const struct tree *tree, int key)
{
    struct node *node = tree->root;
    while (node != NULL && node->key != key)
        node = node->child[key < node->key ? LEFT : RIGHT];
    return node;
}

/* The first node whose key is at least `key`, or NULL. */
static struct node *lower_bound(const struct tree *tree, int key)
{
    struct node *best = NULL;
    struct node *node = tree->root;
    while (node != NULL) {
        if (node->key >= key) {
            best = node;
            node = node->child[LEFT];
        } else {
            node = node->child[RIGHT];
        }
    }
    return best;
}

static int rank_of(const struct tree *tree, int key)
{
    int rank = 0;
    const struct node *node = tree->root;
    while (node != NULL) {
        if (key <= node->key) {
            node = node->child[LEFT];
        } else {
            rank += size_of(node->child[LEFT]) + 1;
            node = node->child[RIGHT];
        }
    }
    return rank;
}

static const struct node *select_rank(const struct tree *tree, int rank)
{
    const struct node *node = tree->root;
    while (node != NULL) {
        int before = size_of(node->child[LEFT]);
        if (rank == before)
            return node;
        if (rank < before) {
            node = node->child[LEFT];
        } else {
            rank -= before + 1;
            node = node->child[RIGHT];
        }
    }
    return NULL;
}

/* ---- insertion -------------------------------------------------------- */

static void fix_red_parent(struct tree *tree, struct node *node)
{
    while (is_red(node->parent)) {
        struct node *parent = node->parent;
        struct node *grandparent = parent->parent;
        enum side side = side_of(parent);
        struct node *uncle = grandparent->child[other(side)];

        if (is_red(uncle)) {
            parent->color = BLACK;
            uncle->color = BLACK;
            grandparent->color = RED;
            node = grandparent;
            continue;
        }
        if (side_of(node) != side) {
            rotate(tree, parent, side);
            node = parent;
            parent = node->parent;
        }
        parent->color = BLACK;
        grandparent->color = RED;
        rotate(tree, grandparent, other(side));
    }
    tree->root->color = BLACK;
}

static bool insert(struct tree *tree, int key)
{
    struct node *parent = NULL;
    struct node **link = &tree->root;
    while (*link != NULL) {
        parent = *link;
        if (parent->key == key)
            return false;
        link = &parent->child[key < parent->key ? LEFT : RIGHT];
    }

    struct node *node = calloc(1, sizeof *node);
    if (node == NULL) {
        fprintf(stderr, "rbtree: out of memory\n");
        exit(3);
    }
    node->key = key;
    node->color = RED;
    node->parent = parent;
    *link = node;
    update_sizes_upwards(node);
    fix_red_parent(tree, node);
    return true;
}

/* ---- deletion --------------------------------------------------------- */

/* The paths through `parent` to its `side` have one black node too few. */
static void fix_missing_black(struct tree *tree, struct node *parent, enum side side)
{
    while (parent != NULL && !is_red(parent->child[side])) {
        struct node *sibling = parent->child[other(side)];

        if (is_red(sibling)) {
            sibling->color = BLACK;
            parent->color = RED;
            rotate(tree, parent, side);
            sibling = parent->child[other(side)];
        }
        if (!is_red(sibling->child[LEFT]) && !is_red(sibling->child[RIGHT])) {
            sibling->color = RED;
            if (is_red(parent)) {
                parent->color = BLACK;
                return;
            }
            if (parent->parent != NULL)
                side = side_of(parent);
            parent = parent->parent;
            continue;
        }
        if (!is_red(sibling->child[other(side)])) {
            sibling->child[side]->color = BLACK;
            sibling->color = RED;
            rotate(tree, sibling, other(side));
            sibling = parent->child[other(side)];
        }
        sibling->color = parent->color;
        parent->color = BLACK;
        sibling->child[other(side)]->color = BLACK;
        rotate(tree, parent, side);
        return;
    }
    if (parent != NULL)
        parent->child[side]->color = BLACK;
    else if (tree->root != NULL)
        tree->root->color = BLACK;
}

/* Takes out a node that has at most one child. */
static void unlink_node(struct tree *tree, struct node *node)
{
    struct node *child = node->child[node->child[LEFT] != NULL ? LEFT : RIGHT];
    struct node *parent = node->parent;
    enum side side = parent == NULL ? LEFT : side_of(node);

    replace(tree, node, child);
    update_sizes_upwards(parent);
    if (node->color == BLACK)
        fix_missing_black(tree, parent, side);
    free(node);
}

static bool delete(struct tree *tree, int key)
{
    struct node *node = find(tree, key);
    if (node == NULL)
        return false;
    if (node->child[LEFT] != NULL && node->child[RIGHT] != NULL) {
        struct node *next = successor(node);
        node->key = next->key;
        node = next;
    }
    unlink_node(tree, node);
    return true;
}

/* ---- invariants ------------------------------------------------------- */

/* Checks the subtree of `node`; its number of black nodes per path. */
static int check_node(const struct node *node)
{
    if (node == NULL)
        return 1;
    const struct node *left = node->child[LEFT], *right = node->child[RIGHT];
    assert(left == NULL || (left->parent == node && left->key < node->key));
    assert(right == NULL || (right->parent == node && right->key > node->key));
    if (node->color == RED)
        assert(!is_red(left) && !is_red(right));
    assert(node->size == 1 + size_of(left) + size_of(right));

    int black_left = check_node(left);
    int black_right = check_node(right);
    assert(black_left == black_right);
    return black_left + (node->color == BLACK);
}

static void check_tree(const struct tree *tree)
{
    assert(!is_red(tree->root));
    assert(tree->root == NULL || tree->root->parent == NULL);
    check_node(tree->root);
}

/* ---- commands --------------------------------------------------------- */

static void show_node(const struct node *node)
{
    if (node == NULL) {
        putchar('.');
        return;
    }
    printf("(%d%s ", node->key, node->color == RED ? "r" : "");
    show_node(node->child[LEFT]);
    putchar(' ');
    show_node(node->child[RIGHT]);
    putchar(')');
}

/* Prints the keys from `node` on, up to `last`. */
static void print_keys(struct node *node, int last)
{
    int count = 0;
    for (; node != NULL && node->key <= last; node = successor(node)) {
        printf("%s%d", count > 0 ? " " : "", node->key);
        count++;
    }
    printf("%s[%d]\n", count > 0 ? " " : "", count);
}

static void print_all(const struct tree *tree)
{
    if (tree->root == NULL) {
        printf("[0]\n");
        return;
    }
    print_keys(extreme(tree->root, LEFT), extreme(tree->root, RIGHT)->key);
}

static bool run_command(struct tree *tree, const char *command)
{
    const char *dots = strstr(command, "..");
    int number = atoi(command[0] == '\0' ? "" : command + 1);

    if (dots != NULL)
        print_keys(lower_bound(tree, atoi(command)), atoi(dots + 2));
    else if (strcmp(command, "list") == 0)
        print_all(tree);
    else if (strcmp(command, "show") == 0) {
        show_node(tree->root);
        putchar('\n');
    } else if (command[0] == '+') {
        if (!insert(tree, number))
            printf("%d is there already\n", number);
    } else if (command[0] == '-') {
        if (!delete(tree, number))
            printf("%d is not there\n", number);
    } else if (command[0] == '?') {
        printf("%d: %s\n", number, find(tree, number) != NULL ? "yes" : "no");
    } else if (command[0] == '@') {
        const struct node *node = select_rank(tree, number);
        if (node != NULL)
            printf("key %d is %d\n", number, node->key);
        else
            printf("key %d is missing\n", number);
    } else if (command[0] == '#') {
        printf("%d below %d\n", rank_of(tree, number), number);
    } else {
        return false;
    }
    return true;
}

static void free_nodes(struct node *node)
{
    if (node == NULL)
        return;
    free_nodes(node->child[LEFT]);
    free_nodes(node->child[RIGHT]);
    free(node);
}

int main(int argc, char **argv)
{
    struct tree tree = {NULL};
    bool verify = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0) {
            verify = true;
            continue;
        }
        if (!run_command(&tree, argv[i])) {
            fprintf(stderr, "rbtree: bad command: %s\n", argv[i]);
            return 2;
        }
        if (verify)
            check_tree(&tree);
    }
    check_tree(&tree);
    printf("%d keys\n", size_of(tree.root));
    free_nodes(tree.root);
    return 0;
}
