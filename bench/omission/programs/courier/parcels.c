/* The parcels, in the order in which they came. */
#include "courier.h"

#include <stdlib.h>
#include <string.h>

static struct parcel parcels[MOST_PARCELS];
static int count;

static const char *const service_names[] = {
    "letter",
    "box",
    "pallet",
};

const char *service_name(enum service service)
{
    return service < SERVICE_COUNT ? service_names[service] : "?";
}

static unsigned next_number(void)
{
    static unsigned number = 100;
    number += 7;
    return number;
}

struct parcel *parcel_add(enum service service, int grams, const struct depot *to)
{
    if (count == MOST_PARCELS)
        fail("too many parcels");
    struct parcel *parcel = &parcels[count++];
    memset(parcel, 0, sizeof *parcel);
    strcpy(parcel->to, to->name);
    parcel->number = next_number();
    parcel->service = service;
    parcel->zone = depot_zone(to);
    parcel->grams = grams;
    return parcel;
}

int parcels_count(void)
{
    return count;
}

void parcels_forget(int kept)
{
    count = kept;
}

void parcels_visit(visit *visitor, void *context)
{
    for (int index = 0; index < count; index++)
        visitor(&parcels[index], context);
}

/* Far parcels are loaded first; of one zone, the heavy ones; of one weight, the older ones. */
static int compared(const void *one, const void *other)
{
    const struct parcel *first = *(struct parcel *const *)one;
    const struct parcel *second = *(struct parcel *const *)other;
    if (first->zone != second->zone)
        return first->zone < second->zone ? 1 : -1;
    if (first->grams != second->grams)
        return first->grams < second->grams ? 1 : -1;
    return first->number < second->number ? -1 : 1;
}

void parcels_sort(struct parcel **sorted)
{
    for (int index = 0; index < count; index++)
        sorted[index] = &parcels[index];
    qsort(sorted, count, sizeof *sorted, compared);
}
