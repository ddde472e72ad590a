#include <stdio.h>
#include <string.h>

#include "inventory.h"

static struct {
    int arrivals, shipments, corrections, moves;
    long pieces;
    char last[NAME_SIZE];
} totals;

static void count_arrival(struct item *item, int count, void *data)
{
    (void)data;
    totals.arrivals++;
    totals.pieces += count;
    strcpy(totals.last, item->name);
}

static void count_shipment(struct item *item, int count, void *data)
{
    (void)item;
    (void)data;
    totals.shipments++;
    totals.pieces -= count;
}

static void count_other(struct item *item, int count, void *data)
{
    (void)item;
    (void)count;
    (*(int *)data)++;
}

void open_report(void)
{
    memset(&totals, 0, sizeof totals);
    observe(ARRIVED, count_arrival, NULL);
    observe(SHIPPED, count_shipment, NULL);
    observe(CORRECTED, count_other, &totals.corrections);
    observe(MOVED, count_other, &totals.moves);
}

void print_report(int day)
{
    const struct item *item;
    int i;
    printf("== day %d\n", day);
    for (item = first_item(); item != NULL; item = item->next_by_name) {
        printf("%-8s %4d in bin %2d, %d reserved%s%s\n", item->name, item->total, item->bin,
               item->reserved, item->is_short ? ", short" : "",
               item->was_counted ? ", counted" : "");
    }
    printf("bins");
    for (i = 0; i < MAX_BINS; i++)
        if (bins[i].used > 0 || bins[i].visits > 0)
            printf(" %d:%d/%d", i, bins[i].used, bins[i].visits);
    printf("\n%d arrivals, %d shipments, %d corrections, %d moves, %ld pieces, last %s, %d late\n",
           totals.arrivals, totals.shipments, totals.corrections, totals.moves, totals.pieces,
           totals.last, late_orders(day));
}
