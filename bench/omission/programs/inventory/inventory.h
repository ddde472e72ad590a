/* inventory: keeps stock in bins, and answers orders. */
#ifndef INVENTORY_H
#define INVENTORY_H

#define NAME_SIZE 16
#define MAX_BINS 12
#define MAX_OBSERVERS 8

struct lot {
    struct lot *next, *previous;
    int count;
    int day;      /* of arrival */
    int reserved;
};

struct item {
    struct item *next;            /* in its bucket */
    struct item *next_by_name;    /* in the order of the names */
    char name[NAME_SIZE];
    struct lot *oldest, *newest;
    int bin;
    int total, reserved, limit;
    unsigned int is_fragile : 1;
    unsigned int is_frozen : 1;
    unsigned int is_short : 1;
    unsigned int was_counted : 1;
};

struct order {
    struct order *next;
    struct item *item;
    int count, left, day;
    int is_urgent;
};

enum event { ARRIVED, SHIPPED, MOVED, CORRECTED, EVENTS };

typedef void (*observer)(struct item *item, int count, void *data);

/* items.c */
struct item *find_item(const char *name);
struct item *new_item(const char *name);
struct item *first_item(void);
void add_lot(struct item *item, int count, int day);
int take(struct item *item, int count);
void correct(struct item *item, int count);

/* observers.c */
void observe(enum event event, observer run, void *data);
void announce(enum event event, struct item *item, int count);

/* orders.c */
void open_orders(void);
void add_order(struct item *item, int count, int day, int is_urgent);
void fill_orders(int day);
int late_orders(int day);
struct order *first_order(void);

/* bins.c */
struct bin {
    int used, room, is_cold, visits;
};
extern struct bin bins[MAX_BINS];
void open_bins(void);
int place(struct item *item);

/* report.c */
void open_report(void);
void print_report(int day);

#endif
