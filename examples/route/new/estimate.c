/* How far is it, as far as one can tell without looking at the map? */
#include "estimate.h"

#include <stdlib.h>

int estimate(const struct grid *grid, struct cell from, struct cell to)
{
    int dx = abs(from.x - to.x);
    int dy = abs(from.y - to.y);

    return grid->straight * (dx + dy);
}
