#ifndef LIST_H
#define LIST_H
struct node { int key; struct node *next; };
struct node *push(struct node *head, int key);
static inline int first_key(const struct node *n) { return n->key; }
#define SQUARE(x) ((x) * (x))
#endif
