/* The depots, found by their names. */
#include "courier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct depot depots[MOST_DEPOTS];
static int count;
static struct depot *buckets[32];

unsigned depot_hash(const char *name)
{
    unsigned hash = 5381;
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        hash = hash * 33 + *at;
    return hash;
}

static struct depot **bucket_of(const char *name)
{
    unsigned start = depot_hash(name) % 31;
    unsigned at = start;
    while (buckets[at] && strcmp(buckets[at]->name, name) != 0)
        at = (at + 1) % 32;
    return &buckets[at];
}

struct depot *depot_add(const char *name, int x, int y)
{
    struct depot **bucket = bucket_of(name);
    if (*bucket)
        fail("depot %s exists", name);
    if (count == MOST_DEPOTS)
        fail("too many depots", name);
    struct depot *depot = &depots[count++];
    strncpy(depot->name, name, NAME_SIZE - 1);
    depot->x = x;
    depot->y = y;
    depot->arrived = 0;
    *bucket = depot;
    return depot;
}

struct depot *depot_find(const char *name)
{
    return *bucket_of(name);
}

int depots_count(void)
{
    return count;
}

/* The distance from the first depot, in zones. */
int depot_zone(const struct depot *depot)
{
    int across = abs(depot->x - depots[0].x);
    int up = abs(depot->y - depots[0].y);
    return across > up ? across : up;
}

/* Keep only the first depots. */
void depots_forget(int kept)
{
    memset(buckets, 0, sizeof buckets);
    for (int index = kept; index < count; index++)
        memset(&depots[index], 0, sizeof depots[index]);
    count = kept;
    for (int index = 0; index < count; index++)
        *bucket_of(depots[index].name) = &depots[index];
}
