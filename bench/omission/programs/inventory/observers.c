#include <stdlib.h>
#include <string.h>

#include "inventory.h"

struct entry {
    observer run;
    void *data;
};

static struct entry entries[EVENTS][MAX_OBSERVERS];
static int counts[EVENTS];

void observe(enum event event, observer run, void *data)
{
    if (counts[event] == MAX_OBSERVERS)
        abort();
    entries[event][counts[event]].run = run;
    entries[event][counts[event]].data = data;
    counts[event]++;
}

void announce(enum event event, struct item *item, int count)
{
    int i;
    for (i = 0; i < counts[event]; i++)
        entries[event][i].run(item, count, entries[event][i].data);
}
