#include <stdio.h>
#include <string.h>

#include "inventory.h"

struct bin bins[MAX_BINS];

static void note_visit(struct item *item, int count, void *data)
{
    (void)count;
    (void)data;
    if (item->bin >= 0)
        bins[item->bin].visits++;
}

static void free_place(struct item *item, int count, void *data)
{
    (void)count;
    (void)data;
    if (item->total == 0 && item->bin >= 0) {
        bins[item->bin].used--;
        item->bin = -1;
    }
}

void open_bins(void)
{
    int i;
    memset(bins, 0, sizeof bins);
    for (i = 0; i < MAX_BINS; i++) {
        bins[i].room = i % 3 + 1;
        bins[i].is_cold = i >= MAX_BINS - 4;
    }
    observe(ARRIVED, note_visit, NULL);
    observe(SHIPPED, note_visit, NULL);
    observe(SHIPPED, free_place, NULL);
}

int place(struct item *item)
{
    int i, best = -1;
    if (item->bin >= 0)
        return item->bin;
    for (i = 0; i < MAX_BINS; i++) {
        if (bins[i].used >= bins[i].room || bins[i].is_cold != (int)item->is_frozen)
            continue;
        if (best < 0 || bins[i].used > bins[best].used)
            best = i;
        if (item->is_fragile)
            break;
    }
    if (best >= 0) {
        bins[best].used++;
        item->bin = best;
        announce(MOVED, item, best);
    }
    return best;
}
