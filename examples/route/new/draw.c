/* The way on the map. */
#include "draw.h"

static bool is_on(const struct route *route, int x, int y)
{
    int i;

    for (i = 1; i < route->length - 1; i++)
        if (route->path[i].x == x && route->path[i].y == y)
            return true;
    return false;
}

void draw_route(FILE *out, const struct grid *grid, const struct route *route)
{
    int x, y;

    for (y = 0; y < grid->height; y++) {
        for (x = 0; x < grid->width; x++) {
            char letter = grid->text[y * (grid->width + 1) + x];
            fputc(is_on(route, x, y) ? '*' : letter, out);
        }
        fputc('\n', out);
    }
}
