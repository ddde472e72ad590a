#ifndef GRID_H
#define GRID_H

#include <stdbool.h>

struct cell {
    int x;
    int y;
};

struct grid {
    int width;
    int height;
    const char *text; /* the map, line after line */
    int straight;     /* what a step to the side costs */
    int slanted;      /* what a step across a corner costs */
    struct cell start;
    struct cell goal;
};

/* Read a map; false if it is no rectangle or has no start or goal. */
bool grid_read(struct grid *grid, const char *text);

int grid_size(const struct grid *grid);
int grid_index(const struct grid *grid, struct cell cell);
struct cell grid_cell(const struct grid *grid, int index);

/* Can one stand on this cell? */
bool grid_is_free(const struct grid *grid, struct cell cell);

/* How many times as hard as a dot is this cell? */
int grid_hardness(const struct grid *grid, struct cell cell);

#endif
