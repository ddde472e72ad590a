/* A search tree with removal, as a driver of a test uses it: what is its smallest key in the end? */
#include <stdio.h>
#include <stdlib.h>

struct node { int key; struct node *left, *right; };
static struct node *root;
static int size, deepest, repeated;

static void insert(int key) {
    struct node **at = &root;
    int depth = 0;
    while (*at) {
        if (key == (*at)->key) {
            repeated++;
            return;
        }
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
        depth++;
    }
    *at = calloc(1, sizeof **at);
    (*at)->key = key;
    size++;
    if (depth > deepest)
        deepest = depth;
}

static struct node **place(int key) {
    struct node **at = &root;
    while (*at && (*at)->key != key)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    return at;
}

static int removed(int key) {
    struct node **at = place(key), *old = *at;
    if (!old)
        return 0;
    if (old->left && old->right) {
        struct node **next = &old->right;
        while ((*next)->left)
            next = &(*next)->left;
        old->key = (*next)->key;
        old = *next;
        *next = old->right;
    } else
        *at = old->left ? old->left : old->right;
    free(old);
    size--;
    return 1;
}

static int smallest(void) {
    struct node *at = root;
    while (at->left)
        at = at->left;
    return at->key;
}

int main(int argc, char **argv) {
    if (argc < 5)
        return 2;
    for (int k = 1; k < 4; k++)
        insert(atoi(argv[k]));
    fprintf(stderr, "%s\n", removed(atoi(argv[4])) ? "removed" : "not there");
    fprintf(stderr, "%d keys, %d deep, %d repeated\n", size, deepest, repeated);
    if (!root)
        puts("empty");
    else
        puts(smallest() < 0 ? "negative" : "positive");
    return 0;
}
