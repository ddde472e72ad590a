/* Words are put into a tree on the heap, looked up and counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node {
    char word[12];
    int count;
    struct node *left, *right;
};
static struct node *added(struct node *tree, const char *word) {
    if (!tree) {
        tree = calloc(1, sizeof *tree);
        strcpy(tree->word, word);
        tree->count = 1;
        return tree;
    }
    int order = strcmp(word, tree->word);
    if (order < 0)
        tree->left = added(tree->left, word);
    else if (order > 0)
        tree->right = added(tree->right, word);
    else
        tree->count++;
    return tree;
}
static int total(const struct node *tree) {
    return tree ? tree->count + total(tree->left) + total(tree->right) : 0;
}
int main(void) {
    struct node *tree = NULL;
    unsigned state = 1;
    for (int i = 0; i < 3000; i++) {
        char word[12];
        state = state * 1103515245 + 12345;
        snprintf(word, sizeof word, "w%u", state >> 20);
        tree = added(tree, word);
    }
    printf("%d\n", total(tree));
    return 0;
}
