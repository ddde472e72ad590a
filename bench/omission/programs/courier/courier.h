/* A courier: parcels are weighed, priced, sorted into vans and billed. */
#ifndef COURIER_H
#define COURIER_H

#include <stdarg.h>
#include <stddef.h>

#define NAME_SIZE 24
#define MOST_PARCELS 64
#define MOST_DEPOTS 16
#define MOST_NESTED 8
#define WITH_INSURANCE 1

/* The number of units of `size` that hold `amount`. */
#define UNITS(amount, size) (((amount) + (size) - 1) / (size))
#define CENTS(euros) ((euros) * 100)

enum service { SERVICE_LETTER, SERVICE_BOX, SERVICE_PALLET, SERVICE_COUNT };

enum extra { EXTRA_NONE, EXTRA_VALUE, EXTRA_HOUR };

struct depot {
    char name[NAME_SIZE];
    int x;
    int y;
    int arrived;
};

struct parcel {
    char to[NAME_SIZE];
    unsigned number;
    unsigned zone : 7;
    unsigned is_fragile : 1;
    unsigned service : 4;
    unsigned van : 6;
    enum extra extra;
    union {
        long value; /* in cents */
        struct {
            short hour;
            short minute;
        } at;
    } with;
    int grams;
    long cents;
};

struct sums {
    long cents;
    int parcels;
};

/* Which parcel, and what the caller gave. */
typedef void visit(const struct parcel *parcel, void *context);

/* depots.c */
struct depot *depot_add(const char *name, int x, int y);
struct depot *depot_find(const char *name);
int depot_zone(const struct depot *depot);
unsigned depot_hash(const char *name);
void depots_forget(int count);
int depots_count(void);

/* parcels.c */
struct parcel *parcel_add(enum service service, int grams, const struct depot *to);
int parcels_count(void);
void parcels_forget(int count);
void parcels_visit(visit *visitor, void *context);
void parcels_sort(struct parcel **sorted);
const char *service_name(enum service service);

/* prices.c */
void price_set(enum service service, int base, int per_unit);
long price_of(const struct parcel *parcel);

/* output.c */
void say(const char *format, ...);
void bill(void);
void plan(int vans);

/* script.c */
int script(void);
_Noreturn void fail(const char *format, ...);

#endif
