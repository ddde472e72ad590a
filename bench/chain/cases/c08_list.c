#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *push(struct node *head, int value) {
    struct node *made = malloc(sizeof *made);
    made->value = value;
    made->next = head;
    return made;
}
int main(void) {
    struct node *head = NULL;
    for (int i = 1; i <= 3; i++)
        if (i @{> 1|>= 1})
            head = push(head, i);
    int sum = 0;
    for (struct node *at = head; at; at = at->next)
        sum += at->value;
    printf("%d\n", sum);
    return 0;
}
