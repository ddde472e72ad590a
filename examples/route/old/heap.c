/* A binary heap. */
#include "heap.h"

#include <stdio.h>
#include <stdlib.h>

static void swap(struct entry *a, struct entry *b)
{
    struct entry c = *a;
    *a = *b;
    *b = c;
}

static void grow(struct heap *heap)
{
    heap->room = heap->room ? 2 * heap->room : 16;
    heap->entries = realloc(heap->entries, heap->room * sizeof *heap->entries);
    if (heap->entries == NULL) {
        fprintf(stderr, "no memory\n");
        exit(3);
    }
}

void heap_push(struct heap *heap, int key, int value)
{
    int i = heap->count;

    if (heap->count == heap->room)
        grow(heap);
    heap->entries[i].key = key;
    heap->entries[i].value = value;
    heap->count++;
    while (i > 0 && heap->entries[i].key < heap->entries[(i - 1) / 2].key) {
        swap(&heap->entries[i], &heap->entries[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
}

bool heap_pop(struct heap *heap, int *value)
{
    int i = 0;

    if (heap->count == 0)
        return false;
    *value = heap->entries[0].value;
    heap->entries[0] = heap->entries[--heap->count];
    for (;;) {
        int least = i;
        int child;

        for (child = 2 * i + 1; child <= 2 * i + 2; child++)
            if (child < heap->count && heap->entries[child].key < heap->entries[least].key)
                least = child;
        if (least == i)
            return true;
        swap(&heap->entries[i], &heap->entries[least]);
        i = least;
    }
}

void heap_free(struct heap *heap)
{
    free(heap->entries);
    heap->entries = NULL;
    heap->count = 0;
    heap->room = 0;
}
