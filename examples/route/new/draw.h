#ifndef DRAW_H
#define DRAW_H

#include <stdio.h>

#include "search.h"

/* Print the map with the way marked by stars. */
void draw_route(FILE *out, const struct grid *grid, const struct route *route);

#endif
