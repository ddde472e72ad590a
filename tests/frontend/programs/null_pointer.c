// A null pointer is followed: a search that finds nothing, whose result is used.
// signal: SIGSEGV
#include <stdio.h>
#include <stdlib.h>

struct node { int key, value; struct node *next; };

static struct node *find(struct node *list, int key) {
    while (list && list->key != key) list = list->next;
    return list;
}

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 5; i++) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){i * 2, i * i, list};
        list = node;
    }
    fprintf(stderr, "%d\n", find(list, 4)->value);
    fprintf(stderr, "%d\n", find(list, 5)->value);
    return 0;
}
