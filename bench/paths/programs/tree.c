/* How deep in a search tree of four keys is a key? */
#include <stdio.h>
#include <stdlib.h>

struct node { int key; struct node *left, *right; };
static struct node *root;
static void insert(int key) {
    struct node **at = &root;
    while (*at) {
        if (key == (*at)->key) return;
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    }
    *at = calloc(1, sizeof **at);
    (*at)->key = key;
}
static int depth(int key) {
    int found = 0;
    for (struct node *at = root; at; at = key < at->key ? at->left : at->right) {
        if (at->key == key) return found;
        found++;
    }
    return -1;
}
int main(int argc, char **argv) {
    if (argc < 5) return 2;
    for (int k = 1; k < 4; k++) insert(atoi(argv[k]));
    printf("%d\n", depth(atoi(argv[4])));
    return 0;
}
