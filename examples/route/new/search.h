#ifndef SEARCH_H
#define SEARCH_H

#include "grid.h"

struct route {
    int cost;
    int length;        /* number of cells */
    struct cell *path; /* from start to goal */
};

/* Find the cheapest way; false, and the route untouched, if there is none. */
bool find_route(const struct grid *grid, struct route *route);
void free_route(struct route *route);

#endif
