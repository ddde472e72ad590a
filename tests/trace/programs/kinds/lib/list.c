#include "list.h"
#include <stdlib.h>
static int pushes;
struct node *push(struct node *head, int key) {
    struct node *n = malloc(sizeof *n);
    n->key = key;
    n->next = head;
    pushes++;
    return n;
}
