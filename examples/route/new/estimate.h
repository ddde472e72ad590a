#ifndef ESTIMATE_H
#define ESTIMATE_H

#include "grid.h"

/* What a way between two cells costs at least. */
int estimate(const struct grid *grid, struct cell from, struct cell to);

#endif
