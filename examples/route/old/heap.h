#ifndef HEAP_H
#define HEAP_H

#include <stdbool.h>

struct entry {
    int key;
    int value;
};

/* Gives back what was put in, smallest key first. */
struct heap {
    struct entry *entries;
    int count;
    int room;
};

void heap_push(struct heap *heap, int key, int value);
bool heap_pop(struct heap *heap, int *value);
void heap_free(struct heap *heap);

#endif
