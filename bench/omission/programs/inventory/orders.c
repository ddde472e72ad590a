#include <stdio.h>
#include <stdlib.h>

#include "inventory.h"

static struct order *orders;
static struct item *waiting_for; /* the item that just arrived */
static int today;

static void note_arrival(struct item *item, int count, void *data)
{
    (void)data;
    if (count > 0)
        waiting_for = item;
}

void open_orders(void)
{
    orders = NULL;
    observe(ARRIVED, note_arrival, NULL);
}

struct order *first_order(void)
{
    return orders;
}

/* Urgent orders come before the others of their day. */
void add_order(struct item *item, int count, int day, int is_urgent)
{
    struct order *order = calloc(1, sizeof *order), **link = &orders;
    if (order == NULL)
        abort();
    order->item = item;
    order->count = order->left = count;
    order->day = day;
    order->is_urgent = is_urgent;
    item->reserved += count;
    while (*link != NULL && ((*link)->day < day || ((*link)->day == day && (*link)->is_urgent)))
        link = &(*link)->next;
    order->next = *link;
    *link = order;
}

static int ready(const struct order *order, int day)
{
    int due = order->day <= day;
    int has_stock = order->item->total > 0 && !order->item->is_frozen;
    int may_split = order->is_urgent || order->left > 20;
    return due && has_stock && (may_split || order->item->total >= order->left);
}

void fill_orders(int day)
{
    struct order **link = &orders;
    today = day;
again:
    while (*link != NULL) {
        struct order *order = *link;
        int taken;
        if (!ready(order, today)) {
            link = &order->next;
            continue;
        }
        taken = take(order->item, order->left);
        order->left -= taken;
        order->item->reserved -= taken;
        printf("day %d: %d %s shipped%s\n", day, taken, order->item->name,
               order->left > 0 ? " in part" : "");
        if (order->left > 0) {
            link = &order->next;
            continue;
        }
        *link = order->next;
        free(order);
    }
    if (waiting_for != NULL) {
        waiting_for = NULL;
        link = &orders;
        goto again;
    }
}

int late_orders(int day)
{
    int count = 0;
    const struct order *order;
    for (order = orders; order != NULL; order = order->next)
        if (order->day < day)
            count++;
    return count;
}
