#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inventory.h"

#define BUCKETS 13

static struct item *buckets[BUCKETS];
static struct item *by_name;

static unsigned int hash(const char *name)
{
    unsigned int value = 7;
    for (; *name != '\0'; name++)
        value = value * 31 + (unsigned char)*name;
    return value % BUCKETS;
}

struct item *first_item(void)
{
    return by_name;
}

struct item *find_item(const char *name)
{
    struct item *item = buckets[hash(name)];
    while (item != NULL && strcmp(item->name, name) != 0)
        item = item->next;
    return item;
}

static void insert_by_name(struct item *item)
{
    struct item **link = &by_name;
    while (*link != NULL && strcmp((*link)->name, item->name) < 0)
        link = &(*link)->next_by_name;
    item->next_by_name = *link;
    *link = item;
}

struct item *new_item(const char *name)
{
    struct item *item = calloc(1, sizeof *item);
    unsigned int bucket = hash(name);
    if (item == NULL)
        abort();
    strncpy(item->name, name, NAME_SIZE - 1);
    item->limit = 5;
    item->bin = -1;
    item->next = buckets[bucket];
    buckets[bucket] = item;
    insert_by_name(item);
    return item;
}

void add_lot(struct item *item, int count, int day)
{
    struct lot *lot = calloc(1, sizeof *lot);
    if (lot == NULL)
        abort();
    lot->count = count;
    lot->day = day;
    lot->previous = item->newest;
    if (item->newest != NULL)
        item->newest->next = lot;
    else
        item->oldest = lot;
    item->newest = lot;
    item->total += count;
    if (item->total >= item->limit)
        item->is_short = 0;
    announce(ARRIVED, item, count);
}

static void drop_lot(struct item *item, struct lot *lot)
{
    if (lot->previous != NULL)
        lot->previous->next = lot->next;
    else
        item->oldest = lot->next;
    if (lot->next != NULL)
        lot->next->previous = lot->previous;
    else
        item->newest = lot->previous;
    free(lot);
}

/* Takes from the oldest lots first; returns how many there were. */
int take(struct item *item, int count)
{
    int taken = 0;
    struct lot *lot = item->oldest;
    if (item->is_frozen)
        return 0;
    while (lot != NULL && taken < count) {
        struct lot *next = lot->next;
        int some = count - taken < lot->count ? count - taken : lot->count;
        lot->count -= some;
        taken += some;
        if (lot->count == 0)
            drop_lot(item, lot);
        lot = next;
    }
    item->total -= taken;
    if (item->total < item->limit)
        item->is_short = 1;
    if (taken > 0)
        announce(SHIPPED, item, taken);
    return taken;
}

/* Counting found another number than the books say. */
void correct(struct item *item, int count)
{
    int difference = count - item->total;
    item->was_counted = 1;
    if (difference > 0)
        add_lot(item, difference, 0);
    while (difference < 0 && item->newest != NULL) {
        struct lot *lot = item->newest;
        int some = -difference < lot->count ? -difference : lot->count;
        lot->count -= some;
        item->total -= some;
        difference += some;
        if (lot->count == 0)
            drop_lot(item, lot);
    }
    announce(CORRECTED, item, difference);
}
