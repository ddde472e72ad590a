/* A* over the cells of a grid. */
#include "search.h"

#include <limits.h>
#include <stdlib.h>

#include "estimate.h"
#include "heap.h"

#define UNKNOWN INT_MAX

struct search {
    const struct grid *grid;
    int *cost;   /* of the best way to each cell so far */
    int *before; /* the cell that comes before it on that way */
    bool *done;  /* nothing can be gained at this cell any more */
    struct heap open;
};

static void start(struct search *s, const struct grid *grid);
static void stop(struct search *s);
static void expand(struct search *s, int here);
static void visit(struct search *s, int here, struct cell next);
static int step_cost(const struct grid *grid, struct cell from, struct cell to);
static void read_path(const struct search *s, struct route *route);

bool find_route(const struct grid *grid, struct route *route)
{
    struct search s;
    int here, goal = grid_index(grid, grid->goal);
    bool found = false;

    start(&s, grid);
    while (!found && heap_pop(&s.open, &here)) {
        if (here == goal)
            found = true;
        else if (!s.done[here])
            expand(&s, here);
    }
    if (found)
        read_path(&s, route);
    stop(&s);
    return found;
}

static void start(struct search *s, const struct grid *grid)
{
    int size = grid_size(grid);
    int first = grid_index(grid, grid->start);
    int i;

    s->grid = grid;
    s->cost = malloc(size * sizeof *s->cost);
    s->before = malloc(size * sizeof *s->before);
    s->done = calloc(size, sizeof *s->done);
    s->open = (struct heap){0};
    for (i = 0; i < size; i++)
        s->cost[i] = UNKNOWN;
    s->cost[first] = 0;
    s->before[first] = -1;
    heap_push(&s->open, 0, first);
}

static void stop(struct search *s)
{
    free(s->cost);
    free(s->before);
    free(s->done);
    heap_free(&s->open);
}

/* Look at the eight cells around one. */
static void expand(struct search *s, int here)
{
    struct cell cell = grid_cell(s->grid, here);
    int dx, dy;

    s->done[here] = true;
    for (dy = -1; dy <= 1; dy++)
        for (dx = -1; dx <= 1; dx++) {
            struct cell next = {cell.x + dx, cell.y + dy};
            if (grid_is_free(s->grid, next))
                visit(s, here, next);
        }
}

static void visit(struct search *s, int here, struct cell next)
{
    struct cell cell = grid_cell(s->grid, here);
    int there = grid_index(s->grid, next);
    int cost = s->cost[here] + step_cost(s->grid, cell, next);

    if (s->cost[there] != UNKNOWN)
        return;
    s->cost[there] = cost;
    s->before[there] = here;
    heap_push(&s->open, cost + estimate(s->grid, next, s->grid->goal), there);
}

static int step_cost(const struct grid *grid, struct cell from, struct cell to)
{
    bool is_straight = from.x == to.x || from.y == to.y;

    return (is_straight ? grid->straight : grid->diagonal) * grid_hardness(grid, to);
}

/* Go back from the goal to the start. */
static void read_path(const struct search *s, struct route *route)
{
    int goal = grid_index(s->grid, s->grid->goal);
    int i, n = 0;

    for (i = goal; i >= 0; i = s->before[i])
        n++;
    route->cost = s->cost[goal];
    route->length = n;
    route->path = malloc(n * sizeof *route->path);
    for (i = goal; i >= 0; i = s->before[i])
        route->path[--n] = grid_cell(s->grid, i);
}

void free_route(struct route *route)
{
    free(route->path);
    route->path = NULL;
}
