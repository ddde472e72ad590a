// The tail of the list is reset when its last item is removed.
#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
struct list { struct node *head, *tail; };
static void push(struct list *l, int value)
{
    struct node *n = calloc(1, sizeof *n);
    n->value = value;
    if (l->head == NULL)
        l->head = n;
    else
        l->tail->next = n;
    l->tail = n;
}
static int pop(struct list *l)
{
    struct node *n = l->head;
    int value = n->value;
    l->head = n->next;
    l->tail = NULL;  //- if (l->head == NULL) l->tail = NULL;
    free(n);
    return value;
}
int main(void)
{
    struct list l = {0};
    push(&l, 1);
    push(&l, 2);
    int first = pop(&l);
    push(&l, 3);
    return first != 1;
}
//? why: l->tail = NULL
//? why: `l->tail` was NULL
//? explain: l->tail = NULL
