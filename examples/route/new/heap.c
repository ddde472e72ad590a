/* A binary heap. */
#include "heap.h"

#include <stdio.h>
#include <stdlib.h>

static void exchange(struct entry *a, struct entry *b)
{
    struct entry kept = *a;
    *a = *b;
    *b = kept;
}

static int parent(int i)
{
    return (i - 1) / 2;
}

static void grow(struct heap *heap)
{
    heap->room = heap->room ? 2 * heap->room : 16;
    heap->entries = realloc(heap->entries, heap->room * sizeof *heap->entries);
    if (heap->entries == NULL) {
        fprintf(stderr, "route: out of memory\n");
        exit(3);
    }
}

void heap_push(struct heap *heap, int key, int value)
{
    int i = heap->count;

    if (heap->count == heap->room)
        grow(heap);
    heap->entries[heap->count++] = (struct entry){key, value};
    while (i > 0 && heap->entries[i].key < heap->entries[parent(i)].key) {
        exchange(&heap->entries[i], &heap->entries[parent(i)]);
        i = parent(i);
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
        exchange(&heap->entries[i], &heap->entries[least]);
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
